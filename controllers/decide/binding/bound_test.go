// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// sized makes an item whose status has a size.
func sized(cluster string, bytes int) workv1alpha2.AggregatedStatusItem {
	return workv1alpha2.AggregatedStatusItem{
		ClusterName: cluster, Applied: true, Health: workv1alpha2.ResourceHealthy, Status: raw(`"` + strings.Repeat("x", bytes-2) + `"`),
	}
}

func TestBound(t *testing.T) {
	const kib = 1 << 10
	cases := map[string]struct {
		reason string
		items  []workv1alpha2.AggregatedStatusItem
		want   []string
	}{
		"Small":   {reason: "all fits", items: []workv1alpha2.AggregatedStatusItem{sized("a", 300*kib), sized("b", 300*kib), {ClusterName: "c"}}},
		"Large":   {reason: "the largest goes", items: []workv1alpha2.AggregatedStatusItem{sized("a", 300*kib), sized("b", 700*kib), sized("c", 300*kib)}, want: []string{"b"}},
		"Several": {reason: "as many as must", items: []workv1alpha2.AggregatedStatusItem{sized("c", 700*kib), sized("b", 600*kib), sized("a", 700*kib)}, want: []string{"a", "c"}},
		"One":     {reason: "one may be too large alone", items: []workv1alpha2.AggregatedStatusItem{sized("a", 1000*kib)}, want: []string{"a"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Bound(tc.items)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			for _, item := range tc.items {
				if item.ClusterName != "c" && (!item.Applied || item.Health != workv1alpha2.ResourceHealthy) {
					t.Errorf("%s lost more than its status", item.ClusterName)
				}
			}
			if again := Bound(tc.items); again != nil {
				t.Errorf("what fits is bounded again: %v", again)
			}
		})
	}
}

func TestBoundOfManyClusters(t *testing.T) {
	var items []workv1alpha2.AggregatedStatusItem
	for i := range 1000 {
		item := sized(fmt.Sprintf("cluster-%d", i), 10<<10)
		item.AppliedMessage = strings.Repeat("é", 2000)
		items = append(items, item)
	}
	left := Bound(items)
	text, err := json.Marshal(items)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 1200<<10 || len(left) < 900 || len(left) == 1000 {
		t.Errorf("%d KiB with the statuses of %d clusters left out, want less than 1,200 KiB, and some statuses", len(text)>>10, len(left))
	}
	var condition metav1.Condition
	ReportLeftOut(&condition, left)
	if want := "cluster-107 and 924 more are left out"; !strings.Contains(condition.Message, "more are left out, since all together are larger than 768 KiB") {
		t.Errorf("got %q, want something such as %q", condition.Message, want)
	}
	ReportLeftOut(&condition, nil)
}
