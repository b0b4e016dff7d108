// SPDX-License-Identifier: Apache-2.0

package document

import (
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/budget"
)

// queue are operations on a YAML document that each put a scalar on one line in the place of
// another one. They change neither the lines nor the keys, so that each can be planned on the
// document without the others. They are written together, and what comes out is read once. If
// it is not what they make of the tree, they are done one after the other.
type queue struct {
	budget  *budget.Budget
	doc     *yamlDoc
	pending pending[*yamlv3.Node]
	indices []int
	queued  []request
	changes []change
}

// do adds an operation, or does it after those that were added. The error is an
// *OperationError.
func (q *queue) do(index int, r request) error {
	if q.add(index, r) {
		return nil
	}
	if len(q.queued) > 0 {
		if err := q.flush(); err != nil {
			return err
		}
		if q.add(index, r) {
			return nil
		}
	}
	var err error
	if q.doc, err = q.doc.do(r, q.budget); err != nil {
		return &OperationError{index, err}
	}
	return nil
}

// failed returns the error of the first operation that fails: one that was added, or the next.
func (q *queue) failed(next error) error {
	if err := q.flush(); err != nil {
		return err
	}
	return next
}

// add adds an operation, and reports whether it can. If not, nothing is changed.
func (q *queue) add(index int, r request) bool {
	if r.operator == Remove || len(r.path) == 0 || !q.pending.fits(q.doc.text) {
		return false
	}
	c, done, err := q.doc.plan(r, q.budget)
	if err != nil || !done || c.action != setItem || anchored(c) {
		return false
	}
	old := c.parent().Content[c.slot()]
	if c.value, err = yamlValue(r.value); err != nil || q.pending.of[old] {
		return false
	}
	c.value = fit(c)
	if old.Kind != yamlv3.ScalarNode || c.value.Kind != yamlv3.ScalarNode || q.budget.Take(len(c.parent().Content)) != nil {
		return false
	}
	s, ok := q.doc.set(c)
	if !ok || strings.Contains(q.doc.text[s.start:s.end]+s.text, "\n") {
		return false
	}
	q.pending.add(old, s)
	q.indices, q.queued, q.changes = append(q.indices, index), append(q.queued, r), append(q.changes, c)
	return true
}

// anchored reports whether a change may show in another place, by an alias.
func anchored(c change) bool {
	for _, n := range append(c.path[:len(c.path):len(c.path)], c.parent().Content[c.slot()]) {
		if n.Anchor != "" {
			return true
		}
	}
	return false
}

// flush does the operations that were added. An error of one is an *OperationError.
func (q *queue) flush() error {
	all := *q
	*q = queue{budget: all.budget, doc: all.doc}
	if len(all.queued) == 0 {
		return nil
	}
	if len(all.queued) > 1 && all.pending.disjoint() && all.pending.fits(q.doc.text) {
		after, err := all.together()
		if err != nil {
			return err
		}
		if after != nil {
			q.doc = after
			return nil
		}
	}
	for i, r := range all.queued {
		var err error
		if q.doc, err = q.doc.do(r, q.budget); err != nil {
			return &OperationError{all.indices[i], err}
		}
	}
	return nil
}

// together returns the document with all operations done at once; nil if that is not what they
// make of it, and then the document is as it was.
func (q *queue) together() (*yamlDoc, error) {
	text := q.pending.apply(q.doc.text)
	if err := yamlForm.read(q.budget, text); err != nil {
		return nil, &OperationError{q.indices[len(q.indices)-1], err}
	}
	after, err := parseYAML(text)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // one after the other, they find another form
	}
	old := make([]*yamlv3.Node, len(q.changes))
	for i, c := range q.changes {
		old[i] = c.parent().Content[c.slot()]
		c.inTree()
	}
	if sameTree(q.doc.node, after.node) {
		return after, nil
	}
	for i, c := range q.changes {
		c.value = old[i]
		c.inTree()
	}
	return nil, nil //nolint:nilnil // see above
}
