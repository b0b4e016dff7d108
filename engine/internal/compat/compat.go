// SPDX-License-Identifier: Apache-2.0

// Package compat converts values for scripts of the published form to those that they
// were written for. The published control plane passes objects to its Lua through JSON
// and back: numbers become floats, nulls vanish, and empty maps and lists cannot be
// distinguished, so they are repaired from what the input had at the same place, or
// dropped. Many published scripts and their cases rely on that. So are whole numbers that
// floats do not hold, which no script of that form can tell apart.
//
// The rules work at the edges, on plain values; the executor knows nothing of them. They
// follow Karmada's interpreter at f8fdd02df (lua.go, lua_convert.go). Its accidents are
// not kept: a number that a script does not touch keeps its digits, a table that occurs twice in a result is not an error here (there it is one,
// though it has no cycle: its PR #6710), and dropping two items of one list drops these
// two and no others.
//
// Values are copied on write: what the rules do not change comes back as it is, and of
// what they do change only the maps and lists on the way to a change are copied. Each
// walk is paid for before it is made.
package compat

import (
	"math"
	"strconv"
)

// number returns a whole float as an integer.
func number(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) < 1<<63 {
		return int64(f)
	}
	return f
}

// maxExact is the first float beyond which not all whole numbers are floats.
const maxExact = 1 << 53

// isExact reports whether an integer is a float too.
func isExact(n int64) bool { return n >= -maxExact && n <= maxExact }

// printed returns a whole float as the integer that JSON has for it: the shortest digits
// that are this float and no other, which beyond maxExact may be another integer.
func printed(f float64) any {
	switch size := math.Abs(f); {
	case size <= maxExact:
		return number(f)
	case size > 1<<63:
		return f
	}
	if n, err := strconv.ParseInt(strconv.FormatFloat(f, 'f', -1, 64), 10, 64); err == nil {
		return n
	}
	return f
}

// isEmpty reports whether v is an empty map or list.
func isEmpty(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		return len(x) == 0
	case []any:
		return len(x) == 0
	}
	return false
}
