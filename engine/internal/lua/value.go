// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"math"
	"reflect"

	"github.com/dragoman-io/dragoman/builtin"
)

// A value of a script is one of: nil, bool, int64, float64, string, *table,
// *function, *native, *library. The first five are those of the object.

// function is a Lua function with the variables that it closes over.
type function struct {
	*proto
	cells []*cell
}

// cell holds a local variable that outlives its block or is shared.
type cell struct{ value any }

// proto is the compiled form of a function expression.
type proto struct {
	// source is that of the chunk or module which the function stands in.
	source *Script
	name   string
	line   int
	params int
	// slots is the number of local variables, parameters included.
	slots    int
	variadic bool
	// boxed are the parameters that live in cells.
	boxed    []int
	captures []capture
	body     block
}

// native is a library function. Exactly one of one and many is set: many is for functions
// that may return other than one result.
type native struct {
	name string
	one  func(c call) any
	many func(c call) []any
	// kube is what a function of kube is bound to, nil for others.
	kube *builtin.Function
}

// library is a named set of functions that a script can read and not change.
type library struct {
	name    string
	members map[string]any
	// absent holds why functions of standard Lua are missing.
	absent map[string]string
}

// TypeName names the type for messages of functions that look at arguments in place.
func (*function) TypeName() string { return "function" }

// TypeName is that of function.
func (*native) TypeName() string { return "function" }

// TypeName names the type as kindName does.
func (*library) TypeName() string { return "library" }

// typeName names the type of v as the function type does.
func typeName(v any) string { return typeValue(v).(string) }

// typeValue returns the name of the type of v as a value of a script. It needs no memory.
func typeValue(v any) any {
	switch v.(type) {
	case nil:
		return "nil"
	case bool:
		return "boolean"
	case int64, float64:
		return "number"
	case string:
		return "string"
	case *table, *library:
		return "table"
	}
	return "function"
}

// truthy reports whether v counts as true: all but nil and false.
func truthy(v any) bool {
	if b, ok := v.(bool); ok {
		return b
	}
	return v != nil
}

// sameValue reports whether two values of a script are the same without looking
// into tables: numbers by value, tables and functions by identity.
func sameValue(a, b any) bool {
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		return ok && x == y
	case int64:
		switch y := b.(type) {
		case int64:
			return x == y
		case float64:
			return compareMixed(x, y) == 0
		}
		return false
	case float64:
		switch y := b.(type) {
		case float64:
			return x == y
		case int64:
			return compareMixed(y, x) == 0
		}
		return false
	}
	return a == b
}

// samePlain reports whether two plain values are known to be equal: scalars by
// value, maps and lists by identity.
func samePlain(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && reflect.ValueOf(x).Pointer() == reflect.ValueOf(y).Pointer()
	case []any:
		y, ok := b.([]any)
		return ok && len(x) == len(y) && reflect.ValueOf(x).Pointer() == reflect.ValueOf(y).Pointer()
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

// compareMixed orders an integer and a float exactly: -1, 0 or 1, and 2 where
// the float is not a number.
func compareMixed(i int64, f float64) int {
	switch {
	case math.IsNaN(f):
		return 2
	case f >= 1<<63:
		return -1
	case f < -(1 << 63):
		return 1
	}
	whole := math.Trunc(f)
	switch j := int64(whole); {
	case i < j:
		return -1
	case i > j:
		return 1
	case f > whole:
		return -1
	case f < whole:
		return 1
	}
	return 0
}
