// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"math"
	"slices"

	"github.com/dragoman-io/dragoman/engine/script"
)

// call is one call of a library function. Its methods read the arguments, from
// 0, and fail with a message that names the argument.
type call struct {
	vm   *machine
	fn   *native
	args []any
	// nested reports whether the source does not show the arguments.
	nested bool
}

// arg returns argument i, nil where there is none.
func (c call) arg(i int) any {
	if i < len(c.args) {
		return c.args[i]
	}
	return nil
}

// results returns several results to the script.
func (c call) results(values ...any) []any {
	c.vm.results = append(c.vm.results[:0], values...)
	return c.vm.results
}

// line is where the call stands in the source.
func (c call) line() int { return c.vm.frame.line() }

// fail ends the run, or the pcall around it.
func (c call) fail(format string, args ...any) {
	panic(&failure{code: script.Type, line: c.line(), message: fmt.Sprintf(format, args...)})
}

// bad fails because of argument i.
func (c call) bad(i int, problem string) {
	e := &failure{code: script.Type, line: c.line(), expression: c.form(i)}
	e.message = fmt.Sprintf("bad argument #%d to '%s': %s", i+1, c.fn.name, problem)
	if e.expression != "" {
		e.message += " (" + e.expression + ")"
	}
	panic(e)
}

// expected fails because argument i is not what is wanted.
func (c call) expected(i int, wanted string) {
	got := "no value"
	if i < len(c.args) {
		got = kindName(c.args[i])
	}
	c.bad(i, wanted+" expected, got "+got)
}

// form returns the source form of argument i, or "".
func (c call) form(i int) string {
	site := c.vm.frame.site
	if c.nested || site == nil {
		return ""
	}
	if site.Func == nil {
		i--
		if i < 0 {
			return describe(site.Receiver)
		}
	}
	if i >= len(site.Args) {
		return ""
	}
	return describe(site.Args[i])
}

// kindName is typeName, except that a library is one.
func kindName(v any) string {
	if _, ok := v.(*library); ok {
		return "library"
	}
	return typeName(v)
}

// text reads a string; a number counts as one.
func (c call) text(i int) string {
	switch v := c.arg(i).(type) {
	case string:
		return v
	case int64, float64:
		return text(v)
	}
	c.expected(i, "string")
	return ""
}

// number reads a number; text counts where it reads as one.
func (c call) number(i int) any {
	n, ok := c.vm.number(c.arg(i))
	if !ok {
		c.expected(i, "number")
	}
	return n
}

// float reads a number as a float.
func (c call) float(i int) float64 { return float(c.number(i)) }

// maxInteger bounds what a float becomes as an integer, so that sums of two do
// not overflow.
const maxInteger = 1 << 60

// integer reads a number, and drops what is behind the point.
func (c call) integer(i int) int64 {
	switch n := c.number(i).(type) {
	case int64:
		return min(max(n, -maxInteger), maxInteger)
	case float64:
		if math.IsNaN(n) {
			return 0
		}
		return int64(min(max(n, -maxInteger), maxInteger))
	}
	return 0
}

// integerOr is integer, with a default for nil.
func (c call) integerOr(i int, otherwise int64) int64 {
	if c.arg(i) == nil {
		return otherwise
	}
	return c.integer(i)
}

// table reads a table.
func (c call) table(i int) *table {
	t, ok := c.arg(i).(*table)
	if !ok {
		c.expected(i, "table")
	}
	return t
}

// callable reads a function.
func (c call) callable(i int) any {
	v := c.arg(i)
	switch v.(type) {
	case *function, *native:
	default:
		c.expected(i, "function")
	}
	return v
}

// names lists the members of a library, sorted.
func (l *library) names() []string {
	var names []string
	for name := range l.members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
