// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"iter"
	"reflect"
	"strings"
)

// Scripts ranges over the scripts by the JSON names of their fields, in the order of
// the struct. A field that is not set has a nil script.
//
// It is the one list of the fields: whatever looks at each of them ranges over it.
func (r *CustomizationRules) Scripts() iter.Seq2[string, *Script] {
	return func(yield func(string, *Script) bool) {
		value := reflect.ValueOf(r).Elem()
		for i := range value.NumField() {
			name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
			if !yield(name, value.Field(i).Interface().(*Script)) {
				return
			}
		}
	}
}
