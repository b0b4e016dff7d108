// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMergePatch(t *testing.T) {
	type object = map[string]any
	kept := object{"x": int64(1)}
	tests := map[string]struct {
		target, patch, want object
		entries             int64
	}{
		"nothing":              {nil, nil, object{}, 0},
		"into nothing":         {nil, object{"a": int64(1)}, object{"a": int64(1)}, 1},
		"key by key":           {object{"a": object{"b": int64(1), "c": int64(2)}}, object{"a": object{"b": int64(3)}}, object{"a": object{"b": int64(3), "c": int64(2)}}, 5},
		"null deletes":         {object{"a": int64(1), "b": int64(2)}, object{"a": nil}, object{"b": int64(2)}, 3},
		"null below nothing":   {object{}, object{"a": object{"b": nil}}, object{"a": object{}}, 2},
		"a map for a number":   {object{"a": int64(1)}, object{"a": object{"b": int64(2)}}, object{"a": object{"b": int64(2)}}, 3},
		"a list is replaced":   {object{"a": []any{int64(1), int64(2)}}, object{"a": []any{nil}}, object{"a": []any{nil}}, 2},
		"an empty map changes": {object{"a": int64(1)}, object{"a": object{}}, object{"a": object{}}, 2},
	}
	for name, tc := range tests {
		var paid total
		got := MergePatch(tc.target, tc.patch, &paid)
		if diff := cmp.Diff(tc.want, got); diff != "" || paid.gas != tc.entries {
			t.Errorf("%s: %d entries, want %d (-want +got):\n%s", name, paid.gas, tc.entries, diff)
		}
	}
	target := object{"kept": kept, "changed": object{"y": int64(1)}}
	got := MergePatch(target, object{"changed": object{"y": int64(2)}}, &total{})
	if !same(got["kept"], kept) || target["changed"].(object)["y"] != int64(1) {
		t.Errorf("got %v of %v; want what the patch does not touch shared, and the target as it was", got, target)
	}
	if got := MergePatch(target, nil, &total{}); !same(got, target) {
		t.Error("an empty patch does not return the target itself")
	}
}

// same reports whether a and b are one map.
func same(a, b any) bool { return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() }
