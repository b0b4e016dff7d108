// SPDX-License-Identifier: Apache-2.0

package lua

import "github.com/yuin/gopher-lua/ast"

// A program that is compiled with a coverage marks its lines as it runs. One
// without it has no trace of that.

// covered makes a statement mark its line, also one that has nothing to do.
func (c *compiler) covered(line int, s step) step {
	if c.source.Coverage == nil {
		return s
	}
	l := c.source.Coverage.Counter(c.source.File, line)
	return func(f *frame) control {
		l.Mark()
		if s == nil {
			return following
		}
		return s(f)
	}
}

// tested compiles the condition of a branch or a loop, which marks its line each
// time that it is asked.
func (c *compiler) tested(e ast.Expr) condition {
	is := c.asked(e, c.condition(e))
	if c.source.Coverage == nil {
		return is
	}
	l := c.source.Coverage.Counter(c.source.File, e.Line())
	return func(f *frame) bool {
		l.Mark()
		return is(f)
	}
}
