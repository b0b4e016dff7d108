// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
)

// Plain returns the table as a map or a list that stays valid after the run. What
// the script did not change is the Go value of the argument itself, and a
// scalar that was written with the value it had is no change. The caller must
// treat all of it as immutable.
func (t *table) Plain() (any, error) {
	flat := flattening{vm: t.vm, result: true}
	v, _, err := flat.table(t, 0)
	if err == nil {
		return v, nil
	}
	var wrong *misfit
	if errors.As(err, &wrong) {
		return nil, t.vm.resultError("the result " + wrong.Error())
	}
	return nil, err
}

// misfit is a part of a value that has no plain form, and the path to it, which
// grows while the error goes up. The words follow "the result" or the like.
type misfit struct {
	reason string
	path   string
}

func (m *misfit) Error() string {
	if m.path == "" {
		return m.reason
	}
	return m.reason + " at " + m.path
}

// maxPath is how many bytes the path of a misfit has, before what is left out.
const maxPath = 200

// under adds a step to the path of a misfit.
func under(step string, err error) error {
	if m, ok := errors.AsType[*misfit](err); ok && len(m.path) < maxPath {
		m.path = step + m.path
	}
	return err
}

// underKey is under for the step to a field.
func underKey(key string, err error) error {
	if len(key) > maxPath {
		key = key[:maxPath] + "..."
	}
	return under("."+key, err)
}

// flattening makes plain values of tables.
type flattening struct {
	vm *machine
	// result reports whether the values leave the run, so that they will be encoded.
	result bool
}

// table flattens a table at a depth within the whole. It is not changed where it
// returns the very source of the table.
func (fl *flattening) table(t *table, depth int) (v any, changed bool, err error) {
	if depth >= fl.vm.limits.Nesting {
		return nil, false, &misfit{reason: fmt.Sprintf("nests deeper than %d tables, or holds itself,", fl.vm.limits.Nesting)}
	}
	cost := int64(tableBytes + len(t.fields)*fieldBytes + len(t.list)*valueBytes)
	if t.is.template {
		cost += int64(len(t.items)) * valueBytes
	}
	if t.hasPairs() {
		cost += int64(len(t.more.pairs)) * valueBytes
	}
	if err := fl.vm.pay(1+cost/gasBytes, cost); err != nil {
		return nil, false, err
	}
	if err := fl.enter(t); err != nil {
		return nil, false, err
	}
	if err := t.checkPairs(); err != nil {
		return nil, false, err
	}
	if t.IsList() {
		if t.IsMap() {
			return nil, false, &misfit{reason: "has both items and fields"}
		}
		return fl.list(t, depth)
	}
	return fl.fields(t, depth)
}

// value flattens any value of a script.
func (fl *flattening) value(v any, depth int) (flat any, changed bool, err error) {
	switch x := v.(type) {
	case *table:
		return fl.table(x, depth)
	case *function, *native:
		return nil, false, &misfit{reason: "has a function"}
	case *library:
		return nil, false, &misfit{reason: "has the library " + x.name}
	case string:
		return v, false, fl.text(x)
	case float64:
		if fl.result && (math.IsNaN(x) || math.IsInf(x, 0)) {
			return nil, false, &misfit{reason: "has a number that is not finite"}
		}
	}
	return v, false, nil
}

// enter pays for the source of a table.
func (fl *flattening) enter(t *table) error {
	if fl.result {
		return t.reach()
	}
	return t.handled()
}

// text pays for a text: it may stand in the value many times, and each time it is read,
// or encoded with a result.
func (fl *flattening) text(s string) error {
	if len(s) < gasBytes {
		return nil
	}
	memory := int64(0)
	if fl.result {
		memory = int64(len(s))
	}
	return fl.vm.pay(int64(len(s))/gasBytes, memory)
}

// fields flattens a table without items. The source is copied on the first
// difference.
func (fl *flattening) fields(t *table, depth int) (v any, changed bool, err error) {
	var out map[string]any
	if !t.is.fromMap {
		out = make(map[string]any, len(t.fields))
	}
	for i := range t.fields {
		f := &t.fields[i]
		v, changed, err := fl.value(f.value, depth+1)
		if err == nil {
			err = fl.text(f.key)
		}
		if err != nil {
			return nil, false, underKey(f.key, err)
		}
		if !f.written && !changed || f.written && t.holds(f.key, v) {
			continue
		}
		if out == nil {
			if err := fl.vm.pay(int64(len(t.src)), int64(len(t.src))*fieldBytes); err != nil {
				return nil, false, err
			}
			out = make(map[string]any, len(t.src)+1)
			maps.Copy(out, t.src)
		}
		if v == nil {
			delete(out, f.key)
			continue
		}
		out[f.key] = v
	}
	if out == nil {
		return t.src, false, nil
	}
	return out, true, nil
}

// holds reports whether writing v under key changes nothing in the source.
func (t *table) holds(key string, v any) bool {
	old, ok := t.src[key]
	if v == nil {
		return !ok
	}
	return ok && samePlain(old, v)
}

// list flattens a table with items. The source is copied on the first
// difference.
func (fl *flattening) list(t *table, depth int) (v any, changed bool, err error) {
	if !t.is.owned {
		if !t.is.template {
			return t.items, false, nil
		}
		for _, e := range t.items {
			if s, ok := e.(string); ok {
				if err := fl.text(s); err != nil {
					return nil, false, err
				}
			}
		}
		return slices.Clone(t.items), true, nil
	}
	changed = !t.is.fromList || len(t.list) != len(t.items)
	var out []any
	if changed {
		out = make([]any, len(t.list))
	}
	for i, e := range t.list {
		v, _, err := fl.value(e, depth+1)
		if err != nil {
			return nil, false, under("["+strconv.Itoa(i+1)+"]", err)
		}
		if !changed && !samePlain(t.items[i], v) {
			changed = true
			out = append(make([]any, 0, len(t.list)), t.items...)
		}
		if changed {
			out[i] = v
		}
	}
	if !changed {
		return t.items, false, nil
	}
	return out, true, nil
}
