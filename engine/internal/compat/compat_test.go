// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type (
	m = map[string]any
	l = []any
)

// free is a meter without limits.
type free struct{}

func (free) Pay(_, _ int64) error { return nil }

func TestInput(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		in     any
		want   any
	}{
		"WholeNumber":   {"what a float holds exactly stays", int64(42), int64(42)},
		"LargeNumber":   {"a float has 53 bits", int64(9007199254740993), int64(9007199254740992)},
		"WholeFloat":    {"a whole float prints as an integer", 4.0, int64(4)},
		"Fraction":      {"others stay floats", 0.5, 0.5},
		"HugeFloat":     {"beyond an integer it stays a float", 1e20, 1e20},
		"NullField":     {"a null field vanishes", m{"a": nil, "b": int64(1)}, m{"b": int64(1)}},
		"NullItem":      {"a null item vanishes and the others move up", l{int64(1), nil, int64(3)}, l{int64(1), int64(3)}},
		"EmptyStay":     {"empty maps and lists stay on the way in", m{"a": m{}, "b": l{}}, m{"a": m{}, "b": l{}}},
		"OnlyNullField": {"what that leaves empty stays", m{"metadata": m{"creationTimestamp": nil}}, m{"metadata": m{}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Input(tc.in, free{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOutput(t *testing.T) {
	for name, tc := range map[string]struct {
		reason     string
		in         any
		form       Form
		references []any
		want       any
	}{
		"EmptyMap":       {"an empty result for an object is a map", l{}, Map, nil, m{}},
		"EmptyList":      {"an empty result for a list is a list", m{}, List, nil, l{}},
		"NoReference":    {"without references every nested empty one is dropped", m{"a": m{}, "b": l{}, "c": int64(1)}, Map, nil, m{"c": int64(1)}},
		"OnePass":        {"what dropping leaves empty stays", m{"exclude": m{"resources": m{}}}, Map, nil, m{"exclude": m{}}},
		"ReferenceMap":   {"it was a map there", m{"a": l{}}, Map, []any{m{"a": m{}}}, m{"a": m{}}},
		"ReferenceList":  {"it was a list there", m{"a": m{}}, Map, []any{m{"a": l{}}}, m{"a": l{}}},
		"MapWins":        {"where it was both, the map wins", m{"a": l{m{}, l{}}}, Map, []any{m{"a": l{l{}, m{}}}}, m{"a": l{m{}, m{}}}},
		"IndexLess":      {"the place has no index", m{"rules": l{m{"x": l{}}, m{"x": l{}}}}, Map, []any{m{"rules": l{m{"x": m{}}}}}, m{"rules": l{m{"x": m{}}, m{"x": m{}}}}},
		"ItemOfList":     {"an empty item has the place of its list", m{"x": l{}}, Map, []any{m{"x": l{m{}}}}, m{"x": m{}}},
		"CopiedElse":     {"a copy at another place is dropped", m{"b": m{}, "c": int64(1)}, Map, []any{m{"a": m{}}}, m{"c": int64(1)}},
		"SecondRefers":   {"any reference counts", m{"a": l{}}, Map, []any{m{}, m{"a": l{}}}, m{"a": l{}}},
		"DroppedItems":   {"two items of one list are dropped, and no others", m{"l": l{m{}, m{"a": int64(1)}, m{}, m{"b": int64(2)}}}, Map, nil, m{"l": l{m{"a": int64(1)}, m{"b": int64(2)}}}},
		"KeyWithDot":     {"a dot in a key is no path", m{"a.b": m{}, "c": int64(1)}, Map, []any{m{"a": m{"b": m{}}}}, m{"c": int64(1)}},
		"LargeNumber":    {"numbers come out as floats round them", m{"n": int64(9007199254740993)}, Map, nil, m{"n": int64(9007199254740992)}},
		"Untouched":      {"what rounds to the answer is meant", m{"n": float64(1764300000123456789)}, Map, []any{m{"n": int64(1764300000123456789)}}, m{"n": int64(1764300000123456789)}},
		"UntouchedMax":   {"also the largest", m{"n": float64(1 << 63), "l": float64(-1 << 63)}, Map, []any{m{"n": int64(math.MaxInt64), "l": int64(math.MinInt64 + 1)}}, m{"n": int64(math.MaxInt64), "l": int64(math.MinInt64 + 1)}},
		"Changed":        {"what the script set is what it set", m{"n": float64(1764300000123456789) + 512}, Map, []any{m{"n": int64(1764300000123456789)}}, m{"n": int64(1764300000123457300)}},
		"Elsewhere":      {"another place is another number", m{"a": float64(1764300000123456789)}, Map, []any{m{"n": int64(1764300000123456789)}}, m{"a": int64(1764300000123456800)}},
		"FirstDigits":    {"the first reference counts", m{"n": float64(1764300000123456789)}, Map, []any{m{"n": int64(1764300000123456789)}, m{"n": int64(1764300000123456790)}}, m{"n": int64(1764300000123456789)}},
		"SecondDigits":   {"or the one that has it", m{"n": float64(1764300000123456789)}, Map, []any{m{"n": int64(5)}, m{"n": int64(1764300000123456790)}}, m{"n": int64(1764300000123456790)}},
		"SameIndex":      {"items are told apart by their indexes", m{"l": l{float64(1764300000123456789), float64(1764300000123456790)}}, Map, []any{m{"l": l{int64(1764300000123456789), int64(1764300000123456790)}}}, m{"l": l{int64(1764300000123456789), int64(1764300000123456790)}}},
		"MovedItem":      {"or else by their numbers", m{"l": l{int64(1), m{"n": float64(1764300000123456789)}}}, Map, []any{m{"l": l{m{"n": int64(1764300000123456789)}}}}, m{"l": l{int64(1), m{"n": int64(1764300000123456789)}}}},
		"DigitsOfList":   {"a list has them too", l{float64(1764300000123456789)}, List, []any{l{int64(1764300000123456789)}}, l{int64(1764300000123456789)}},
		"PrintedNumber":  {"beyond 2^53 a float is its shortest digits", m{"n": int64(1) << 62, "f": float64(1 << 62)}, Map, nil, m{"n": int64(4611686018427388000), "f": int64(4611686018427388000)}},
		"HugeNumber":     {"what no integer holds stays a float", m{"n": int64(math.MaxInt64), "f": 1e20}, Map, nil, m{"n": float64(1 << 63), "f": 1e20}},
		"WholeFloat":     {"a whole float is an integer", m{"n": 2.0, "half": 0.5}, Map, nil, m{"n": int64(2), "half": 0.5}},
		"NullReference":  {"what only nulls made empty is no reference", m{"metadata": m{}, "c": int64(1)}, Map, []any{m{"metadata": m{"creationTimestamp": nil}}}, m{"c": int64(1)}},
		"KeyWithColon":   {"a colon in a key stays", m{"a:b": m{}, "a.b": l{}}, Map, []any{m{"a:b": m{}, "a.b": l{}}}, m{"a:b": m{}, "a.b": l{}}},
		"EmptiedItems":   {"a list whose items are dropped is not examined again", m{"a": l{m{}, m{}}, "c": int64(1)}, Map, nil, m{"a": l{}, "c": int64(1)}},
		"ListEmptyItems": {"a list of empty ones becomes an empty list", l{m{}, m{}}, List, nil, l{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Output(tc.in, tc.form, free{}, tc.references...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOutputRefusesAHole(t *testing.T) {
	_, err := Output(m{"spec": m{"list": l{int64(1), nil, int64(3)}}}, Map, free{})
	if want := "the list result.spec.list has no item 2 but later ones"; err == nil || err.Error() != want {
		t.Errorf("got error %v; want %q", err, want)
	}
}

func TestNothingIsChanged(t *testing.T) {
	in := m{"a": l{nil, m{}}, "b": nil}
	if _, err := Input(in, free{}); err != nil {
		t.Fatal(err)
	}
	if _, err := Output(in, Map, free{}, m{"b": nil, "a": l{nil}}); err == nil {
		t.Error("a list with a hole returned no error")
	}
	if diff := cmp.Diff(m{"a": l{nil, m{}}, "b": nil}, in); diff != "" {
		t.Errorf("the argument was changed (-want +got):\n%s", diff)
	}
}
