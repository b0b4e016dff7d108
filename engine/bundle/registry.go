// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

// question is an operation of a kind, which at most one active bundle answers.
type question struct {
	kind      schema.GroupVersionKind
	operation engine.Op
}

// questions returns what a bundle answers, in no order.
func questions(b *Bundle) []question {
	var all []question
	for kind, rules := range b.Source.Kinds {
		for operation := range rules {
			all = append(all, question{kind, operation})
		}
	}
	return all
}

// registry finds the entries by what their active bundles own: a unique name, and
// questions. An entry that was removed owns nothing.
type registry struct {
	names     map[string]*entry
	questions map[question]*entry
}

func newRegistry() registry {
	return registry{names: map[string]*entry{}, questions: map[question]*entry{}}
}

// reserve makes e the owner of the name and the questions of its active bundle, which
// must have no owner.
func (o registry) reserve(e *entry) {
	o.names[e.active.Name] = e
	for _, q := range questions(e.active) {
		o.questions[q] = e
	}
}

// release removes e as the owner of what its active bundle has; without an active bundle
// it does nothing.
func (o registry) release(e *entry) {
	if e.active == nil {
		return
	}
	delete(o.names, e.active.Name)
	for _, q := range questions(e.active) {
		delete(o.questions, q)
	}
}

// of returns the entries that own something of b, sorted by folder.
func (o registry) of(b *Bundle) []*entry {
	found := map[*entry]bool{o.names[b.Name]: true}
	for _, q := range questions(b) {
		found[o.questions[q]] = true
	}
	delete(found, nil)
	return slices.SortedFunc(maps.Keys(found), func(a, b *entry) int { return strings.Compare(a.status.Dir, b.status.Dir) })
}
