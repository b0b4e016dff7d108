// SPDX-License-Identifier: Apache-2.0

package lua

import "fmt"

// weight is the size of plain values with all their parts. A part that stands in
// them twice counts twice, so a value can weigh 2^n that was made in n steps.
type weight struct {
	nodes, bytes int64
	// most is the gas at which the count ends.
	most int64
	// deep reports whether a value nests deeper than it may. The count goes on beside it, so
	// that what was looked at can be paid for, and is the same in each run.
	deep bool
}

// gas is the price of reading what was counted once.
func (w *weight) gas() int64 { return w.nodes/2 + w.bytes/gasBytes }

// add counts v and its parts, down to a depth. It reports whether the count is below most;
// otherwise it is not complete.
func (w *weight) add(v any, depth int) bool {
	w.nodes++
	switch x := v.(type) {
	case string:
		w.bytes += int64(len(x))
	case map[string]any:
		w.nodes++ // to walk a map takes longer than a list
		if depth <= 0 {
			w.deep = true
			return true
		}
		for key, e := range x {
			w.bytes += int64(len(key))
			if !w.add(e, depth-1) || w.gas() > w.most {
				return false
			}
		}
	case []any:
		if depth <= 0 {
			w.deep = true
			return true
		}
		for _, e := range x {
			if !w.add(e, depth-1) || w.gas() > w.most {
				return false
			}
		}
	}
	return true
}

// addTable counts the source of a table.
func (w *weight) addTable(t *table, depth int) {
	if w.add(t.src, depth) {
		w.add(t.items, depth)
	}
}

// weigh begins a count that ends with the gas that is left.
func (vm *machine) weigh() weight { return weight{most: vm.gas} }

// freeUses is how often an argument of the run, or a part of it, can be handled by
// library functions for nothing but their work. So their results hold at most a few
// times what the run was given without being paid for.
const freeUses = 4

// handled pays for the source of a table before a library function gets it. What such
// a function made is paid for each time: it can hold a part many times.
func (t *table) handled() error {
	if !t.is.made && t.is.uses < freeUses {
		t.is.uses++
		return nil
	}
	w := t.vm.weigh()
	w.addTable(t, t.vm.limits.Nesting)
	t.vm.weighed += w.nodes
	if err := t.vm.pay(w.gas(), 0); err != nil {
		return err
	}
	if w.deep {
		return &misfit{reason: fmt.Sprintf("nests deeper than %d tables", t.vm.limits.Nesting)}
	}
	return nil
}

// made marks a value that a library function made, or a part of one.
func made(v any) any {
	if t, ok := v.(*table); ok {
		t.is.made = true
	}
	return v
}

// fewNodes is how many nodes the arguments of library functions may have in a run before
// all parts of its result are counted: from then on a result can hold a part of them many
// times and not be distinguished from one that does not.
const fewNodes = 1 << 14

// reach pays for the source of a table when a result gets to it. The first time costs
// nothing unless the run has handled many nodes; but reading or encoding the result meets
// a table each time.
func (t *table) reach() error {
	if !t.is.given {
		t.is.given = true
		if t.vm.weighed < fewNodes {
			return nil
		}
	}
	w := t.vm.weigh()
	w.nodes += int64(len(t.fields) + len(t.list))
	w.addTable(t, maxDepth)
	if err := t.vm.pay(w.nodes, w.bytes+w.nodes*tableBytes); err != nil {
		return err
	}
	if w.deep {
		return t.vm.resultError("a part of the result nests too deep")
	}
	return nil
}

// maxDepth is how deep an argument of a run may nest: as deep as the JSON package
// reads.
const maxDepth = 10_000
