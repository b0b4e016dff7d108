// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"errors"
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
	for key, value := range quantities(n.Value, false) {
		if text, ok := value.(string); ok && !readable(text) {
			return n.Errorf("%s of %s: the quantity %q is out of range", key, requestField, text)
		}
	}
	return nil
}

// quantities iterates over the entries of all resourceRequest in a value, in which case of
// letters does not count, as JSON reads them.
func quantities(v any, request bool) func(yield func(string, any) bool) {
	return func(yield func(string, any) bool) { eachQuantity(v, request, yield) }
}

func eachQuantity(v any, request bool, yield func(string, any) bool) bool {
	switch x := v.(type) {
	case map[string]any:
		for key, value := range x {
			if request && !yield(key, value) || !eachQuantity(value, strings.EqualFold(key, requestField), yield) {
				return false
			}
		}
	case []any:
		for _, value := range x {
			if !eachQuantity(value, false, yield) {
				return false
			}
		}
	}
	return true
}
