// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// requestField is the field of a result whose values are quantities.
const requestField = "resourceRequest"

// checkQuantities returns an error for a quantity of an expected value that is too large
// to be parsed.
func checkQuantities(n yamldoc.Node) error {
	if key, text, found := unreadable(n.Value, false); found {
		return n.Errorf("%s of %s: the quantity %q is out of range", key, requestField, text)
	}
	return nil
}

// unreadable returns the first quantity of a value that is too large to be parsed. request
// reports whether the value is that of requestField, in which case of letters does not
// count, as JSON reads it.
func unreadable(v any, request bool) (key, text string, found bool) {
	switch x := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			if text, isText := x[key].(string); request && isText && !builtin.BoundedQuantity(text) {
				return key, text, true
			}
			if key, text, found = unreadable(x[key], strings.EqualFold(key, requestField)); found {
				return key, text, true
			}
		}
	case []any:
		for _, item := range x {
			if key, text, found = unreadable(item, false); found {
				return key, text, true
			}
		}
	}
	return "", "", false
}
