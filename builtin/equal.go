// SPDX-License-Identifier: Apache-2.0

package builtin

// equal reports whether two plain values are equal.
func equal(a, b any) bool {
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
	for key, e := range x {
		other, ok := y[key]
		if !ok || !equal(e, other) {
			return false
		}
	}
	return true
}

func equalItems(x, y []any) bool {
	for i, e := range x {
		if !equal(e, y[i]) {
			return false
		}
	}
	return true
}
