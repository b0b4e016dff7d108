// SPDX-License-Identifier: Apache-2.0

package lua

import "github.com/yuin/gopher-lua/ast"

// relation compiles a comparison.
func (c *compiler) relation(e *ast.RelationalOpExpr) condition {
	switch e.Operator {
	case "==":
		return c.equality(e, true)
	case "~=":
		return c.equality(e, false)
	}
	left, right := c.expression(e.Lhs), c.expression(e.Rhs)
	switch e.Operator {
	case "<":
		return func(f *frame) bool {
			a, b := left(f), right(f)
			if x, y, ok := bothIntegers(a, b); ok {
				return x < y
			}
			return f.compare(e, a, b) == -1
		}
	case "<=":
		return func(f *frame) bool {
			a, b := left(f), right(f)
			if x, y, ok := bothIntegers(a, b); ok {
				return x <= y
			}
			return f.compare(e, a, b) <= 0
		}
	case ">":
		return func(f *frame) bool {
			a, b := left(f), right(f)
			if x, y, ok := bothIntegers(a, b); ok {
				return x > y
			}
			return f.compare(e, a, b) == 1
		}
	}
	return func(f *frame) bool {
		a, b := left(f), right(f)
		if x, y, ok := bothIntegers(a, b); ok {
			return x >= y
		}
		n := f.compare(e, a, b)
		return n == 0 || n == 1
	}
}

// bothIntegers returns two values that are both integers, as nearly all are that are compared.
func bothIntegers(a, b any) (x, y int64, ok bool) {
	x, ok = a.(int64)
	if !ok {
		return 0, 0, false
	}
	y, ok = b.(int64)
	return x, y, ok
}

// equality compiles "==", or "~=" where want is false.
func (c *compiler) equality(e *ast.RelationalOpExpr, want bool) condition {
	left := c.expression(e.Lhs)
	if v, ok := constant(e.Rhs); ok {
		c.nodes++
		switch k := v.(type) {
		case nil:
			return func(f *frame) bool { return (left(f) == nil) == want }
		case string:
			return func(f *frame) bool {
				s, ok := left(f).(string)
				if ok && len(s) == len(k) {
					f.vm.hash(k)
					return (s == k) == want
				}
				return !want
			}
		}
		return func(f *frame) bool { return sameValue(left(f), v) == want }
	}
	right := c.expression(e.Rhs)
	return func(f *frame) bool {
		a, b := left(f), right(f)
		if x, y, ok := bothIntegers(a, b); ok {
			return (x == y) == want
		}
		if s, ok := a.(string); ok {
			f.vm.hash(s)
		}
		return sameValue(a, b) == want
	}
}

// compare orders two values of the operands of e: -1, 0, 1, and 2 where one is
// not a number.
func (f *frame) compare(e *ast.RelationalOpExpr, a, b any) int {
	n, ok := f.vm.order(a, b)
	if !ok {
		at := e.Lhs
		if b == nil && a != nil {
			at = e.Rhs
		}
		f.fail(at, "attempt to compare %s with %s%s", typeName(a), typeName(b), of(at))
	}
	return n
}

// unordered is what order returns where an operand is not a number.
const unordered = 2

// order compares two numbers or two strings: -1, 0, 1 or unordered. It is not
// ok for anything else.
func (vm *machine) order(a, b any) (n int, ok bool) {
	switch x := a.(type) {
	case int64:
		switch y := b.(type) {
		case int64:
			return sign(x, y), true
		case float64:
			return compareMixed(x, y), true
		}
	case float64:
		switch y := b.(type) {
		case int64:
			if n := compareMixed(y, x); n != unordered {
				return -n, true
			}
			return unordered, true
		case float64:
			if x != x || y != y {
				return unordered, true
			}
			return sign(x, y), true
		}
	case string:
		if y, ok := b.(string); ok {
			vm.handle(min(len(x), len(y)))
			return sign(x, y), true
		}
	}
	return 0, false
}

// sign orders two values of one type.
func sign[T int64 | float64 | string](x, y T) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
