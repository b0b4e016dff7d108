// SPDX-License-Identifier: Apache-2.0

// Package document changes JSON and YAML documents that are texts by the operations of
// RFC 6902. What an operation does not touch stays as it is written, to the byte: comments,
// the order of keys, quotes, indentation, numbers.
//
// In go a text and operations, out comes a text. The package does not know where the text
// comes from.
package document

import (
	"fmt"

	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/budget"
	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/pointer"
)

// Operator is what an operation does: add, remove or replace.
type Operator string

// The operators.
const (
	Add     Operator = "add"
	Remove  Operator = "remove"
	Replace Operator = "replace"
)

// Operation is one change of a document.
type Operation struct {
	Operator Operator
	// Path is a JSON pointer; the empty one is the whole document.
	Path string
	// Value is JSON. Remove ignores it.
	Value []byte
}

// OperationError is why an operation could not be done.
type OperationError struct {
	// Index is that of the operation.
	Index int
	Err   error
}

func (e *OperationError) Error() string { return fmt.Sprintf("operation %d: %v", e.Index, e.Err) }

func (e *OperationError) Unwrap() error { return e.Err }

// maxText bounds a document in bytes; an object of an API server has less.
const maxText = 2 << 20

// form is what reading a text of a form costs, in values of a budget.
type form struct {
	// begin is for each text, however short; for bytes of it, values are added.
	begin, values, bytes int
}

var (
	jsonForm = form{begin: 16, values: 1, bytes: 2}
	yamlForm = form{begin: 128, values: 2, bytes: 1}
)

// cost returns what reading some bytes costs.
func (f form) cost(bytes int) int { return f.begin + bytes/f.bytes*f.values }

// seek takes from the budget what looking for one of some items costs.
func seek(b *budget.Budget, items int) error { return b.Take(1 + items/16) }

// read takes from the budget what reading a text costs. It is an error if that is too much.
func (f form) read(b *budget.Budget, text string) error {
	if len(text) > maxText {
		return fmt.Errorf("the document has %d bytes; want at most %d", len(text), maxText)
	}
	if err := b.Take(f.cost(len(text))); err != nil {
		return fmt.Errorf("read a document of %d bytes once more: %w", len(text), err)
	}
	return nil
}

// request is an operation that was read.
type request struct {
	operator Operator
	path     pointer.Pointer
	value    []byte
}

// read returns the operation on a document of a form as a request.
func (o Operation) read(b *budget.Budget, f form) (request, error) {
	if err := b.Take(f.cost(len(o.Path) + len(o.Value))); err != nil {
		return request{}, err
	}
	path, err := pointer.Parse(o.Path)
	if err != nil {
		return request{}, err
	}
	r := request{operator: o.Operator, path: path}
	switch o.Operator {
	case Remove:
		if len(path) == 0 {
			return r, fmt.Errorf("%s: the whole document cannot be removed", o.Operator)
		}
	case Add, Replace:
		if r.value, err = compact(o.Value); err != nil {
			return r, fmt.Errorf("%s %s: %w", o.Operator, path, err)
		}
		if len(path) == 0 && r.value[0] != '{' && r.value[0] != '[' {
			return r, fmt.Errorf("%s: a document is a map or a list, not %s", o.Operator, r.value)
		}
	default:
		return r, fmt.Errorf("operator %q is not add, remove or replace", o.Operator)
	}
	return r, nil
}

// fail returns an error of the request at a depth of its path.
func (r request) fail(depth int, format string, args ...any) error {
	at := "the document"
	if depth > 0 {
		at = r.path[:depth].String()
	}
	return fmt.Errorf("%s %s: %s %w", r.operator, r.path, at, fmt.Errorf(format, args...))
}

// missing is the error of a key that is not there.
func (r request) missing(depth int) error {
	if depth < len(r.path)-1 && r.operator == Add {
		return r.fail(depth, "has no %q; add it first", r.path[depth])
	}
	return r.fail(depth, "has no %q", r.path[depth])
}

// last reports whether a depth is that of the last token of the path.
func (r request) last(depth int) bool { return depth == len(r.path)-1 }
