// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"
)

// constructor compiles "{...}".
func (c *compiler) constructor(e *ast.TableExpr) expression {
	if len(e.Fields) == 0 {
		return func(f *frame) any { return f.vm.tables.new() }
	}
	if make := c.template(e); make != nil {
		return make
	}
	if make := c.record(e); make != nil {
		return make
	}
	var items []ast.Expr
	var entries []entry
	for _, field := range e.Fields {
		if field.Key == nil {
			items = append(items, field.Value)
		}
	}
	if len(items) == len(e.Fields) && !isMultiple(items[len(items)-1]) {
		return c.items(items)
	}
	for _, field := range e.Fields {
		entries = append(entries, c.entry(field, field == e.Fields[len(e.Fields)-1]))
	}
	return func(f *frame) any {
		vm := f.vm
		t := vm.tables.new()
		base := vm.top
		for i := range entries {
			entries[i].put(f, t)
		}
		if vm.top > base {
			t.fill(vm.stack[base:vm.top])
			vm.drop(base)
		}
		return t
	}
}

// record compiles a constructor of few fields with different names, which need no
// look-up. It returns nil for any other.
func (c *compiler) record(e *ast.TableExpr) expression {
	names := fieldNames(e)
	if names == nil {
		return nil
	}
	values := make([]expression, len(names))
	for i, field := range e.Fields {
		c.nodes++
		values[i] = c.named(field.Value, names[i])
	}
	return func(f *frame) any {
		t := f.vm.tables.new()
		t.room(len(names))
		n := 0
		for i, value := range values {
			v := value(f)
			if v == nil {
				continue
			}
			at := &t.fields[n]
			at.key, at.value, at.written = names[i], v, true
			n++
		}
		f.vm.allocate(int64(n) * fieldBytes)
		t.fields = t.fields[:n]
		return t
	}
}

// room makes n empty fields, which are at most maxTemplate. A value of one may fail; clear
// empties all of them.
func (t *table) room(n int) {
	if cap(t.fields) < n {
		t.fields = make([]field, n, max(n, firstSlots))
		return
	}
	t.fields = t.fields[:n]
}

// fieldNames returns the names of the fields of a constructor where all have one, no
// two the same, and they are at most maxTemplate; else nil.
func fieldNames(e *ast.TableExpr) []string {
	if len(e.Fields) > maxTemplate {
		return nil
	}
	var names []string
	for _, f := range e.Fields {
		key, ok := f.Key.(*ast.StringExpr)
		if !ok || slices.Contains(names, key.Value) {
			return nil
		}
		names = append(names, key.Value)
	}
	return names
}

// entry is one field of a constructor: a value with a key, or values that wait
// on the stack for their place in the list.
type entry struct {
	node  ast.Expr
	name  string
	key   expression
	value expression
	items spread
}

func (c *compiler) entry(field *ast.Field, last bool) entry {
	if field.Key == nil {
		if last {
			return entry{items: c.spread([]ast.Expr{field.Value}, all)}
		}
		value := c.expression(field.Value)
		return entry{items: func(f *frame) { f.vm.push(value(f)) }}
	}
	c.nodes++
	n := entry{node: field.Key}
	if key, ok := field.Key.(*ast.StringExpr); ok {
		n.name = key.Value
		c.nodes += keyGas(n.name)
	} else {
		n.key = c.expression(field.Key)
	}
	n.value = c.named(field.Value, n.name)
	return n
}

func (n *entry) put(f *frame, t *table) {
	if n.items != nil {
		n.items(f)
		return
	}
	if n.key == nil {
		if v := n.value(f); v != nil {
			t.setField(n.name, v)
		}
		return
	}
	k := n.key(f)
	if problem := t.set(k, n.value(f)); problem != "" {
		f.fail(n.node, "%s%s", problem, of(n.node))
	}
}

// items compiles a constructor of values without keys, one for each expression.
func (c *compiler) items(list []ast.Expr) expression {
	n := len(list)
	values := make([]expression, n)
	for i, e := range list {
		values[i] = c.expression(e)
	}
	return func(f *frame) any {
		t := f.vm.tables.new()
		f.vm.allocate(int64(n) * valueBytes)
		if cap(t.list) < n {
			t.list = make([]any, 0, n)
		}
		// A value may fail; clear empties only a list that is owned.
		t.is.owned = true
		for _, e := range values {
			t.list = append(t.list, e(f))
		}
		t.trim()
		return t
	}
}

// fill puts the values without keys into the list of a table that is built.
func (t *table) fill(values []any) {
	if len(t.raw()) > 0 || t.more != nil {
		for i, v := range values {
			t.setItem(int64(i+1), v)
		}
		return
	}
	t.vm.allocate(int64(len(values)) * valueBytes)
	t.list = append(t.list[:0], values...)
	t.is.owned = true
	t.trim()
}

// trim drops nil at the end of an owned list.
func (t *table) trim() {
	n := len(t.list)
	for n > 0 && t.list[n-1] == nil {
		n--
	}
	t.list = t.list[:n]
}

// isFixedTable reports whether e makes a table of constants, and of tables of such. When it
// is made does not show.
func isFixedTable(e ast.Expr) bool {
	t, ok := e.(*ast.TableExpr)
	if !ok {
		return false
	}
	for _, f := range t.Fields {
		if f.Key != nil {
			if _, ok := f.Key.(*ast.StringExpr); !ok {
				return false
			}
		}
		if _, ok := constant(f.Value); !ok && !isFixedTable(f.Value) {
			return false
		}
	}
	return true
}

// lazily compiles reading a global that holds what make returns: most runs need few of
// the tables that stand at the top of a chunk.
func lazily(slot int, make expression) expression {
	return func(f *frame) any {
		v := f.vm.globals[slot]
		if v == nil {
			v = make(f)
			f.vm.globals[slot] = v
		}
		return v
	}
}

// maxTemplate is the number of fields up to which a table of constants is
// shared: more need an index of their own.
const maxTemplate = manyFields

// template compiles a constructor of constants: each run gets a table over one
// set of entries, which it copies before writing. It returns nil for any other.
func (c *compiler) template(e *ast.TableExpr) expression {
	var fields []field
	var items []any
	for _, f := range e.Fields {
		v, ok := constant(f.Value)
		if !ok || v == nil {
			return nil
		}
		if f.Key == nil {
			items = append(items, v)
			continue
		}
		key, ok := f.Key.(*ast.StringExpr)
		if !ok || len(fields) == maxTemplate {
			return nil
		}
		for _, known := range fields {
			if known.key == key.Value {
				return nil
			}
		}
		fields = append(fields, field{key: key.Value, value: v, written: true})
	}
	c.nodes += int64(len(e.Fields))
	return func(f *frame) any {
		t := f.vm.tables.new()
		t.fields, t.is.shared = fields, len(fields) > 0
		t.items, t.is.template = items, len(items) > 0
		return t
	}
}
