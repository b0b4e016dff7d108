// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"hash/maphash"
	"math/bits"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// index is an immutable map from kinds to their rules. A change copies the way to one
// entry and shares all else, so it costs the same among ten kinds and ten thousand.
// The zero value is empty.
//
// It is a trie over the bits of the kind's hash, five a level.
type index struct{ root *node }

// node is a branch, or the entry of a kind.
type node struct {
	// below are the children of a branch, nil in an entry.
	below *[fanOut]*node

	hash  uint64
	kind  schema.GroupVersionKind
	rules kindRules
	// next is another entry of the same hash.
	next *node
}

const (
	hashBits = 64
	levelBit = 5
	fanOut   = 1 << levelBit
)

// seed is that of all hashes of this process.
var seed = maphash.MakeSeed()

func hashOf(kind schema.GroupVersionKind) uint64 {
	hash := maphash.String(seed, kind.Kind)
	hash = bits.RotateLeft64(hash, 21) ^ maphash.String(seed, kind.Group)
	return bits.RotateLeft64(hash, 21) ^ maphash.String(seed, kind.Version)
}

// get returns the rules of a kind, nil where there are none.
func (x index) get(kind schema.GroupVersionKind) kindRules {
	hash := hashOf(kind)
	n := x.root
	for rest := hash; n != nil && n.below != nil; rest >>= levelBit {
		n = n.below[rest%fanOut]
	}
	for ; n != nil; n = n.next {
		if n.hash == hash && n.kind == kind {
			return n.rules
		}
	}
	return nil
}

// with returns the index with other rules for a kind; nil takes the kind out.
func (x index) with(kind schema.GroupVersionKind, rules kindRules) index {
	return index{x.root.with(&node{hash: hashOf(kind), kind: kind, rules: rules}, 0)}
}

// with returns the node with an entry put in the place of that of its kind. bit is the
// first bit of the hash by which the children of n differ.
func (n *node) with(entry *node, bit int) *node {
	switch {
	case n == nil && entry.rules == nil:
		return nil
	case n == nil:
		return entry
	case n.below != nil:
		at := entry.hash >> bit % fanOut
		return n.replacing(at, n.below[at].with(entry, bit+levelBit))
	case n.hash == entry.hash || bit >= hashBits:
		return n.chained(entry)
	case entry.rules == nil:
		return n
	}
	branch := &node{below: &[fanOut]*node{}}
	branch.below[n.hash>>bit%fanOut] = n
	return branch.with(entry, bit)
}

// replacing returns a branch with another child; nil where that leaves none.
func (n *node) replacing(at uint64, child *node) *node {
	below := *n.below
	below[at] = child
	if below == [fanOut]*node{} {
		return nil
	}
	return &node{below: &below}
}

// chained returns the entries of one hash with one of them replaced.
func (n *node) chained(entry *node) *node {
	if n == nil {
		if entry.rules == nil {
			return nil
		}
		return entry
	}
	if n.kind == entry.kind {
		if entry.rules == nil {
			return n.next
		}
		changed := *entry
		changed.next = n.next
		return &changed
	}
	kept := *n
	kept.next = n.next.chained(entry)
	return &kept
}
