// SPDX-License-Identifier: Apache-2.0

package jsonpath

import (
	"bytes"
	"errors"
	"fmt"

	"k8s.io/client-go/util/jsonpath"
)

// ErrBudget is the error of a template that looks at more than it may.
var ErrBudget = errors.New("it names more of the object than may be looked at")

// Budget bounds evaluations. Several may share one, one after the other.
type Budget struct {
	// Values is how many values may be looked at yet; a text counts one more for each 64
	// bytes that are compared or written.
	Values int
	// Output is how many bytes of an answer are wanted: what would be written past it is
	// not evaluated.
	Output int
}

// nothing is the value of a template or of a range where there is none; a range without
// items is evaluated for it, and writes nothing.
type nothing struct{}

// errFull ends an evaluation whose output is as long as anybody wants it.
var errFull = errors.New("the output is full")

// Evaluate returns what the template writes for a value, and takes what it looked at from
// the budget. The answer is cut behind the Output bytes of the budget. The errors are
// ErrBudget, and that a path names nothing or does not fit to the value.
func (t Template) Evaluate(value any, budget *Budget) (string, error) {
	e := &evaluation{budget: budget, out: &bytes.Buffer{}}
	_, err := e.block(t.nodes, 0, value, false)
	if err != nil && !errors.Is(err, errFull) {
		return "", err
	}
	return e.out.String(), nil
}

type evaluation struct {
	budget *Budget
	out    *bytes.Buffer // nil where nothing is written
}

// pay takes n values from the budget.
func (e *evaluation) pay(n int) error {
	e.budget.Values -= n
	if e.budget.Values < 0 {
		return ErrBudget
	}
	return nil
}

// block writes nodes from the one at start, until the end of the template or, in a range,
// of the range. It returns the place behind it, and len(nodes) if no {end} came.
func (e *evaluation) block(nodes []jsonpath.Node, start int, value any, inRange bool) (int, error) {
	if value == nil {
		value = nothing{}
	}
	for i := start; i < len(nodes); i++ {
		switch n := nodes[i]; {
		case startsWith(n, "end"):
			if !inRange {
				return 0, errors.New("not in range, nothing to end")
			}
			return i + 1, nil
		case startsWith(n, "range"):
			next, err := e.items(nodes, i, value)
			if err != nil {
				return 0, err
			}
			i = next - 1
		default:
			found, err := e.walk([]any{value}, n)
			if err != nil {
				return 0, err
			}
			if err := e.print(found); err != nil {
				return 0, err
			}
		}
	}
	return len(nodes), nil
}

// items writes what is inside of the range at nodes[at] for each value that it names, and
// returns the place behind its end. A range without an end ends with the template, and
// what is inside of it is written once more behind it, for the value around it.
func (e *evaluation) items(nodes []jsonpath.Node, at int, value any) (int, error) {
	path := nodes[at].(*jsonpath.ListNode).Nodes[1:]
	found, err := e.list([]any{value}, path)
	if err != nil {
		return 0, err
	}
	inner, ended := e, false
	if len(found) == 0 {
		found, inner = []any{nil}, &evaluation{budget: e.budget}
	}
	next := at + 1
	for _, item := range found {
		if err := e.pay(1); err != nil {
			return 0, err
		}
		place, err := inner.block(nodes, at+1, item, true)
		if err != nil {
			return 0, err
		}
		if ended = isEnd(nodes, place); ended {
			next = place
		}
	}
	if !ended {
		return at + 1, nil
	}
	return next, nil
}

// isEnd reports whether the node before a place is {end}.
func isEnd(nodes []jsonpath.Node, place int) bool {
	return startsWith(nodes[place-1], "end")
}

// walk returns the values that a node names, in each of some values.
func (e *evaluation) walk(values []any, n jsonpath.Node) ([]any, error) {
	if err := e.pay(1 + len(values)); err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *jsonpath.ListNode:
		return e.list(values, n.Nodes)
	case *jsonpath.TextNode:
		return []any{n.Text}, nil
	case *jsonpath.IntNode:
		return constant(values, n.Value), nil
	case *jsonpath.FloatNode:
		return constant(values, n.Value), nil
	case *jsonpath.BoolNode:
		return constant(values, n.Value), nil
	case *jsonpath.FieldNode:
		return field(values, n.Value)
	case *jsonpath.ArrayNode:
		return e.array(values, n)
	case *jsonpath.WildcardNode:
		return e.all(values)
	case *jsonpath.RecursiveNode:
		return e.below(nil, values)
	case *jsonpath.UnionNode:
		return e.union(values, n)
	case *jsonpath.FilterNode:
		return e.filter(values, n)
	}
	return nil, fmt.Errorf("unrecognized identifier %.64q", n.String())
}

// list walks along nodes.
func (e *evaluation) list(values []any, nodes []jsonpath.Node) ([]any, error) {
	var err error
	for _, n := range nodes {
		if values, err = e.walk(values, n); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// constant returns a value for each of some values.
func constant(values []any, is any) []any {
	all := make([]any, len(values))
	for i := range all {
		all[i] = is
	}
	return all
}

// union returns what each of some paths names, one path after the other.
func (e *evaluation) union(values []any, n *jsonpath.UnionNode) ([]any, error) {
	var all []any
	for _, path := range n.Nodes {
		found, err := e.walk(values, path)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
