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
	if n, ok := parseDigits(s); ok {
		return n, true
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
		n := parseInteger(digits[2:], 16)
		if n != nil && s[0] == '-' {
			n = negate(n)
		}
		return n, n != nil
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

// parseDigits reads a number of few digits and nothing else, the most frequent form.
func parseDigits(s string) (n int64, ok bool) {
	if s == "" || len(s) > sureDigits {
		return 0, false
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return 0, false
		}
		n = 10*n + int64(s[i]-'0')
	}
	return n, true
}

// sureDigits is how many digits an int64 holds in any case.
const sureDigits = 18

// parseInteger reads the digits of an integer in a base from 2 to 36: an int64 where it
// fits, else a float64; nil where s is no such digits.
func parseInteger(s string, base int) any {
	if s == "" || strings.ContainsAny(s, "_+-") {
		return nil
	}
	i, err := strconv.ParseInt(s, base, 64)
	switch {
	case err == nil:
		return i
	case !errors.Is(err, strconv.ErrRange):
		return nil
	}
	f := 0.0
	for _, c := range []byte(s) {
		f = f*float64(base) + digit(c)
	}
	return f
}

// digit returns the value of a digit.
func digit(c byte) float64 {
	if isDigit(c) {
		return float64(c - '0')
	}
	return float64(c|0x20-'a') + 10
}

// parseBase reads an integer with white space, a sign, and in base 16 a prefix around
// it, as tonumber does in a base other than 10; nil where s is none.
func parseBase(s string, base int) any {
	if len(s) > maxDigits {
		return nil
	}
	s = strings.Trim(s, " \t\n\r\v\f")
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	if base == 16 && (strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X")) {
		s = s[2:]
	}
	n := parseInteger(s, base)
	if n != nil && negative {
		n = negate(n)
	}
	return n
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
	// extremeGas is what reading a number near zero, or near the largest, costs besides:
	// they are the slowest.
	extremeGas = 250
)

// isExtreme reports whether an exponent is negative or has three digits.
func isExtreme(exponent string) bool {
	return strings.Contains(exponent, "-") || len(strings.TrimPrefix(exponent, "+")) >= 3
}

// readingGas is what reading a text as a number costs.
func readingGas(s string) int64 {
	gas := int64(0)
	switch {
	case len(s) > maxDigits:
		return 0
	case len(s) > fewDigits:
		gas = int64(len(s))
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 && isExtreme(s[i+1:]) {
		gas += extremeGas
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
