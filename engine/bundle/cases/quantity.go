// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

const (
	// maxQuantity and maxExponent bound a quantity before it is parsed: the parser writes
	// out 10 to the exponent.
	maxQuantity = 350
	maxExponent = 300
)

var errQuantity = errors.New("a quantity out of range")

// quantity reads a quantity of bounded cost.
func quantity(text string) (resource.Quantity, error) {
	if !readable(text) {
		return resource.Quantity{}, errQuantity
	}
	return resource.ParseQuantity(text)
}

// readable reports whether a quantity is short enough to be parsed.
func readable(text string) bool {
	return len(text) <= maxQuantity && builtin.Exponent(text) <= maxExponent
}

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
			if text, isText := x[key].(string); request && isText && !readable(text) {
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
