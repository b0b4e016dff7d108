// SPDX-License-Identifier: Apache-2.0

package builtin

import "reflect"

// Equal reports whether two plain values are equal.
func Equal(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && len(x) == len(y) && equalFields(x, y)
	case []any:
		y, ok := b.([]any)
		return ok && len(x) == len(y) && equalItems(x, y)
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

func equalFields(x, y map[string]any) bool {
	if reflect.ValueOf(x).Pointer() == reflect.ValueOf(y).Pointer() {
		return true
	}
	for key, e := range x {
		other, ok := y[key]
		if !ok || !Equal(e, other) {
			return false
		}
	}
	return true
}

func equalItems(x, y []any) bool {
	for i, e := range x {
		if !Equal(e, y[i]) {
			return false
		}
	}
	return true
}
