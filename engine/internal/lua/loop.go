// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"math"

	"github.com/yuin/gopher-lua/ast"
)

// while compiles a while loop. The condition pays each time.
func (c *compiler) while(s *ast.WhileStmt) step {
	var when condition
	cost := 1 + c.cost(func() { when = c.tested(s.Condition) })
	when = c.paid(s.Condition, cost, when)
	body := c.block(s.Stmts, s.Line())
	line := s.Line()
	return func(f *frame) control {
		for {
			f.at = line
			f.vm.charge(cost)
			if !when(f) {
				return following
			}
			if r := body.run(f); r != following {
				return leave(r)
			}
		}
	}
}

// repeat compiles a repeat loop. The condition sees the variables of the body.
func (c *compiler) repeat(s *ast.RepeatStmt) step {
	body := c.block(s.Stmts, s.Line())
	var until condition
	body.cost += 1 + c.cost(func() { until = c.tested(s.Condition) })
	line := s.Condition.Line()
	return func(f *frame) control {
		for {
			if r := body.run(f); r != following {
				return leave(r)
			}
			f.at = line
			if until(f) {
				return following
			}
		}
	}
}

// leave returns how a loop ended, from how its body did.
func leave(r control) control {
	if r == broken {
		return following
	}
	return r
}

// numericFor compiles "for v = from, to, by".
func (c *compiler) numericFor(s *ast.NumberForStmt) step {
	from, to := c.bound(s.Init, "initial value"), c.bound(s.Limit, "limit")
	by := func(*frame) any { return int64(1) }
	if s.Step != nil {
		by = c.bound(s.Step, "step")
	}
	loop := &counting{declare: c.turns(s, declares(c.declarations[s][0]))}
	loop.body = c.block(s.Stmts, s.Line())
	loop.body.cost++
	return func(f *frame) control {
		first, last, step := from(f), to(f), by(f)
		i, whole1 := first.(int64)
		k, whole2 := step.(int64)
		if float(step) == 0 {
			f.fail(s.Step, "the step of a for loop is zero")
		}
		if whole1 && whole2 {
			return loop.integers(f, i, limit(last, k), k)
		}
		return loop.floats(f, float(first), float(last), float(step))
	}
}

// bound compiles one of the numbers of a for loop.
func (c *compiler) bound(e ast.Expr, role string) expression {
	value := c.expression(e)
	return func(f *frame) any {
		v := value(f)
		n, ok := f.vm.number(v)
		if !ok {
			f.fail(e, "the %s of a for loop must be a number, not %s%s", role, typeName(v), of(e))
		}
		return n
	}
}

// limit returns the last integer that a loop with the given step may reach.
func limit(last any, step int64) int64 {
	i, ok := last.(int64)
	if ok {
		return i
	}
	f := float(last)
	switch {
	case math.IsNaN(f) && step > 0:
		return math.MinInt64
	case math.IsNaN(f):
		return math.MaxInt64
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	case step > 0:
		return int64(math.Floor(f))
	}
	return int64(math.Ceil(f))
}

// counting is a numeric for loop.
type counting struct {
	declare store
	body    block
}

// integers counts from first to last, both included.
func (l *counting) integers(f *frame, first, last, step int64) control {
	for i := first; step > 0 && i <= last || step < 0 && i >= last; i += step {
		l.declare(f, i)
		if r := l.body.run(f); r != following {
			return leave(r)
		}
		if next := i + step; (next > i) != (step > 0) {
			return following
		}
	}
	return following
}

// floats is integers for numbers that are not whole.
func (l *counting) floats(f *frame, first, last, step float64) control {
	for x := first; step > 0 && x <= last || step < 0 && x >= last; x += step {
		l.declare(f, whole(x))
		if r := l.body.run(f); r != following {
			return leave(r)
		}
	}
	return following
}
