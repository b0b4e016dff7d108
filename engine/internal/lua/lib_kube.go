// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"errors"
	"fmt"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine/script"
)

// kubeLibrary binds the functions that both script languages have.
func kubeLibrary(functions []builtin.Function) *library {
	var natives []*native
	for _, f := range functions {
		natives = append(natives, &native{name: f.Name, one: bind(f), kube: &f})
	}
	return newLibrary("kube", natives)
}

// bind makes a library function of a function on plain values. Its arguments are
// paid for before the call; see handled. What it handles is paid as it works, and counts
// as memory too, unless it looks at tables in place.
func bind(f builtin.Function) func(c call) any {
	return func(c call) any {
		if l, ok := c.arg(0).(*library); ok && l.members[f.Name] == any(c.fn) {
			c.fail("%s", colon(l.name, f.Name))
		}
		for i, v := range c.args {
			if s, ok := v.(string); ok {
				c.vm.handle(len(s))
			} else if !f.InPlace {
				c.args[i] = c.plain(i, v)
			}
		}
		if f.InPlace {
			result, err := f.Work(c.args, reading{c.vm})
			if err != nil {
				c.refuse(err)
			}
			return c.inPlace(result)
		}
		result, err := f.Work(c.args, making{c.vm})
		if err != nil {
			c.refuse(err)
		}
		if n, ok := result.(float64); ok {
			return whole(n)
		}
		return made(c.vm.wrap(result))
	}
}

// colon is the message about a call of a function of a library with a colon.
func colon(library, function string) string {
	return fmt.Sprintf("%[1]s:%[2]s passes %[1]s itself as the first argument; write %[1]s.%[2]s", library, function)
}

// refuse fails because of the arguments, at the one that the error is about.
func (c call) refuse(err error) {
	e := &failure{code: script.Type, line: c.line(), message: fmt.Sprintf("%s: %v", c.fn.name, err)}
	if wrong, ok := errors.AsType[*builtin.ArgumentError](err); ok {
		e.expression = c.form(wrong.Index)
	}
	panic(e)
}

// reading is the meter of a function that looks at tables in place.
type reading struct{ vm *machine }

// Charge takes gas; it ends the run where that is not left.
func (r reading) Charge(gas int64) { r.vm.charge(gas) }

// making is the meter of a function whose result is a new value.
type making struct{ vm *machine }

// Charge takes gas, and memory for what is made for it; it ends the run where that is
// not left.
func (m making) Charge(gas int64) {
	m.vm.charge(gas)
	m.vm.allocate(gas * gasBytes)
}

// inPlace returns a result that may be a part of an argument.
func (c call) inPlace(v any) any {
	switch v.(type) {
	case *table, *function, *native, *library:
		return v
	}
	return c.vm.wrap(v)
}

// plain returns an argument as a plain value, and pays for it.
func (c call) plain(i int, v any) any {
	flat := flattening{vm: c.vm}
	p, _, err := flat.value(v, 0)
	if err == nil {
		return p
	}
	if e, ok := errors.AsType[*script.Error](err); ok && e.Code != script.Result {
		c.vm.exceed(e.Code, c.vm.frame.at)
	}
	c.bad(i, "it "+err.Error())
	return nil
}

var _ builtin.Node = (*table)(nil)

// Get reads a field as the script does: a map or list in it is a table that
// the script can write to.
func (t *table) Get(key string) any { return t.getField(key) }

// At reads item i, from 0, as the script does.
func (t *table) At(i int) any { return t.getItem(int64(i) + 1) }

// Empty reports whether next finds nothing in the table.
func (t *table) Empty() bool { return t.empty() }
