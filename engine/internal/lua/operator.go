// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"math"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// arithmetic compiles a binary operator on numbers.
func (c *compiler) arithmetic(e *ast.ArithmeticOpExpr) expression {
	left, right := c.expression(e.Lhs), c.expression(e.Rhs)
	operator := e.Operator[0]
	return func(f *frame) any {
		a, b := left(f), right(f)
		if x, ok := a.(int64); ok {
			if y, ok := b.(int64); ok {
				if z, ok := integers(operator, x, y); ok {
					return z
				}
			}
		}
		na, ok := f.vm.number(a)
		if !ok {
			f.fail(e.Lhs, "attempt to perform arithmetic on a %s value%s", typeName(a), of(e.Lhs))
		}
		nb, ok := f.vm.number(b)
		if !ok {
			f.fail(e.Rhs, "attempt to perform arithmetic on a %s value%s", typeName(b), of(e.Rhs))
		}
		return calculate(operator, na, nb)
	}
}

// calculate applies an operator to two numbers: to integers where both are and
// the result is one, else to floats.
func calculate(operator byte, a, b any) any {
	if x, ok := a.(int64); ok {
		if y, ok := b.(int64); ok {
			if z, ok := integers(operator, x, y); ok {
				return z
			}
		}
	}
	return whole(floats(operator, float(a), float(b)))
}

// integers applies an operator to two integers. It is not ok where the result
// is no integer of 64 bits.
func integers(operator byte, x, y int64) (z int64, ok bool) {
	switch operator {
	case '+':
		z = x + y
		return z, (z > x) == (y > 0)
	case '-':
		z = x - y
		return z, (z < x) == (y > 0)
	case '*':
		return multiply(x, y)
	case '/':
		if y == 0 || y == -1 && x == math.MinInt64 || x%y != 0 {
			return 0, false
		}
		return x / y, true
	case '%':
		if y == 0 {
			return 0, false
		}
		z = x % y
		if z != 0 && (z < 0) != (y < 0) {
			z += y
		}
		return z, true
	}
	return 0, false
}

func multiply(x, y int64) (int64, bool) {
	if x == 0 || y == 0 {
		return 0, true
	}
	if x == -1 && y == math.MinInt64 || y == -1 && x == math.MinInt64 {
		return 0, false
	}
	z := x * y
	return z, z/y == x
}

// floats applies an operator to two floats.
func floats(operator byte, x, y float64) float64 {
	switch operator {
	case '+':
		return x + y
	case '-':
		return x - y
	case '*':
		return x * y
	case '/':
		return x / y
	case '%':
		return modulo(x, y)
	}
	return math.Pow(x, y)
}

// modulo is Lua's %: the result has the sign of y.
func modulo(x, y float64) float64 {
	z := remainder(x, y)
	if z != 0 && (z < 0) != (y < 0) {
		z += y
	}
	return z
}

// negate returns -v of a number.
func negate(v any) any {
	if i, ok := v.(int64); ok {
		if i == math.MinInt64 {
			return -float64(i)
		}
		return -i
	}
	return whole(-float(v))
}

// minus compiles "-e".
func (c *compiler) minus(e *ast.UnaryMinusOpExpr) expression {
	operand := c.expression(e.Expr)
	return func(f *frame) any {
		v := operand(f)
		n, ok := f.vm.number(v)
		if !ok {
			f.fail(e.Expr, "attempt to perform arithmetic on a %s value%s", typeName(v), of(e.Expr))
		}
		return negate(n)
	}
}

// fewPieces is how many strings a concatenation joins without allocating.
const fewPieces = 8

// concat compiles a chain of "..".
func (c *compiler) concat(e *ast.StringConcatOpExpr) expression {
	nodes := pieces(e)
	c.nodes += int64(len(nodes) - 2)
	values := make([]expression, len(nodes))
	for i, n := range nodes {
		values[i] = c.expression(n)
	}
	return func(f *frame) any {
		var few [fewPieces]string
		texts := few[:0]
		if len(values) > fewPieces {
			f.vm.allocate(int64(len(values)) * textBytes)
			texts = make([]string, 0, len(values))
		}
		length := int64(0)
		for i, value := range values {
			v := value(f)
			switch v.(type) {
			case string, int64, float64:
			default:
				f.fail(nodes[i], "attempt to concatenate a %s value%s", typeName(v), of(nodes[i]))
			}
			s := text(v)
			length += int64(len(s))
			texts = append(texts, s)
		}
		f.vm.allocateText(length)
		return strings.Join(texts, "")
	}
}
