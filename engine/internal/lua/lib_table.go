// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"slices"
	"strings"
)

func tableLibrary() *library {
	return newLibrary("table", []*native{
		{name: "concat", one: tableConcat},
		{name: "getn", one: tableGetn},
		{name: "insert", many: tableInsert},
		{name: "maxn", one: tableMaxn},
		{name: "remove", many: tableRemove},
		{name: "sort", many: tableSort},
	})
}

// floatGas is what writing a float costs besides, as concat does twice.
const floatGas = 3

func tableConcat(c call) any {
	t, separator := c.table(0), ""
	if c.arg(1) != nil {
		separator = c.text(1)
	}
	first, last := c.integerOr(2, 1), c.integerOr(3, int64(t.length()))
	length := int64(0)
	for i := first; i <= last; i++ {
		c.vm.charge(1)
		switch v := t.getItem(i).(type) {
		case string:
			length += int64(len(v) + len(separator))
		case float64:
			c.vm.charge(floatGas)
			length += int64(len(text(v)) + len(separator))
		case int64:
			length += int64(len(text(v)) + len(separator))
		default:
			c.fail("invalid value (a %s) at index %d in table for 'concat'%s", kindName(v), i, prefixed(" ", bracketed(c.form(0))))
		}
	}
	c.vm.allocateText(length)
	var b strings.Builder
	b.Grow(int(length))
	for i := first; i <= last; i++ {
		b.WriteString(text(t.getItem(i)))
		if i < last {
			b.WriteString(separator)
		}
	}
	return b.String()
}

// bracketed puts s in brackets, where there is s.
func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

func tableGetn(c call) any { return int64(c.table(0).length()) }

// tableInsert is table.insert(t, v) and table.insert(t, i, v).
func tableInsert(c call) []any {
	t := c.table(0)
	n := int64(t.length())
	switch len(c.args) {
	case 2:
		t.setItem(n+1, c.args[1])
	case 3:
		i := c.integer(1)
		switch {
		case i < 1:
			c.insertBefore(t, i, n, c.args[2])
		case i > n:
			t.setItem(i, c.args[2])
		default:
			t.insert(i, c.args[2])
		}
	default:
		c.fail("wrong number of arguments to 'table.insert' (2 or 3 expected, got %d)", len(c.args))
	}
	return nil
}

// insertBefore is tableInsert at a position before the list of n items: each entry from
// there on, nil or not, moves by one.
func (c call) insertBefore(t *table, i, n int64, v any) {
	for k := n + 1; k > i; k-- {
		c.vm.charge(1)
		t.setItem(k, t.getItem(k-1))
	}
	t.setItem(i, v)
}

// tableMaxn returns the largest positive key that is a number.
func tableMaxn(c call) any {
	t := c.table(0)
	most := any(int64(t.length()))
	if t.more == nil {
		return most
	}
	c.vm.charge(int64(len(t.more.pairs)))
	for _, p := range t.more.pairs {
		if p.value == nil {
			continue
		}
		if n, ok := c.vm.order(p.key, most); ok && n == 1 {
			most = p.key
		}
	}
	return most
}

// tableRemove takes an item out, the last one by default, and returns it.
func tableRemove(c call) []any {
	t := c.table(0)
	n := int64(t.length())
	i := c.integerOr(1, n)
	if i < 1 || i > n {
		return nil
	}
	return c.results(t.remove(i))
}

// tableSort sorts the list of a table in place. It is stable, and makes a
// bounded number of comparisons whatever the function returns.
func tableSort(c call) []any {
	t := c.table(0)
	var less any
	if c.arg(1) != nil {
		less = c.callable(1)
	}
	n := t.length()
	if n < 2 {
		return nil
	}
	if n >= gasBytes {
		c.vm.charge(int64(n) / 8)
	}
	t.own()
	for i := range n {
		t.getItem(int64(i + 1))
	}
	c.vm.allocate(int64(n) * valueBytes)
	sorted := slices.Clone(t.list[:n])
	slices.SortStableFunc(sorted, func(a, b any) int {
		c.vm.charge(1)
		if less != nil {
			if truthy(c.vm.back(less, a, b)) {
				return -1
			}
			return 0
		}
		order, ok := c.vm.order(a, b)
		if !ok {
			c.fail("attempt to compare %s with %s%s", typeName(a), typeName(b), prefixed(" in ", c.form(0)))
		}
		return order
	})
	copy(t.list, sorted)
	return nil
}
