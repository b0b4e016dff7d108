// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"bytes"
	"slices"
	"strings"
)

// Baseline is what the store of a cluster has after its start: its pairs, sorted by key.
type Baseline []pair

// changes returns what makes a store that has the pairs now, sorted by key, the baseline
// again. Keys that the API server writes for itself are left alone.
func (b Baseline) changes(cluster string, now []pair) []change {
	var all []change
	from, to := bounds(cluster)
	first := from // of the keys between two of the baseline
	for _, p := range b {
		if hasBetween(cluster, now, first, p.Key) {
			all = append(all, change{Delete: &deleteRange{Key: first, End: p.Key}})
		}
		first = after(p.Key)
		i, found := find(now, p.Key)
		if !own(cluster, p.Key) && (!found || now[i].Revision != p.Revision) {
			all = append(all, change{Put: &put{Key: p.Key, Value: p.Value}})
		}
	}
	if hasBetween(cluster, now, first, to) {
		all = append(all, change{Delete: &deleteRange{Key: first, End: to}})
	}
	return all
}

// differing returns the keys that a store has beyond the baseline, lacks, or has with
// another revision.
func (b Baseline) differing(cluster string, now []pair) []string {
	var keys []string
	for _, p := range now {
		i, found := find(b, p.Key)
		if !own(cluster, p.Key) && (!found || b[i].Revision != p.Revision) {
			keys = append(keys, string(p.Key))
		}
	}
	for _, p := range b {
		if _, found := find(now, p.Key); !found && !own(cluster, p.Key) {
			keys = append(keys, string(p.Key))
		}
	}
	return keys
}

// rebased returns the baseline with the revisions that its keys have now.
func (b Baseline) rebased(now []pair) Baseline {
	next := slices.Clone(b)
	for i := range next {
		if j, found := find(now, next[i].Key); found {
			next[i].Revision = now[j].Revision
		}
	}
	return next
}

// own reports whether a key is one that an API server writes for itself while it runs: the
// leases of its identity.
func own(cluster string, key []byte) bool {
	rest, _ := strings.CutPrefix(string(key), "/"+cluster)
	return strings.HasPrefix(rest, "/leases/kube-system/apiserver-") || strings.HasPrefix(rest, "/peerserverleases/")
}

// hasBetween reports whether a store has a key from one on, and before another, that is not
// the API server's own.
func hasBetween(cluster string, now []pair, from, to []byte) bool {
	i, _ := find(now, from)
	for ; i < len(now) && bytes.Compare(now[i].Key, to) < 0; i++ {
		if !own(cluster, now[i].Key) {
			return true
		}
	}
	return false
}

// after returns the first key after another.
func after(key []byte) []byte { return append(slices.Clone(key), 0) }

func find(pairs []pair, key []byte) (int, bool) {
	return slices.BinarySearchFunc(pairs, key, func(p pair, key []byte) int { return bytes.Compare(p.Key, key) })
}
