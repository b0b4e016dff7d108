// SPDX-License-Identifier: Apache-2.0

package lua

import "math"

func mathLibrary() *library {
	l := newLibrary("math", []*native{
		{name: "abs", one: mathAbs},
		{name: "acos", one: mathOf(math.Acos)},
		{name: "asin", one: mathOf(math.Asin)},
		{name: "atan", one: mathOf(math.Atan)},
		{name: "atan2", one: mathOfTwo(math.Atan2)},
		{name: "ceil", one: mathRound(math.Ceil)},
		{name: "cos", one: mathOf(math.Cos)},
		{name: "cosh", one: mathOf(math.Cosh)},
		{name: "deg", one: mathOf(func(x float64) float64 { return x * 180 / math.Pi })},
		{name: "exp", one: mathOf(math.Exp)},
		{name: "floor", one: mathRound(math.Floor)},
		{name: "fmod", one: mathFmod},
		{name: "frexp", many: mathFrexp},
		{name: "ldexp", one: mathLdexp},
		{name: "log", one: mathOf(math.Log)},
		{name: "log10", one: mathOf(math.Log10)},
		{name: "max", one: mathMost(1)},
		{name: "min", one: mathMost(-1)},
		{name: "modf", many: mathModf},
		{name: "pow", one: mathOfTwo(math.Pow)},
		{name: "rad", one: mathOf(func(x float64) float64 { return x * math.Pi / 180 })},
		{name: "sin", one: mathOf(math.Sin)},
		{name: "sinh", one: mathOf(math.Sinh)},
		{name: "sqrt", one: mathOf(math.Sqrt)},
		{name: "tan", one: mathOf(math.Tan)},
		{name: "tanh", one: mathOf(math.Tanh)},
	})
	l.members["pi"] = math.Pi
	l.members["huge"] = math.Inf(1)
	return l
}

// mathOf makes a library function of a function on floats.
func mathOf(f func(float64) float64) func(call) any {
	return func(c call) any { return whole(f(c.float(0))) }
}

func mathOfTwo(f func(x, y float64) float64) func(call) any {
	return func(c call) any { return whole(f(c.float(0), c.float(1))) }
}

// mathRound is mathOf for functions that leave an integer as it is.
func mathRound(f func(float64) float64) func(call) any {
	return func(c call) any {
		n := c.number(0)
		if _, ok := n.(int64); ok {
			return n
		}
		return whole(f(float(n)))
	}
}

func mathAbs(c call) any {
	n := c.number(0)
	if i, ok := n.(int64); ok && i >= 0 {
		return n
	}
	if float(n) < 0 {
		return negate(n)
	}
	return whole(math.Abs(float(n)))
}

// mathMost picks the argument that stands in the given order to all others.
func mathMost(order int) func(call) any {
	return func(c call) any {
		most := c.number(0)
		for i := 1; i < len(c.args); i++ {
			n := c.number(i)
			if found, _ := c.vm.order(n, most); found == order {
				most = n
			}
		}
		return most
	}
}

// mathFmod has the sign of its first argument.
func mathFmod(c call) any {
	x, y := c.number(0), c.number(1)
	i, ok1 := x.(int64)
	j, ok2 := y.(int64)
	if ok1 && ok2 && j != 0 && j != -1 {
		return i % j
	}
	return whole(remainder(float(x), float(y)))
}

func mathFrexp(c call) []any {
	fraction, exponent := math.Frexp(c.float(0))
	return c.results(whole(fraction), int64(exponent))
}

func mathLdexp(c call) any {
	return whole(math.Ldexp(c.float(0), int(min(max(c.integer(1), -5000), 5000))))
}

func mathModf(c call) []any {
	f := c.float(0)
	if math.IsInf(f, 0) {
		return c.results(f, int64(0))
	}
	integer, fraction := math.Modf(f)
	return c.results(whole(integer), whole(fraction))
}
