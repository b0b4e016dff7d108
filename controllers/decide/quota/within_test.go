// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"fmt"
	"strings"
	"testing"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestDividedWithin(t *testing.T) {
	for _, tc := range []struct {
		reason   string
		spec     *workv1alpha2.ResourceBindingSpec
		recorded string
		want     int32
	}{
		{"it was never placed", spec(replicas(5, "cpu=1"), divided), "", 0},
		{"it has left", spec(replicas(5, "cpu=1"), divided, leaving("one", 2)), "", 2},
		{"it has moved", spec(replicas(5, "cpu=1"), divided, to("two", 2), leaving("one", 2)), "2", 2},
		{"what was replaced came back", spec(replicas(9, "cpu=1"), divided, to("one", 5), to("two", 3)), "5", 5},
	} {
		if got := DividedWithin(bound(tc.spec, tc.recorded)); got != tc.want {
			t.Errorf("%s: got %d, want %d", tc.reason, got, tc.want)
		}
	}
}

func TestCopiesWithin(t *testing.T) {
	manager := component("jobmanager", 1, "cpu=1")
	for _, tc := range []struct {
		reason   string
		spec     *workv1alpha2.ResourceBindingSpec
		recorded string
		wanted   string
		want     string
	}{
		{"it was never placed", spec(replicas(2, "cpu=1")), "", "a:2 b:2", ""},
		{"a cluster joined", spec(replicas(2, "cpu=1"), to("a", 2)), "", "a:2 b:2", "a:2"},
		{"it is larger", spec(replicas(5, "cpu=1"), to("a", 2)), "", "a:5", "a:2"},
		{"it is larger and moves", spec(replicas(5, "cpu=1"), leaving("a", 2)), "", "b:5", "b:2"},
		{"it has moved", spec(replicas(5, "cpu=1"), to("b", 2), leaving("a", 2)), "2", "b:5 c:5", "b:2"},
		{"it moves once more", spec(replicas(5, "cpu=1"), leaving("a", 2), leaving("b", 2)), "2", "c:5 d:5", "c:2"},
		{"one of two moves", spec(replicas(5, "cpu=1"), to("c", 2), leaving("a", 2)), "", "b:5 c:5 d:5", "b:2 c:2"},
		{"it is smaller by now", spec(replicas(1, "cpu=1"), leaving("a", 2)), "", "b:1 c:1 d:1", "b:1 c:1"},
		{"how large it was is not known", spec(replicas(2, "cpu=1"), leaving("a", 0)), "", "b:2", ""},
		{"components move", spec(manager, leaving("a", 0)), "", "b:0 c:0", "b:0"},
		{"components have moved", spec(manager, to("b", 0), leaving("a", 0)), "1", "b:0 c:0", "b:0"},
	} {
		b := bound(tc.spec, tc.recorded)
		var wanted []workv1alpha2.TargetCluster
		for field := range strings.FieldsSeq(tc.wanted) {
			name, n, _ := strings.Cut(field, ":")
			target := workv1alpha2.TargetCluster{Name: name}
			if _, err := fmt.Sscan(n, &target.Replicas); err != nil {
				t.Fatal(err)
			}
			wanted = append(wanted, target)
		}
		admitted := Admitted(b)
		b.Spec.Clusters = CopiesWithin(b, wanted)
		var got []string
		for _, c := range b.Spec.Clusters {
			got = append(got, fmt.Sprintf("%s:%d", c.Name, c.Replicas))
		}
		if got := strings.Join(got, " "); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
		}
		Record(b)
		if more := Growth(admitted, Usage(b)); len(more) > 0 {
			t.Errorf("%s: it uses %s more", tc.reason, text(more))
		}
	}
}
