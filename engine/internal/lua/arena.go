// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"

	"github.com/dragoman-io/dragoman/engine/script"
)

const (
	// chunkTables is the number of tables that are made at once, keepChunks how
	// many such chunks a pooled machine keeps.
	chunkTables = 32
	keepChunks  = 8
	// keepSlots is the longest list or field list that a table keeps for reuse.
	keepSlots = 16
)

// arena makes the tables of a run and takes all of them back at its end.
type arena struct {
	vm     *machine
	chunks []*[chunkTables]table
	used   int
}

// new returns an empty table.
func (a *arena) new() *table {
	a.vm.allocate(tableBytes)
	i := a.used
	if i/chunkTables == len(a.chunks) {
		a.grow()
	}
	a.used++
	return &a.chunks[i/chunkTables][i%chunkTables]
}

func (a *arena) grow() {
	chunk := new([chunkTables]table)
	for i := range chunk {
		chunk[i].vm = a.vm
	}
	a.chunks = append(a.chunks, chunk)
}

// ofMap returns a view of a map.
func (a *arena) ofMap(m map[string]any) *table {
	t := a.new()
	t.src, t.is.fromMap = m, true
	return t
}

// ofList returns a view of a list.
func (a *arena) ofList(l []any) *table {
	t := a.new()
	t.items, t.is.fromList = l, true
	return t
}

// reset empties the tables of the run.
func (a *arena) reset() {
	for i := range a.used {
		a.chunks[i/chunkTables][i%chunkTables].clear()
	}
	a.used = 0
	if len(a.chunks) > keepChunks {
		clear(a.chunks[keepChunks:])
		a.chunks = a.chunks[:keepChunks]
	}
}

// clear makes the table empty, and keeps the room of short lists. Most tables have few of
// the parts: a pointer that is nil already is not written, for while the garbage collector
// marks each such write costs as much as all else.
func (t *table) clear() {
	if t.is.shared || cap(t.fields) > keepSlots {
		t.fields = nil
	} else {
		t.clearFields()
	}
	switch {
	case cap(t.list) > keepSlots:
		t.list = nil
	case t.is.owned:
		clear(t.list[:cap(t.list)])
		t.list = t.list[:0]
	}
	if t.src != nil {
		t.src = nil
	}
	if t.items != nil {
		t.items = nil
	}
	if t.more != nil {
		t.more = nil
	}
	t.first, t.sorted, t.is = 0, 0, marks{}
}

// clearFields empties the fields one by one: they are few, for which a loop is faster than
// clear.
func (t *table) clearFields() {
	for i := len(t.fields) - 1; i >= 0; i-- {
		f := &t.fields[i]
		f.key, f.value, f.written = "", nil, false
	}
	t.fields = t.fields[:0]
}

// wrap makes a value of a script of a plain one.
func (vm *machine) wrap(v any) any {
	switch x := v.(type) {
	case nil, string, bool, int64, float64:
		return v
	case map[string]any:
		return vm.tables.ofMap(x)
	case []any:
		return vm.tables.ofList(x)
	case int:
		return int64(x)
	case int32:
		return int64(x)
	case map[string]string:
		vm.charge(int64(len(x)))
		vm.allocate(int64(len(x)) * fieldBytes)
		m := make(map[string]any, len(x))
		for k, s := range x {
			m[k] = s
		}
		return vm.tables.ofMap(m)
	}
	panic(&failure{code: script.Internal, line: vm.frame.at, message: fmt.Sprintf("an argument holds a %T, which is no plain value", v)})
}
