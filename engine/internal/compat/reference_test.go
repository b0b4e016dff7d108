// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// What follows is the published form in the most direct way: everything is copied, and a
// place is the text of its keys. Input and Output must agree with it.

func plainInput(v any) any {
	switch x := v.(type) {
	case int64:
		return number(float64(x))
	case float64:
		return number(x)
	case map[string]any:
		m := make(map[string]any, len(x))
		for k, e := range x {
			if e != nil {
				m[k] = plainInput(e)
			}
		}
		return m
	case []any:
		l := make([]any, 0, len(x))
		for _, e := range x {
			if e != nil {
				l = append(l, plainInput(e))
			}
		}
		return l
	}
	return v
}

func plainOutput(v any, form Form, references ...any) (any, error) {
	if isEmpty(v) {
		return form.empty(), nil
	}
	seen := empties{maps: map[string]bool{}, lists: map[string]bool{}}
	for _, r := range references {
		seen.collect("", r)
	}
	mended, err := seen.mend("", v)
	if err != nil {
		return nil, err
	}
	return withDigits(mended, nil, func(path []string, f float64) any { return digitsAt(path, f, references) }), nil
}

// withDigits replaces each large number by what of returns for its path, in which the indexes of
// lists are after a #; nil keeps it.
func withDigits(v any, path []string, of func([]string, float64) any) any {
	found := any(nil)
	switch x := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(x))
		for k, e := range x {
			m[k] = withDigits(e, append(slices.Clone(path), "."+k), of)
		}
		return m
	case []any:
		l := make([]any, len(x))
		for i, e := range x {
			l[i] = withDigits(e, append(slices.Clone(path), fmt.Sprint("#", i)), of)
		}
		return l
	case int64:
		if !isExact(x) {
			found = of(path, float64(x))
		}
	case float64:
		if math.Abs(x) > maxExact {
			found = of(path, x)
		}
	}
	if found != nil {
		return found
	}
	return v
}

// digitsAt returns the first number of the references that rounds to a float: of those at the
// path, and then of those at the path without indexes.
func digitsAt(path []string, f float64, references []any) any {
	for _, indexes := range []bool{true, false} {
		for _, r := range references {
			var found any
			walk(r, nil, func(at []string, n int64) {
				if found == nil && !isExact(n) && float64(n) == f && samePath(path, at, indexes) {
					found = n
				}
			})
			if found != nil {
				return found
			}
		}
	}
	return nil
}

func walk(v any, path []string, visit func([]string, int64)) {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			walk(e, append(slices.Clone(path), "."+k), visit)
		}
	case []any:
		for i, e := range x {
			walk(e, append(slices.Clone(path), fmt.Sprint("#", i)), visit)
		}
	case int64:
		visit(path, x)
	}
}

func samePath(a, b []string, indexes bool) bool {
	if !indexes {
		isIndex := func(s string) bool { return s[0] == '#' }
		a, b = slices.DeleteFunc(slices.Clone(a), isIndex), slices.DeleteFunc(slices.Clone(b), isIndex)
	}
	return slices.Equal(a, b)
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
