// SPDX-License-Identifier: Apache-2.0

// Package compat converts values for scripts of the published form to those that they
// were written for. The published control plane passes objects to its Lua through JSON
// and back: numbers become floats, nulls vanish, and empty maps and lists cannot be
// distinguished, so they are repaired from what the input had at the same place, or
// dropped. Many published scripts and their cases rely on that.
//
// The rules work at the edges, on plain values; the executor knows nothing of them. They
// follow Karmada's interpreter at f8fdd02df (lua.go, lua_convert.go). Its accidents are
// not kept: a table that occurs twice in a result is not an error here (there it is one,
// though it has no cycle: its PR #6710), and dropping two items of one list drops these
// two and no others.
package compat

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Input returns a value as such a script sees it: whole numbers rounded as a float
// rounds them, without null fields, and lists without null items, which makes the
// items after them move up. The argument is not changed.
func Input(v any) any {
	switch x := v.(type) {
	case int64:
		return number(float64(x))
	case float64:
		return number(x)
	case map[string]any:
		m := make(map[string]any, len(x))
		for k, e := range x {
			if e != nil {
				m[k] = Input(e)
			}
		}
		return m
	case []any:
		l := make([]any, 0, len(x))
		for _, e := range x {
			if e != nil {
				l = append(l, Input(e))
			}
		}
		return l
	}
	return v
}

// number returns a whole float as an integer.
func number(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) < 1<<63 {
		return int64(f)
	}
	return f
}

// maxExact is the first float beyond which not all whole numbers are floats.
const maxExact = 1 << 53

// printed returns a whole float as the integer that JSON has for it: the shortest digits
// that are this float and no other, which beyond maxExact may be another integer.
func printed(f float64) any {
	if math.Abs(f) <= maxExact {
		return number(f)
	}
	if n, err := strconv.ParseInt(strconv.FormatFloat(f, 'f', -1, 64), 10, 64); err == nil {
		return n
	}
	return f
}

// Form is what a result is read into.
type Form int

const (
	// Map is for an object or a struct: an empty result is an empty map.
	Map Form = iota
	// List is for a list: an empty result is an empty list.
	List
)

// Output repairs the empty maps and lists of a result by those of the references, which
// are the inputs that the result was made from. An empty table whose place, without
// regard to the indexes of lists, held an empty map in a reference becomes an empty map;
// else, where it held an empty list, an empty list; else it is dropped. What that leaves
// empty stays. Numbers become those that JSON has for their floats. The arguments are not
// changed.
//
// The error names a list with a hole, which the published form does not take.
func Output(v any, form Form, references ...any) (any, error) {
	if isEmpty(v) {
		if form == List {
			return []any{}, nil
		}
		return map[string]any{}, nil
	}
	seen := empties{maps: map[string]bool{}, lists: map[string]bool{}}
	for _, r := range references {
		seen.collect("", r)
	}
	return seen.mend("", v)
}

// empties are the places of empty maps and lists: field names, each after a zero byte,
// without the indexes of lists.
type empties struct{ maps, lists map[string]bool }

func (e empties) collect(path string, v any) {
	switch x := v.(type) {
	case map[string]any:
		if len(x) == 0 {
			e.maps[path] = true
		}
		for k, below := range x {
			e.collect(path+"\x00"+k, below)
		}
	case []any:
		if len(x) == 0 {
			e.lists[path] = true
		}
		for _, below := range x {
			e.collect(path, below)
		}
	}
}

// mend returns a value that is not empty with the empty ones below it repaired.
func (e empties) mend(path string, v any) (any, error) {
	switch x := v.(type) {
	case map[string]any:
		return e.mendMap(path, x)
	case []any:
		return e.mendList(path, x)
	case int64:
		return printed(float64(x)), nil
	case float64:
		return printed(x), nil
	}
	return v, nil
}

func (e empties) mendMap(path string, x map[string]any) (any, error) {
	m := make(map[string]any, len(x))
	for _, k := range slices.Sorted(maps.Keys(x)) {
		below, kept, err := e.value(path+"\x00"+k, x[k])
		if err != nil {
			return nil, err
		}
		if kept {
			m[k] = below
		}
	}
	return m, nil
}

func (e empties) mendList(path string, x []any) (any, error) {
	l := make([]any, 0, len(x))
	for i, item := range x {
		if item == nil {
			return nil, fmt.Errorf("the list result%s has no item %d but later ones", strings.ReplaceAll(path, "\x00", "."), i+1)
		}
		below, kept, err := e.value(path, item)
		if err != nil {
			return nil, err
		}
		if kept {
			l = append(l, below)
		}
	}
	return l, nil
}

// value repairs one value, and reports whether it is kept.
func (e empties) value(path string, v any) (any, bool, error) {
	switch {
	case !isEmpty(v):
		mended, err := e.mend(path, v)
		return mended, true, err
	case e.maps[path]:
		return map[string]any{}, true, nil
	case e.lists[path]:
		return []any{}, true, nil
	}
	return nil, false, nil
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
