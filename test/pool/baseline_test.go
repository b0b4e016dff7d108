// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"slices"
	"strings"
	"testing"
)

// pairs makes pairs from "key=value@revision" texts.
func pairs(t *testing.T, texts ...string) []pair {
	t.Helper()
	var all []pair
	for _, text := range texts {
		key, rest, _ := strings.Cut(text, "=")
		value, revision, _ := strings.Cut(rest, "@")
		all = append(all, pair{Key: []byte(key), Value: []byte(value), Revision: int64(revision[0] - '0')})
	}
	return all
}

// apply does to pairs what etcd does.
func apply(now []pair, changes []change) []pair {
	now = slices.Clone(now)
	for _, c := range changes {
		if d := c.Delete; d != nil {
			now = slices.DeleteFunc(now, func(p pair) bool {
				return string(p.Key) >= string(d.Key) && string(p.Key) < string(d.End)
			})
			continue
		}
		i, found := find(now, c.Put.Key)
		if !found {
			now = slices.Insert(now, i, pair{Key: c.Put.Key})
		}
		now[i].Value, now[i].Revision = c.Put.Value, 9
	}
	return now
}

func TestBaseline(t *testing.T) {
	base := []string{"/a/crds/x=1@1", "/a/leases/kube-system/apiserver-q=old@1", "/a/namespaces/default=d@2", "/a/ranges/ip=r@1"}
	for name, tc := range map[string]struct {
		reason string
		now    []string
		// operations is how many changes there are, and differing the keys that are named.
		operations int
		differing  []string
	}{
		"Same": {reason: "nothing was written", now: base},
		"Lease": {
			reason: "the server renews its lease itself",
			now:    []string{"/a/crds/x=1@1", "/a/leases/kube-system/apiserver-q=new@5", "/a/namespaces/default=d@2", "/a/ranges/ip=r@1"},
		},
		"Left": {
			reason:     "objects between, before and after those of the baseline go, those of one gap at once",
			now:        []string{"/a/a=1@3", "/a/crds/x=1@1", "/a/crds/y=1@3", "/a/crds/z=1@3", "/a/leases/kube-system/apiserver-q=old@1", "/a/namespaces/default=d@2", "/a/ranges/ip=r@1", "/a/secrets/s=1@3"},
			operations: 3,
			differing:  []string{"/a/a", "/a/crds/y", "/a/crds/z", "/a/secrets/s"},
		},
		"Removed": {
			reason:     "what was deleted comes back",
			now:        []string{"/a/crds/x=1@1", "/a/leases/kube-system/apiserver-q=old@1", "/a/namespaces/default=d@2"},
			operations: 1,
			differing:  []string{"/a/ranges/ip"},
		},
		"Changed": {
			reason:     "what was changed gets its old value",
			now:        []string{"/a/crds/x=2@4", "/a/leases/kube-system/apiserver-q=old@1", "/a/namespaces/default=d@2", "/a/ranges/ip=r@1"},
			operations: 1,
			differing:  []string{"/a/crds/x"},
		},
		"Prefix": {
			reason:     "a key that begins as another of the baseline is another key",
			now:        []string{"/a/crds/x=1@1", "/a/crds/x/y=1@4", "/a/leases/kube-system/apiserver-q=old@1", "/a/namespaces/default=d@2", "/a/ranges/ip=r@1"},
			operations: 1,
			differing:  []string{"/a/crds/x/y"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, now := Baseline(pairs(t, base...)), pairs(t, tc.now...)
			if got := b.differing("a", now); !slices.Equal(got, tc.differing) {
				t.Errorf("%s: %v differ, want %v", tc.reason, got, tc.differing)
			}
			changes := b.changes("a", now)
			if len(changes) != tc.operations {
				t.Errorf("%s: %d changes, want %d", tc.reason, len(changes), tc.operations)
			}
			after := apply(now, changes)
			if got := b.rebased(after).differing("a", after); len(got) > 0 {
				t.Errorf("%s: %v differ afterwards", tc.reason, got)
			}
			for _, p := range b {
				i, found := find(after, p.Key)
				if !found || !own("a", p.Key) && string(after[i].Value) != string(p.Value) {
					t.Errorf("%s: %s is not what it was", tc.reason, p.Key)
				}
			}
		})
	}
}
