// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// maxDigits is the length of the longest text that is read as a number, with the
// white space around it.
const maxDigits = 400

// parseNumber reads a number as a script writes it, with white space around
// it. It returns an int64 where the number is whole and fits.
func parseNumber(s string) (any, bool) {
	if len(s) > maxDigits {
		return nil, false
	}
	if s = strings.Trim(s, " \t\n\r\v\f"); s == "" {
		return nil, false
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i, true
	}
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 {
		return nil, false
	}
	if strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0X") {
		u, err := strconv.ParseUint(digits[2:], 16, 64)
		if err != nil || strings.Contains(digits, "_") {
			return nil, false
		}
		if s[0] == '-' {
			return -int64(u), true
		}
		return int64(u), true
	}
	for _, c := range []byte(digits) {
		if !isDigit(c) && c != '.' && c != 'e' && c != 'E' && c != '+' && c != '-' {
			return nil, false
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return nil, false
	}
	return whole(f), true
}

// parseInteger reads an integer in a base from 2 to 36, nil where s is none.
func parseInteger(s string, base int) any {
	if len(s) > maxDigits {
		return nil
	}
	s = strings.ToLower(strings.Trim(s, " \t\n\r\v\f"))
	if base == 16 {
		s = strings.TrimPrefix(s, "0x")
	}
	if s == "" || strings.Contains(s, "_") {
		return nil
	}
	if i, err := strconv.ParseInt(s, base, 64); err == nil {
		return i
	}
	return nil
}

// number returns v as an int64 or a float64; text counts where it reads as one.
func (vm *machine) number(v any) (any, bool) {
	switch x := v.(type) {
	case int64, float64:
		return v, true
	case string:
		vm.charge(readingGas(x))
		return parseNumber(x)
	}
	return nil, false
}

const (
	// fewDigits is the length from which on reading a number takes longer with
	// each digit.
	fewDigits = 20
	// tinyGas is what reading a number near zero costs besides: it is the slowest.
	tinyGas = 100
)

// readingGas is what reading a text as a number costs.
func readingGas(s string) int64 {
	gas := int64(0)
	if len(s) > fewDigits && len(s) <= maxDigits {
		gas = int64(len(s))
	}
	if i := strings.IndexAny(s[:min(len(s), maxDigits)], "eE"); i >= 0 && strings.Contains(s[i:], "-") {
		gas += tinyGas
	}
	return gas
}

// float returns a number as a float64.
func float(v any) float64 {
	if i, ok := v.(int64); ok {
		return float64(i)
	}
	f, _ := v.(float64)
	return f
}

// exactInt is where every whole float has an int64 of the same value and back.
const exactInt = 1 << 53

// whole returns a float as an int64 where it is whole and exact, so that one
// number has one form.
func whole(f float64) any {
	if i := int64(f); f > -exactInt && f < exactInt && float64(i) == f {
		return i
	}
	return f
}

// integral returns a float as the integer that is the same table key.
func integral(f float64) (int64, bool) {
	if f >= -(1<<63) && f < 1<<63 && f == math.Trunc(f) {
		return int64(f), true
	}
	return 0, false
}

// formatFloat writes a float as C's %.14g does, and a whole one without point.
func formatFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return strconv.FormatFloat(f, 'g', 14, 64)
}

// text returns v as tostring does.
func text(v any) string {
	switch x := v.(type) {
	case nil:
		return "nil"
	case bool:
		return strconv.FormatBool(x)
	case string:
		return x
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return formatFloat(x)
	}
	return typeName(v)
}
