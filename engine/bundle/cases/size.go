// SPDX-License-Identifier: Apache-2.0

package cases

import "reflect"

const (
	// maxAnswer bounds an answer that is compared, in bytes of its texts and 16 for each
	// value. Parts that it has several times count each time, as JSON writes them.
	maxAnswer = 4 << 20
	// tooLarge stands for an answer beyond that.
	tooLarge = "an answer of more than 4194304 bytes, which is not compared"
	// perValue is what a value counts for, beside its text.
	perValue = 16
)

// fits reports whether a value is small enough to be written as JSON and compared.
func fits(v any) bool {
	left := maxAnswer
	return within(reflect.ValueOf(v), &left)
}

// comparisonGas is what the comparison of an answer takes of TrialGas: it is written as JSON and
// read again.
func comparisonGas(answer []any) int64 {
	left := maxAnswer
	for _, v := range answer {
		if !within(reflect.ValueOf(v), &left) {
			break
		}
	}
	return int64(maxAnswer-max(left, 0)) / bytesPerGas
}

// bytesPerGas is how many bytes of an answer are compared in the time of a unit of gas.
const bytesPerGas = 128

// within takes the size of a value from left, and reports whether there was enough.
func within(v reflect.Value, left *int) bool {
	if *left -= perValue; *left < 0 {
		return false
	}
	switch v.Kind() {
	case reflect.String:
		*left -= v.Len()
		return *left >= 0
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || within(v.Elem(), left)
	case reflect.Struct:
		return fieldsWithin(v, left)
	case reflect.Slice, reflect.Array:
		return listWithin(v, left)
	case reflect.Map:
		return mapWithin(v, left)
	}
	return true
}

func fieldsWithin(v reflect.Value, left *int) bool {
	for i := range v.NumField() {
		if !within(v.Field(i), left) {
			return false
		}
	}
	return true
}

func listWithin(v reflect.Value, left *int) bool {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		*left -= v.Len()
		return *left >= 0
	}
	for i := range v.Len() {
		if !within(v.Index(i), left) {
			return false
		}
	}
	return true
}

func mapWithin(v reflect.Value, left *int) bool {
	for entries := v.MapRange(); entries.Next(); {
		if !within(entries.Key(), left) || !within(entries.Value(), left) {
			return false
		}
	}
	return true
}
