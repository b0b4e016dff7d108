// SPDX-License-Identifier: Apache-2.0

package document

import (
	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/budget"
)

// EditJSON returns the document with all operations done, in their order. White space stays;
// what is added is written as its neighbors are: on lines of its own where they are.
// Numbers and strings stay as they are written, there and in values. An error of one
// operation is an *OperationError, and then none is done. What it reads is taken from the
// budget.
func EditJSON(b *budget.Budget, text string, operations []Operation) (string, error) {
	d := jsonDoc{budget: b, text: text}
	for i, o := range operations {
		r, err := o.read(b, jsonForm)
		if err != nil {
			return "", &OperationError{i, err}
		}
		if err := d.do(i, r); err != nil {
			return "", err
		}
	}
	d.flush()
	return d.text, nil
}

// jsonDoc is a JSON document on which operations are done. One that puts one scalar in the
// place of another does not depend on how the rest is written, and does not change how others
// are: such operations are collected, and written together.
type jsonDoc struct {
	budget *budget.Budget
	text   string
	// root is nil if the text was not read.
	root    *jsonNode
	pending pending[*jsonNode]
}

// do collects an operation, or does it after those that were collected.
func (d *jsonDoc) do(index int, r request) error {
	if err := d.parse(index); err != nil {
		return err
	}
	if d.queue(r) {
		return nil
	}
	if d.flush() {
		if err := d.parse(index); err != nil {
			return err
		}
		if d.queue(r) {
			return nil
		}
	}
	text, err := d.root.do(d.text, r)
	if err != nil {
		return &OperationError{index, err}
	}
	d.text, d.root = text, nil
	return nil
}

// parse reads the text unless that was done, for an operation.
func (d *jsonDoc) parse(index int) error {
	if d.root != nil {
		return nil
	}
	err := jsonForm.read(d.budget, d.text)
	if err != nil {
		return &OperationError{index, err}
	}
	d.root, err = parseJSON(d.text)
	return err
}

// queue collects an operation, and reports whether it can. If not, nothing is changed.
func (d *jsonDoc) queue(r request) bool {
	if r.operator == Remove || len(r.path) == 0 || isCollection(r.value) || !d.pending.fits(d.text) {
		return false
	}
	n := d.root
	for depth := range r.path {
		if seek(d.budget, len(n.children)) != nil || r.last(depth) && r.operator == Add && !n.isMap(d.text) {
			return false
		}
		i, err := n.find(d.text, r, depth)
		if err != nil || i == len(n.children) {
			return false
		}
		n = n.children[i]
	}
	if len(n.children) > 0 || d.pending.of[n] {
		return false
	}
	d.pending.add(n, splice{n.start, n.end, string(r.value)})
	return true
}

// isCollection reports whether a JSON value is a map or a list that has something.
func isCollection(value []byte) bool {
	return (value[0] == '{' || value[0] == '[') && len(value) > 2
}

// flush writes what was collected, and reports whether that was anything.
func (d *jsonDoc) flush() bool {
	if len(d.pending.splices) == 0 {
		return false
	}
	d.text, d.root = d.pending.apply(d.text), nil
	d.pending = pending[*jsonNode]{}
	return true
}
