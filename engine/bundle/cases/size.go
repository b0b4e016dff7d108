// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"fmt"
	"reflect"
	"sync/atomic"
)

const (
	// maxAnswer bounds an answer that is compared, in bytes of its texts as JSON escapes them and 16 for each
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

// comparisonGas is what the comparison of a value takes of TrialGas: it is written as JSON, read again, and walked.
// That of one that is too large is what finding that out took.
func comparisonGas(v any) int64 {
	left := maxAnswer
	within(reflect.ValueOf(v), &left)
	return 1 + int64(maxAnswer-max(left, 0))/bytesPerGas
}

const (
	// bytesPerGas is how many bytes of a value are compared in the time of a unit of gas, 0.5 us: a small map takes
	// up to 2.9 us for 128 bytes.
	bytesPerGas = 24
	// valuesPerGas is how many values are looked at in that time where paths are ignored in them, and stepsPerGas how
	// many steps of an expression.
	valuesPerGas, stepsPerGas = 8, 25
	// conditionGas is what a condition takes beside its evaluation.
	conditionGas = 2
)

// meter takes what the comparison of the answer to one case costs from what is left of TrialGas, before each walk
// over a value, so that the comparison ends where the trial does. A nil meter takes everything.
type meter struct {
	gas  *atomic.Int64
	left int64
}

// take takes gas, and reports whether there was enough.
func (m *meter) take(gas int64) bool {
	if m == nil {
		return true
	}
	m.gas.Add(gas)
	m.left -= gas
	return m.left >= 0
}

// unpaid is the failure of a part of a case that is not compared, since the meter of its case is empty.
func unpaid(path string) []Failure {
	return []Failure{{Path: path, Message: fmt.Sprintf("comparing it takes more gas than the %d that all cases of a bundle may take; "+
		"expect less of a smaller answer", TrialGas)}}
}

// within takes the size of a value from left, and reports whether there was enough.
func within(v reflect.Value, left *int) bool {
	if *left -= perValue; *left < 0 {
		return false
	}
	switch v.Kind() {
	case reflect.String:
		*left -= v.Len() + escapes(v.String(), *left)
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

// escapeSize is by how many bytes a character is longer that JSON writes by its number.
const escapeSize = 5

// escapes returns by how many bytes a text is longer in JSON, as far as that counts for most bytes.
func escapes(text string, most int) (size int) {
	if len(text) > most {
		return 0
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			size++
		case c < ' ' || c == '<' || c == '>' || c == '&':
			size += escapeSize
		}
	}
	return size
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
