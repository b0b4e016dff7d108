// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// A report that only a Work has is not lost with it.
func TestHasReport(t *testing.T) {
	w := &workv1alpha1.Work{}
	w.Namespace, w.UID = names.ExecutionSpace("a"), "one"
	w.Annotations = map[string]string{workv1alpha2.FailoverAnnotation: workv1alpha2.FailoverState}
	w.Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue}}
	w.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{{Health: workv1alpha2.ResourceHealthy, Status: &runtime.RawExtension{Raw: []byte(`{"job":"9"}`)}}}
	item := func(health workv1alpha2.ResourceHealth, job string) workv1alpha2.AggregatedStatusItem {
		return workv1alpha2.AggregatedStatusItem{ClusterName: "a", Applied: true, Copy: "one", Health: health, Status: &runtime.RawExtension{Raw: []byte(`{"job":"` + job + `"}`)}}
	}
	another := item(workv1alpha2.ResourceHealthy, "9")
	another.Copy = "two"
	for name, tc := range map[string]struct {
		items []workv1alpha2.AggregatedStatusItem
		want  bool
	}{
		"Same":        {[]workv1alpha2.AggregatedStatusItem{item(workv1alpha2.ResourceHealthy, "9")}, true},
		"Nothing":     {nil, false},
		"OtherHealth": {[]workv1alpha2.AggregatedStatusItem{item(workv1alpha2.ResourceUnhealthy, "9")}, false},
		"NotApplied":  {[]workv1alpha2.AggregatedStatusItem{item(workv1alpha2.ResourceUnknown, "9")}, false},
		"OtherState":  {[]workv1alpha2.AggregatedStatusItem{item(workv1alpha2.ResourceHealthy, "5")}, false},
		"OtherCopy":   {[]workv1alpha2.AggregatedStatusItem{another}, false},
	} {
		b := &workv1alpha2.ResourceBinding{}
		b.Status.AggregatedStatus = tc.items
		if got := HasReport(b, w); got != tc.want {
			t.Errorf("%s: got %t, want %t", name, got, tc.want)
		}
	}

	// Its newest manifest is not applied yet, so that its health is not known again.
	w.Generation = 2
	w.Status.Conditions[0].ObservedGeneration = 1
	b := &workv1alpha2.ResourceBinding{}
	b.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{item(workv1alpha2.ResourceHealthy, "9")}
	if !HasReport(b, w) {
		t.Error("a Work that is not applied again is said to report another health")
	}
}
