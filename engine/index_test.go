// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func numbered(i int) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: fmt.Sprintf("g%d.example", i%7), Version: "v1", Kind: fmt.Sprintf("Kind%d", i)}
}

// newRules returns rules that are the same only as themselves, by identity.
func newRules() kindRules { return make(kindRules, 1) }

func identity(rules kindRules) *[]activeRule { return unsafe.SliceData(rules) }

func TestIndexIsAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	want := map[schema.GroupVersionKind]kindRules{}
	var x index
	for range 5000 {
		kind, rules := numbered(random.IntN(300)), newRules()
		if random.IntN(3) == 0 {
			rules = nil
		}
		x = x.with(kind, rules)
		want[kind] = rules
	}
	for i := range 300 {
		if got := x.get(numbered(i)); identity(got) != identity(want[numbered(i)]) {
			t.Fatalf("%v: got %p; want %p", numbered(i), got, want[numbered(i)])
		}
	}
	for i := range 300 {
		x = x.with(numbered(i), nil)
	}
	if x.root != nil {
		t.Errorf("an index without entries has nodes: %+v", x.root)
	}
}

func TestIndexStaysAsItWas(t *testing.T) {
	var x index
	for i := range 100 {
		x = x.with(numbered(i), newRules())
	}
	before := x.get(numbered(50))
	x.with(numbered(50), newRules())
	x.with(numbered(50), nil)
	x.with(numbered(100), newRules())
	if identity(x.get(numbered(50))) != identity(before) || x.get(numbered(100)) != nil {
		t.Error("a change of a copy changed the index")
	}
}

// Two kinds of one hash are as good as impossible to find, so the entries are made
// here.
func TestIndexKeepsKindsOfOneHash(t *testing.T) {
	entry := func(i int, hash uint64, rules kindRules) *node {
		return &node{hash: hash, kind: numbered(i), rules: rules}
	}
	const hash, near = 0xf000000000000001, 0x0000000000000001
	var root *node
	rules := [5]kindRules{newRules(), newRules(), newRules(), newRules(), newRules()}
	for i := range 3 {
		root = root.with(entry(i, hash, rules[i]), 0)
	}
	root = root.with(entry(3, near, rules[3]), 0)
	root = root.with(entry(1, hash, rules[4]), 0)
	root = root.with(entry(0, hash, nil), 0)
	root = root.with(entry(9, hash, nil), 0)
	found := map[schema.GroupVersionKind]kindRules{}
	var walk func(n *node)
	walk = func(n *node) {
		for ; n != nil; n = n.next {
			if n.below == nil {
				found[n.kind] = n.rules
				continue
			}
			for _, child := range n.below {
				walk(child)
			}
		}
	}
	walk(root)
	want := map[schema.GroupVersionKind]kindRules{numbered(1): rules[4], numbered(2): rules[2], numbered(3): rules[3]}
	if len(found) != len(want) {
		t.Errorf("got %d entries; want %d", len(found), len(want))
	}
	for kind, r := range want {
		if identity(found[kind]) != identity(r) {
			t.Errorf("%v: got other rules", kind)
		}
	}
}
