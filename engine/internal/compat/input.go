// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"maps"
	"math"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Input returns a value as such a script sees it: whole numbers rounded as a float
// rounds them, without null fields, and lists without null items, which makes the
// items after them move up. It is the argument itself where that changes nothing.
//
// The argument is not changed. The error is that of m.
func Input(v any, m script.Meter) (any, error) {
	in := input{script.Tally{Meter: m}}
	out, _, err := in.value(v)
	if err == nil {
		err = in.Close()
	}
	return out, err
}

// input converts one argument.
type input struct{ script.Tally }

// value converts a value, and reports whether it is another one then.
func (in *input) value(v any) (out any, changed bool, err error) {
	switch x := v.(type) {
	case int64:
		if isExact(x) {
			return v, false, nil
		}
		out = number(float64(x))
		return out, out != v, nil
	case float64:
		if x != math.Trunc(x) {
			return v, false, nil
		}
		out = number(x)
		return out, out != v, nil
	case map[string]any:
		return in.fields(x)
	case []any:
		return in.items(x)
	}
	return v, false, nil
}

// fields converts a map. To begin to walk one takes a step of its own, for its fields are
// elsewhere in memory.
func (in *input) fields(x map[string]any) (any, bool, error) {
	if err := in.Add(2+int64(len(x)), 0); err != nil {
		return nil, false, err
	}
	var out map[string]any
	for key, e := range x {
		below, changed, err := in.value(e)
		if err != nil {
			return nil, false, err
		}
		if !changed && e != nil {
			continue
		}
		if out == nil {
			if err := in.Clone(x); err != nil {
				return nil, false, err
			}
			out = maps.Clone(x)
		}
		if err := in.Text(len(key)); err != nil {
			return nil, false, err
		}
		if e == nil {
			delete(out, key)
		} else {
			out[key] = below
		}
	}
	if out == nil {
		return x, false, nil
	}
	return out, true, nil
}

func (in *input) items(x []any) (any, bool, error) {
	if err := in.Add(1+int64(len(x)), 0); err != nil {
		return nil, false, err
	}
	var out []any
	for i, e := range x {
		below, changed, err := in.value(e)
		if err != nil {
			return nil, false, err
		}
		if out == nil && (changed || e == nil) {
			if err := in.Add(int64(len(x)), script.ListBytes(len(x))); err != nil {
				return nil, false, err
			}
			out = append(make([]any, 0, len(x)), x[:i]...)
		}
		if out != nil && e != nil {
			out = append(out, below)
		}
	}
	if out == nil {
		return x, false, nil
	}
	return out, true, nil
}
