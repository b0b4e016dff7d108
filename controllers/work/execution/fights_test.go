// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
)

// TestFights has someone undo each write at once, and looks when it is written again.
func TestFights(t *testing.T) {
	work, id := types.NamespacedName{Namespace: "karmada-es-one", Name: "w"}, identity{object: types.NamespacedName{Name: "c"}}
	cases := map[string]struct {
		reason string
		field  string
		writes int
		want   []time.Duration
		lost   bool
	}{
		"Field":  {reason: "a field is left after five writes in three seconds", field: "spec.a", writes: 5, want: []time.Duration{0, 0, 0, time.Second, 2 * time.Second}, lost: true},
		"Object": {reason: "an object is made again, at least once a minute", field: whole, writes: 11, want: []time.Duration{0, 0, 0, 1e9, 2e9, 4e9, 8e9, 16e9, 32e9, 60e9, 60e9}},
		"Mark":   {reason: "a mark is never left", field: "metadata.labels[karmada.io/managed]", writes: 6, want: []time.Duration{0, 0, 0, 1e9, 2e9, 4e9}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var f fights
			now := time.Unix(1000, 0)
			var got []time.Duration
			for range tc.writes {
				if lost := f.lost(work, id, "1", []string{tc.field}, now); len(lost) > 0 {
					t.Fatalf("%s: lost after %v", tc.reason, got)
				}
				pause := f.pause(work, id, "1", []string{"other", tc.field}, now)
				got = append(got, pause)
				now = now.Add(pause)
				f.wrote(work, id, "1", []string{tc.field}, now)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if lost := f.lost(work, id, "1", []string{"other", tc.field}, now); (len(lost) > 0) != tc.lost {
				t.Errorf("%s: lost = %v", tc.reason, lost)
			}
		})
	}
}

func TestFightsEnd(t *testing.T) {
	work, id := types.NamespacedName{Namespace: "karmada-es-one", Name: "w"}, identity{object: types.NamespacedName{Name: "c"}}
	fought := func(now time.Time) *fights {
		f := &fights{}
		for range mostWrites {
			f.wrote(work, id, "1", []string{"a"}, now)
		}
		return f
	}
	now := time.Unix(1000, 0)
	if f := fought(now); len(f.lost(work, id, "2", []string{"a"}, now)) > 0 || f.pause(work, id, "2", []string{"a"}, now) > 0 {
		t.Error("another manifest is fought for")
	}
	if f := fought(now); len(f.lost(work, id, "1", []string{"a"}, now.Add(peace))) > 0 {
		t.Error("writes count after peace")
	}
	f := fought(now)
	f.forget(work)
	if len(f.lost(work, id, "1", []string{"a"}, now)) > 0 {
		t.Error("writes of a Work that ended count")
	}
	f = fought(now)
	f.wrote(types.NamespacedName{Name: "other"}, id, "1", nil, now.Add(peace))
	if len(f.all) != 1 {
		t.Errorf("%d Works are remembered, want the one that was written within the time", len(f.all))
	}
}
