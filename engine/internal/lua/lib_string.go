// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"math"
	"strings"
)

func stringLibrary() *library {
	return newLibrary("string", []*native{
		{name: "byte", many: stringByte},
		{name: "char", one: stringChar},
		{name: "find", many: stringFind},
		{name: "format", one: stringFormat},
		{name: "gmatch", one: stringGmatch},
		{name: "gsub", many: stringGsub},
		{name: "len", one: stringLen},
		{name: "lower", one: stringLower},
		{name: "match", many: stringMatch},
		{name: "rep", one: stringRep},
		{name: "reverse", one: stringReverse},
		{name: "sub", one: stringSub},
		{name: "upper", one: stringUpper},
	})
}

// span returns positions i to j of a string of n bytes as Go indexes. Negative
// positions count from the end. The span is empty where start >= end.
func span(i, j int64, n int) (start, end int) {
	size := int64(n)
	if i < 0 {
		i = max(size+i+1, 1)
	}
	if j < 0 {
		j = size + j + 1
	}
	i, j = max(i, 1), min(j, size)
	if i > j {
		return 0, 0
	}
	return int(i - 1), int(j)
}

func stringByte(c call) []any {
	s := c.text(0)
	i := c.integerOr(1, 1)
	start, end := span(i, c.integerOr(2, i), len(s))
	if end-start > maxValues {
		c.fail("string slice too long")
	}
	c.vm.allocate(int64(end-start) * valueBytes)
	c.vm.charge(int64(end-start) / 4)
	values := c.vm.results[:0]
	for _, b := range []byte(s[start:end]) {
		values = append(values, int64(b))
	}
	c.vm.results = values
	return values
}

func stringChar(c call) any {
	c.vm.allocateText(int64(len(c.args)))
	s := make([]byte, len(c.args))
	for i := range s {
		b := c.integer(i)
		if b < 0 || b > 255 {
			c.bad(i, "invalid value")
		}
		s[i] = byte(b)
	}
	return string(s)
}

func stringLen(c call) any { return int64(len(c.text(0))) }

func stringLower(c call) any {
	s := c.text(0)
	c.vm.allocateText(int64(len(s)))
	return mapBytes(s, 'A', 'Z')
}

func stringUpper(c call) any {
	s := c.text(0)
	c.vm.allocateText(int64(len(s)))
	return mapBytes(s, 'a', 'z')
}

// mapBytes changes the case of the letters from first to last. As in the C
// locale, only ASCII has case.
func mapBytes(s string, first, last byte) string {
	var b []byte
	for i := range len(s) {
		if s[i] < first || s[i] > last {
			continue
		}
		if b == nil {
			b = []byte(s)
		}
		b[i] ^= 0x20
	}
	if b == nil {
		return s
	}
	return string(b)
}

func stringRep(c call) any {
	s, n := c.text(0), c.integer(1)
	if n <= 0 || s == "" {
		return ""
	}
	if n > math.MaxInt32 {
		n = math.MaxInt32
	}
	c.vm.allocateText(int64(len(s)) * n)
	return strings.Repeat(s, int(n))
}

func stringReverse(c call) any {
	s := c.text(0)
	c.vm.allocateText(int64(len(s)))
	b := make([]byte, len(s))
	for i := range len(s) {
		b[len(s)-1-i] = s[i]
	}
	return string(b)
}

func stringSub(c call) any {
	s := c.text(0)
	start, end := span(c.integer(1), c.integerOr(2, -1), len(s))
	c.vm.allocate(textBytes)
	return s[start:end]
}
