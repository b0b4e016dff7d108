// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"math"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Form is what a result is read into.
type Form int

const (
	// Map is for an object or a struct: an empty result is an empty map.
	Map Form = iota
	// List is for a list: an empty result is an empty list.
	List
)

// empty returns the empty value of a form.
func (f Form) empty() any {
	if f == List {
		return []any{}
	}
	return map[string]any{}
}

// Output repairs the empty maps and lists of a result by those of the references, which
// are the inputs that the result was made from. An empty table whose place, without
// regard to the indexes of lists, held an empty map in a reference becomes an empty map;
// else, where it held an empty list, an empty list; else it is dropped. What that leaves
// empty stays. Numbers become those that JSON has for their floats; one that no float holds
// becomes that of a reference at its place, if that rounds to the same float: the script did not
// touch it, or could not tell it from the answer. The place of an item is that of its index, or
// else that of any. The result is v itself where that changes nothing; the arguments are not
// changed.
//
// The error is that of the meter, or a Result error that names a list with a hole, which the
// published form does not take.
func Output(v any, form Form, meter script.Meter, references ...any) (any, error) {
	if isEmpty(v) {
		return form.empty(), nil
	}
	tally := &script.Tally{Meter: meter}
	out, err := output(v, tally, references)
	if err == nil {
		err = tally.Close()
	}
	return out, err
}

// output repairs a result that is not empty.
func output(v any, tally *script.Tally, references []any) (any, error) {
	found := survey{Tally: tally}
	if err := found.value(v); err != nil {
		return nil, err
	}
	if found.holes {
		return nil, holeError(v, tally)
	}
	if !found.empties && !found.numbers {
		return v, nil
	}
	var places *place
	if found.empties {
		var err error
		if places, err = placesOf(v, references, tally); err != nil {
			return nil, err
		}
	}
	m := mender{Tally: tally, numbers: found.numbers}
	mended, _, err := m.value(v, places)
	if err != nil || !found.inexact {
		return mended, err
	}
	d, err := digitsOf(references, tally)
	if err != nil || d == nil {
		return mended, err
	}
	mended, _, err = d.restored(mended, spot{})
	return mended, err
}

// survey looks for what a result has to be mended for.
type survey struct {
	*script.Tally
	empties, numbers, holes bool
	// inexact reports whether there are whole numbers beyond those that floats hold all of.
	inexact bool
}

func (s *survey) value(v any) error {
	switch x := v.(type) {
	case map[string]any:
		return s.fields(x)
	case []any:
		return s.items(x)
	case int64:
		if !isExact(x) {
			s.numbers, s.inexact = true, true
		}
	case float64:
		if x == math.Trunc(x) {
			s.numbers, s.inexact = true, s.inexact || math.Abs(x) > maxExact
		}
	}
	return nil
}

func (s *survey) fields(x map[string]any) error {
	s.empties = s.empties || len(x) == 0
	if err := s.Add(1+int64(len(x)), 0); err != nil {
		return err
	}
	for _, e := range x {
		if err := s.value(e); err != nil {
			return err
		}
	}
	return nil
}

func (s *survey) items(x []any) error {
	s.empties = s.empties || len(x) == 0
	if err := s.Add(1+int64(len(x)), 0); err != nil {
		return err
	}
	for _, e := range x {
		s.holes = s.holes || e == nil
		if err := s.value(e); err != nil {
			return err
		}
	}
	return nil
}
