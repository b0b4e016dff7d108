// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// directive is one % of a format.
type directive struct {
	flags string
	width int
	// precision is -1 where there is none.
	precision int
	verb      byte
}

// freeDirectives is how many directives of a format are in the price of the call.
const freeDirectives = 4

// stringFormat is string.format with the directives of C that Lua 5.1 has.
// Width and precision have at most two digits.
func stringFormat(c call) any {
	format := c.text(0)
	out := c.vm.builder()
	next, directives := 1, 0
	for format != "" {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			i = len(format)
		}
		out.write(format[:i])
		format = format[i:]
		if directives++; directives > freeDirectives {
			c.vm.charge(1)
		}
		if strings.HasPrefix(format, "%%") {
			out.write("%")
			format = format[2:]
			continue
		}
		if format == "" {
			break
		}
		var d directive
		d, format = c.directive(format[1:])
		if directives > freeDirectives && strings.IndexByte("eEfgG", d.verb) >= 0 {
			c.vm.charge(1)
		}
		out.write(d.pad(c.directed(d, next)))
		next++
	}
	return out.string()
}

// directive reads a directive after its %, and returns the rest of the format.
func (c call) directive(s string) (directive, string) {
	d := directive{precision: -1}
	n := 0
	for n < len(s) && strings.IndexByte("-+ #0", s[n]) >= 0 {
		n++
	}
	if n > 5 {
		c.fail("invalid format (repeated flags)")
	}
	d.flags, s = s[:n], s[n:]
	d.width, s = c.digits(s)
	if strings.HasPrefix(s, ".") {
		d.precision, s = c.digits(s[1:])
	}
	if s == "" {
		c.fail("invalid format: it ends in the middle of a directive")
	}
	d.verb = s[0]
	return d, s[1:]
}

// digits reads at most two digits.
func (c call) digits(s string) (int, string) {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n > 2 {
		c.fail("invalid format (width or precision too long)")
	}
	v, _ := strconv.Atoi(s[:n])
	return v, s[n:]
}

// directed formats argument i without padding to the width.
func (c call) directed(d directive, i int) string {
	switch d.verb {
	case 'd', 'i':
		return d.decimal(c.integer64(i))
	case 'u':
		return d.digits(strconv.FormatUint(uint64(c.integer64(i)), 10))
	case 'x', 'X', 'o':
		return d.unsigned(uint64(c.integer64(i)))
	case 'c':
		return string([]byte{byte(c.integer(i))})
	case 'e', 'E', 'f', 'g', 'G':
		f := c.float(i)
		c.vm.charge(d.realGas(f))
		return d.real(f)
	case 's':
		if i >= len(c.args) {
			c.expected(i, "string")
		}
		s := text(c.args[i])
		if d.precision >= 0 && d.precision < len(s) {
			s = s[:d.precision]
		}
		return s
	case 'q':
		s := c.text(i)
		c.vm.allocateText(int64(len(s)) * 2)
		return quote(s)
	}
	c.fail("invalid option '%%%c' to 'format'", d.verb)
	return ""
}

// integer64 reads a number of the whole range of int64.
func (c call) integer64(i int) int64 {
	n := c.number(i)
	if i, ok := n.(int64); ok {
		return i
	}
	switch f := float(n); {
	case f >= 1<<63:
		return math.MaxInt64
	case f < -(1 << 63):
		return math.MinInt64
	case f != f:
		return 0
	default:
		return int64(f)
	}
}

func (d directive) has(flag byte) bool { return strings.IndexByte(d.flags, flag) >= 0 }

// decimal formats a signed integer.
func (d directive) decimal(n int64) string {
	s := d.digits(strings.TrimPrefix(strconv.FormatInt(n, 10), "-"))
	switch {
	case n < 0:
		return "-" + s
	case d.has('+'):
		return "+" + s
	case d.has(' '):
		return " " + s
	}
	return s
}

// digits puts zeros before s up to the precision. Zero has no digit where that is 0.
func (d directive) digits(s string) string {
	if d.precision == 0 && s == "0" {
		return ""
	}
	if n := d.precision - len(s); n > 0 {
		return strings.Repeat("0", n) + s
	}
	return s
}

// unsigned formats an integer in base 8 or 16.
func (d directive) unsigned(n uint64) string {
	base, prefix := 16, "0x"
	if d.verb == 'o' {
		base, prefix = 8, "0"
	}
	s := d.digits(strconv.FormatUint(n, base))
	if d.has('#') && (d.verb == 'o' && !strings.HasPrefix(s, "0") || d.verb != 'o' && n != 0) {
		s = prefix + s
	}
	if d.verb == 'X' {
		s = strings.ToUpper(s)
	}
	return s
}

// fastDigits is how many digits of a float are computed at once. More take long
// arithmetic, whose steps grow with the exponent.
const fastDigits = 18

// realGas is what the digits of a float cost besides.
func (d directive) realGas(f float64) int64 {
	if d.precision < 0 && d.verb != 'f' {
		return 0
	}
	_, exponent := math.Frexp(f)
	digits := d.precision + 1
	if d.precision < 0 {
		digits = 7
	}
	if d.verb == 'f' {
		digits += exponent * 3 / 10
	}
	if digits <= fastDigits {
		return 0
	}
	return int64(max(exponent, -exponent)) / 4
}

// real formats a float as C does.
func (d directive) real(f float64) string {
	precision := d.precision
	if precision < 0 {
		precision = 6
	}
	if math.IsInf(f, 0) || math.IsNaN(f) {
		s := strings.ToLower(strings.TrimPrefix(fmt.Sprint(f), "+"))
		if d.has('+') && f > 0 {
			s = "+" + s
		}
		return s
	}
	if precision == 0 && (d.verb == 'g' || d.verb == 'G') {
		precision = 1
	}
	verb := "%"
	for _, flag := range "+ #" {
		if d.has(byte(flag)) {
			verb += string(flag)
		}
	}
	return fmt.Sprintf(verb+"."+strconv.Itoa(precision)+string(d.verb), f)
}

// pad makes s as wide as the directive asks.
func (d directive) pad(s string) string {
	n := d.width - len(s)
	if n <= 0 {
		return s
	}
	switch {
	case d.has('-'):
		return s + strings.Repeat(" ", n)
	case !d.has('0') || d.verb == 's' || d.verb == 'c' || d.verb == 'q' || d.precision >= 0 && strings.IndexByte("diuxXo", d.verb) >= 0:
		return strings.Repeat(" ", n) + s
	}
	sign := 0
	if strings.IndexByte("+- ", s[0]) >= 0 {
		sign = 1
	}
	if strings.HasPrefix(s[sign:], "0x") || strings.HasPrefix(s[sign:], "0X") {
		sign += 2
	}
	return s[:sign] + strings.Repeat("0", n) + s[sign:]
}

// quote writes s so that Lua reads it back.
func quote(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for i := range len(s) {
		switch s[i] {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteByte(s[i])
		case '\n':
			b.WriteString("\\\n")
		case '\r':
			b.WriteString("\\r")
		case 0:
			b.WriteString("\\000")
		default:
			b.WriteByte(s[i])
		}
	}
	b.WriteByte('"')
	return b.String()
}
