// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"fmt"
	"strings"
	"testing"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// readShares reads shares such as "a=2 b=3".
func readShares(text string) []any {
	var shares []any
	for field := range strings.FieldsSeq(text) {
		name, n, _ := strings.Cut(field, "=")
		var replicas int64
		_, _ = fmt.Sscan(n, &replicas)
		shares = append(shares, map[string]any{"name": name, "replicas": replicas})
	}
	return shares
}

func writeShares(shares []any) string {
	var fields []string
	for _, s := range shares {
		fields = append(fields, fmt.Sprint(s.(map[string]any)["name"], "=", s.(map[string]any)["replicas"]))
	}
	return strings.Join(fields, " ")
}

func TestFixedShares(t *testing.T) {
	for _, tc := range []struct{ reason, shares, recorded, want string }{
		{"nothing is recorded", "a=2 b=3", "", ""},
		{"there are more replicas now", "a=2 b=3", "a=2/4 b=2/4", "a=2 b=2"},
		{"what fails is replaced by its like", "a=5 c=5", "a=2/4", "a=10 c=10"},
		{"the other is taken away", "a=5", "a=2/4", "a=2"},
		{"one is new", "a=2 b=2 c=2", "a=2/4 b=2/4", "a=6 b=6 c=4"},
		{"that of an earlier version has none", "a=1 b=4", "a=2/4", "a=10 b=16"},
		{"a record that cannot be read is none", "a=1 b=4", "a=x b=2/4", "a=4 b=10"},
		{"nor one of nothing", "a=1 b=4", "a=0/4 b=2/4", "a=4 b=10"},
		{"nor one of more than all", "a=1 b=4", "a=5/4 b=2/4", "a=4 b=10"},
		{"there is no common measure", "a=1 b=4", "a=1/16777213 b=1/16777199", ""},
		{"there are no replicas", "a=0 b=0", "a=1/2", ""},
		{"it is not divided", "", "a=2/4", ""},
	} {
		existing := map[string]*workv1alpha1.Work{}
		for field := range strings.FieldsSeq(tc.recorded) {
			name, record, _ := strings.Cut(field, "=")
			w := &workv1alpha1.Work{}
			w.Annotations = map[string]string{workv1alpha2.ShareAnnotation: record}
			existing[name] = w
		}
		if got := writeShares(fixedShares(readShares(tc.shares), existing)); got != tc.want {
			t.Errorf("%s: %q with %q: got %q, want %q", tc.reason, tc.shares, tc.recorded, got, tc.want)
		}
	}
}

func TestSetShare(t *testing.T) {
	for _, tc := range []struct {
		reason, shares, recorded string
		written                  bool
		want                     string
	}{
		{"the Work is new", "a=2 b=3", "", false, "2/5"},
		{"the Work has one", "a=2 b=3", "1/2", false, "1/2"},
		{"a Work of an earlier version is not written for it", "a=2 b=3", "", true, ""},
		{"one that cannot be read is replaced", "a=2 b=3", "2", false, "2/5"},
		{"it is divided no more", "", "1/2", false, ""},
		{"the object is only required there", "b=3", "", false, ""},
	} {
		w := &workv1alpha1.Work{}
		w.Annotations = map[string]string{}
		if tc.recorded != "" {
			w.Annotations[workv1alpha2.ShareAnnotation] = tc.recorded
		}
		if tc.written {
			w.Spec.Workload.Manifests = make([]workv1alpha1.Manifest, 1)
			w.Spec.Workload.Manifests[0].Raw = []byte(`{"a":1}`)
		}
		setShare(w, readShares(tc.shares), "a", []byte(`{"a": 1}`))
		if got := w.Annotations[workv1alpha2.ShareAnnotation]; got != tc.want {
			t.Errorf("%s: recorded %q, want %q", tc.reason, got, tc.want)
		}
	}
}
