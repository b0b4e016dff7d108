// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"errors"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine/script"
)

// kubeLibrary binds the functions that both script languages have.
func kubeLibrary(functions []builtin.Function) *library {
	var natives []*native
	for _, f := range functions {
		natives = append(natives, &native{name: f.Name, one: bind(f)})
	}
	return newLibrary("kube", natives)
}

// bind makes a library function of a function on plain values. Its arguments are
// paid for before the call; see handled. What it handles counts as memory too.
func bind(f builtin.Function) func(c call) any {
	return func(c call) any {
		for i, v := range c.args {
			if s, ok := v.(string); ok {
				c.vm.handle(len(s))
			} else if !f.InPlace {
				c.args[i] = c.plain(i, v)
			}
		}
		result, gas, err := f.Call(c.args)
		c.vm.charge(gas)
		if err != nil {
			c.fail("%s: %v", c.fn.name, err)
		}
		if f.InPlace {
			return c.inPlace(result)
		}
		c.vm.allocate(gas * gasBytes)
		if n, ok := result.(float64); ok {
			return whole(n)
		}
		return made(c.vm.wrap(result))
	}
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
