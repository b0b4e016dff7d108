// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"encoding/json"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Result is one value of an answer.
type Result struct {
	// Name is its key in a case file.
	Name string
	// Type is what a Lua script returns for it, in the words that package builtin has
	// for types.
	Type string
	// Optional reports whether a case need not have it in its output.
	Optional bool
	// Key, where it is set, is the field by which the items of a list differ.
	Key string

	// read decodes a value into the Go type of the result, and sorted returns a list
	// in a fixed order; nil where the result is plain JSON, or no list.
	read   func(data []byte, strict bool) (any, error)
	sorted func(v any) any
}

// Typed reports whether Evaluate returns a Go type of its own for the result, whose
// values are compared by their meaning, and not plain JSON or an object.
func (r Result) Typed() bool { return r.read != nil }

// IsUnordered reports whether the result is a list whose order means nothing.
func (r Result) IsUnordered() bool { return r.sorted != nil }

// Read decodes a value of the result from JSON, in the form that Evaluate returns it;
// lists are Sorted. If strict, a field that a type does not have is an error.
func (r Result) Read(data []byte, strict bool) (any, error) {
	if r.read == nil {
		var v any
		err := utiljson.Unmarshal(data, &v)
		return v, err
	}
	v, err := r.read(data, strict)
	if err != nil {
		return nil, err
	}
	return r.Sorted(v), nil
}

// Sorted returns a value of Evaluate with its items in a fixed order, where their order
// means nothing. It does not change v.
func (r Result) Sorted(v any) any {
	if r.sorted == nil {
		return v
	}
	return r.sorted(v)
}

// typedResult returns a result of a Go type.
func typedResult[T any](name, kind string) Result {
	return Result{Name: name, Type: kind, read: readAs[T]}
}

// listResult returns a result that is a list whose order means nothing; sorted returns it
// in a fixed one. key may be "".
func listResult[T any](name, key string, sorted func(all []T) []T) Result {
	r := typedResult[[]T](name, "list of maps")
	r.Key = key
	r.sorted = func(v any) any {
		list, _ := v.([]T)
		return sorted(list)
	}
	return r
}

func readAs[T any](data []byte, strict bool) (any, error) {
	var v T
	d := json.NewDecoder(bytes.NewReader(data))
	if strict {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return v, nil
}
