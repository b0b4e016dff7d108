// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// seeds are values with all that the rules treat in a way of their own.
var seeds = []string{
	`{"a": null, "b": [null, 1, {"c": null}], "d": {}, "e": []}`, `[[], {}]`, `{"x": [{}], "y": {"z": []}}`, `9007199254740993`, `[9223372036854775807, -9223372036854775808, 1e300, 0.1]`,
	`{"a|b": {}, "a\\b": {}, "a.b": [], "": {"": {}}}`, `{}`, `[]`, `null`, `"x"`, `{"a": {"b": {"c": {}}}, "d": [[[[]]]]}`,
}

// decode reads JSON as a plain value; whole numbers are int64.
func decode(text string) (any, bool) {
	var v any
	err := utiljson.Unmarshal([]byte(text), &v)
	return v, err == nil
}

// FuzzInput converts arbitrary values: the result has no nulls, is what JSON makes of it
// by way of floats, and stays the same when converted again.
func FuzzInput(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, ok := decode(text)
		if !ok || v == nil {
			return
		}
		before, _ := decode(text)
		got, err := Input(v, free{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the argument changed", before, v)
		again, _ := Input(got, free{})
		same(t, "given again it differs", got, again)
		same(t, "it is not that of the published form", plainInput(v), got)
		same(t, "the scalars differ", leaves("", v, nil), leaves("", got, nil))
		if hasNull(got) {
			t.Fatalf("%s still has a null", text)
		}
	})
}

// FuzzOutput mends arbitrary results by arbitrary references: no scalar is lost, and an
// empty one that stays has its like in a reference.
func FuzzOutput(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, seeds[(i+3)%len(seeds)], i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, text, reference string, list bool) {
		v, ok := decode(text)
		r, ok2 := decode(reference)
		if !ok || !ok2 {
			return
		}
		v, form := plainInput(v), Map
		if list {
			form = List
		}
		before := plainInput(v)
		got, err := Output(v, form, free{}, r)
		if err != nil {
			t.Fatalf("a value without nulls is the error %v", err)
		}
		same(t, "the argument changed", before, v)
		same(t, "the scalars differ", leaves("", v, nil), leaves("", got, nil))
		want, _ := plainOutput(v, form, r)
		same(t, "it is not that of the published form", want, got)
		again, _ := Output(v, form, free{}, r, r)
		same(t, "a reference that is given twice makes a difference", got, again)
		if _, err := json.Marshal(got); err != nil {
			t.Fatalf("the result does not encode: %v", err)
		}
	})
}

// same fails with message where want and got differ. They are compared before they are
// shown: cmp takes exponential time for lists in lists.
func same(t *testing.T, message string, want, got any) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("%s (-want +got):\n%s", message, cmp.Diff(want, got))
	}
}

// leaves appends the scalars of a value, each with its place without indexes, sorted.
func leaves(path string, v any, all []string) []string {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			all = leaves(path+"\x00"+k, e, all)
		}
	case []any:
		for _, e := range x {
			all = leaves(path, e, all)
		}
	case nil:
	default:
		all = append(all, fmt.Sprintf("%s=%v", path, plainInput(v)))
	}
	slices.Sort(all)
	return all
}

// hasNull reports whether a map or list below v has a null.
func hasNull(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		for _, e := range x {
			if e == nil || hasNull(e) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(x, func(e any) bool { return e == nil || hasNull(e) })
	}
	return false
}
