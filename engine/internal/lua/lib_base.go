// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// baseFunctions are the functions without a library.
func baseFunctions() []*native {
	return []*native{
		{name: "assert", many: baseAssert},
		{name: "error", many: baseError},
		{name: "ipairs", many: baseIpairs},
		{name: "next", many: baseNext},
		{name: "pairs", many: basePairs},
		{name: "pcall", many: basePcall},
		{name: "print", many: basePrint},
		{name: "require", one: baseRequire},
		{name: "select", many: baseSelect},
		{name: "tonumber", one: baseToNumber},
		{name: "tostring", one: baseToString},
		{name: "type", one: baseType},
		{name: "unpack", many: baseUnpack},
		{name: "xpcall", many: baseXpcall},
	}
}

func baseType(c call) any {
	if len(c.args) == 0 {
		c.expected(0, "value")
	}
	return typeValue(c.args[0])
}

func baseToString(c call) any {
	if len(c.args) == 0 {
		c.expected(0, "value")
	}
	if s, ok := c.args[0].(string); ok {
		return s
	}
	s := text(c.args[0])
	c.vm.allocateText(int64(len(s)))
	return s
}

func baseToNumber(c call) any {
	if len(c.args) == 0 {
		c.expected(0, "value")
	}
	if c.arg(1) == nil {
		n, _ := c.vm.number(c.args[0])
		return n
	}
	base := c.integer(1)
	if base < 2 || base > 36 {
		c.bad(1, "base out of range")
	}
	if base == 10 {
		n, _ := c.vm.number(c.args[0])
		return n
	}
	s := c.text(0)
	c.vm.charge(readingGas(s))
	return parseBase(s, int(base))
}

func baseSelect(c call) []any {
	if s, ok := c.arg(0).(string); ok && s == "#" {
		return c.results(int64(len(c.args) - 1))
	}
	n := c.integer(0)
	if n < 0 {
		n += int64(len(c.args))
	}
	if n < 1 {
		c.bad(0, "index out of range")
	}
	if n >= int64(len(c.args)) {
		return nil
	}
	c.vm.charge(int64(len(c.args)) / 4)
	return c.args[n:]
}

// maxValues is how many values unpack and similar functions return at most.
const maxValues = 8000

func baseUnpack(c call) []any {
	t := c.table(0)
	i := c.integerOr(1, 1)
	j := c.integerOr(2, int64(t.length()))
	if i > j {
		return nil
	}
	if j-i >= maxValues {
		c.fail("too many results to unpack")
	}
	c.vm.charge((j-i)/4 + 1)
	c.vm.allocate((j - i + 1) * valueBytes)
	values := c.vm.results[:0]
	for ; i <= j; i++ {
		values = append(values, t.getItem(i))
	}
	c.vm.results = values
	return values
}

func basePairs(c call) []any {
	return c.results(c.vm.program.environment.next, c.table(0), nil)
}

func baseNext(c call) []any {
	at, ok := c.table(0).after(c.arg(1))
	if !ok {
		c.bad(1, "the table has no such key")
	}
	key, value, ok := at.next()
	if !ok {
		return c.results(nil)
	}
	return c.results(key, value)
}

func baseIpairs(c call) []any {
	return c.results(c.vm.program.environment.step, c.table(0), int64(0))
}

// ipairsStep is the iterator that ipairs returns.
func ipairsStep(c call) []any {
	i := c.integer(1) + 1
	v := c.table(0).getItem(i)
	if v == nil {
		return c.results(nil)
	}
	return c.results(i, v)
}

// basePrint passes a line to the call's Print: the arguments, separated by tabs. It takes the same
// where nobody reads the line, so that a tool that does changes nothing.
func basePrint(c call) []any {
	var b strings.Builder
	for i, v := range c.args {
		if i > 0 {
			b.WriteByte('\t')
		}
		s := text(v)
		c.vm.allocateText(int64(len(s) + 1))
		b.WriteString(s)
	}
	c.vm.allocateText(int64(b.Len()))
	if c.vm.call.Print == nil && c.vm.watch == nil {
		return nil
	}
	line := printedLine(c.args, b.String())
	if c.vm.watch != nil {
		c.vm.watch.printed(c.vm.frame, line)
	}
	if out := c.vm.call.Print; out != nil {
		out(script.Position{File: c.vm.frame.source().File, Line: c.line()}, line)
	}
	return nil
}

// printedLine returns a line that is printed for people: its tables are shown, and not named.
func printedLine(args []any, line string) string {
	if !slices.ContainsFunc(args, isTable) {
		return line
	}
	texts := make([]string, len(args))
	for i, v := range args {
		texts[i] = text(v)
		if isTable(v) {
			texts[i] = show(v)
		}
	}
	return strings.Join(texts, "\t")
}

// isTable reports whether a value is a table.
func isTable(v any) bool {
	_, is := v.(*table)
	return is
}

func baseRequire(c call) any {
	name := c.text(0)
	c.vm.hash(name)
	if l, ok := c.vm.program.environment.modules[name]; ok {
		return l
	}
	c.bad(0, "module '"+clip(name)+"' is not available: "+noModule)
	return nil
}
