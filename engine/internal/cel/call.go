// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"

	"github.com/dragoman-io/dragoman/builtin"
)

// implementations are those of functions, by the id of an overload and by the
// name of the function.
type implementations map[string]*functions.Overload

// call is a call that pays before it works. It takes the place of the call that
// cel-go planned, and does what that does. It hides that it is a call, so that
// no later step of the plan puts another in its place.
type call struct {
	id       int64
	function string
	overload string
	args     []interpreter.InterpretableV2
	work     work
}

// work makes a call whose arguments are known and no errors.
type work func(r *run, args []ref.Val) ref.Val

// ID returns the id of the node in the tree.
func (c *call) ID() int64 { return c.id }

// Eval does what Exec does.
func (c *call) Eval(a interpreter.Activation) ref.Val { return c.Exec(interpreter.AsFrame(a)) }

// Exec evaluates the arguments, pays, and makes the call.
func (c *call) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	r := runOf(frame)
	base := len(r.stack)
	for _, arg := range c.args {
		v := arg.Exec(frame)
		if types.IsUnknownOrError(v) {
			r.drop(base)
			return v
		}
		r.stack = append(r.stack, v)
	}
	r.node = c.id
	result := labelled(c.id, c.work(r, r.stack[base:]))
	r.drop(base)
	return result
}

// labelled names the node of an error that has none. One that cel-go shares between all
// programs is made again.
func labelled(id int64, v ref.Val) ref.Val {
	if e, ok := v.(*types.Err); ok && e.NodeID() == noNode {
		return types.NewErrWithNodeID(id, "%s", e.Error())
	}
	return types.LabelErrNode(id, v)
}

// metered returns the work of a library function: pay, call, pay for the result.
func (c *call) metered(impl *functions.Overload, charge charge) work {
	return func(r *run, args []ref.Val) ref.Val {
		if v := charge(&r.meter, args); v != nil {
			return v
		}
		result := c.invoke(impl, args)
		made(&r.meter, result)
		return result
	}
}

// invoke makes a call the way cel-go does.
func (c *call) invoke(impl *functions.Overload, args []ref.Val) ref.Val {
	if len(args) == 0 {
		return impl.Function()
	}
	if impl.OperandTrait == 0 || args[0].Type().HasTrait(impl.OperandTrait) {
		var result ref.Val
		switch {
		case len(args) == 1 && impl.Unary != nil:
			result = impl.Unary(args[0])
		case len(args) == 2 && impl.Binary != nil:
			result = impl.Binary(args[0], args[1])
		case impl.Function != nil:
			result = impl.Function(args...)
		default:
			return c.mismatch(args)
		}
		if err, ok := result.(*types.Err); ok && strings.HasPrefix(err.Error(), noOverload) {
			return c.mismatch(args)
		}
		return result
	}
	if receiver, ok := args[0].(traits.Receiver); ok && args[0].Type().HasTrait(traits.ReceiverType) {
		return receiver.Receive(c.function, c.overload, args[1:])
	}
	return c.mismatch(args)
}

// noOverload begins the message of cel-go for a call with arguments of types
// that the function does not take.
const noOverload = "no such overload"

// mismatch returns the error of a call with arguments of types that the function does not
// take.
func (c *call) mismatch(args []ref.Val) ref.Val {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = a.Type().TypeName()
	}
	name := c.function
	if symbol, ok := operators.FindReverse(name); ok && symbol != "" {
		if len(names) == 2 {
			return types.NewErr("%s: %s %s %s", noOverload, names[0], symbol, names[1])
		}
		name = symbol
	}
	return types.NewErr("%s: %s(%s)", noOverload, name, strings.Join(names, ", "))
}

// made pays for the result of a library function after the call: it is at most a few
// times larger than what was paid for.
func made(m *meter, v ref.Val) {
	switch x := v.(type) {
	case types.String, types.Bytes:
		m.text(bytesOf(v))
	case traits.Lister:
		m.list(length(x))
	case traits.Mapper:
		m.allocate(product(length(x), fieldBytes))
	}
}

// add is the work of +. Lists are copied: cel-go joins them as a tree, and
// reading that is no longer one step for an item.
func (c *call) add(impl *functions.Overload) work {
	return func(r *run, args []ref.Val) ref.Val {
		switch a := args[0].(type) {
		case types.String, types.Bytes:
			if a.Type() == args[1].Type() {
				r.text(sum(bytesOf(args[0]), bytesOf(args[1])))
			}
		case traits.MutableLister:
			if b, ok := args[1].(traits.Lister); ok {
				r.charge(length(b) / 2)
				r.allocate(product(2*itemBytes, length(b)))
			}
		case traits.Lister:
			if b, ok := args[1].(traits.Lister); ok {
				return concat(r, a, b)
			}
		}
		return c.invoke(impl, args)
	}
}

// concat joins two lists into a new one.
func concat(r *run, a, b traits.Lister) ref.Val {
	n, m := length(a), length(b)
	switch {
	case n == 0:
		return b
	case m == 0:
		return a
	}
	r.list(n + m)
	r.allocate(product(n+m, viewBytes))
	items := make([]ref.Val, 0, n+m)
	for i := range n {
		items = append(items, a.Get(types.Int(i)))
	}
	for i := range m {
		items = append(items, b.Get(types.Int(i)))
	}
	return types.NewRefValList(types.DefaultTypeAdapter, items)
}

// equal is the work of ==, which is in none of cel-go's tables.
func (c *call) equal(r *run, args []ref.Val) ref.Val {
	comparison(&r.meter, args)
	result := types.Equal(args[0], args[1])
	if types.IsError(result) {
		return c.mismatch(args)
	}
	return result
}

// unequal is the work of !=. What cannot be compared is not equal.
func (c *call) unequal(r *run, args []ref.Val) ref.Val {
	comparison(&r.meter, args)
	return types.Bool(types.Equal(args[0], args[1]) != types.True)
}

// hostMeter is what a function of builtin pays: gas, and memory for what it makes.
type hostMeter struct{ meter *meter }

// Charge ends the run where as much is not left.
func (h hostMeter) Charge(gas int64) {
	h.meter.charge(max(gas, 0))
	h.meter.allocate(product(max(gas, 0), gasBytes))
}

// work calls the function, which pays as it works, or after the call.
func (f Function) work(args []any, m builtin.Meter) (any, error) {
	if f.Work != nil {
		return f.Work(args, m)
	}
	result, gas, err := f.Call(args)
	m.Charge(gas)
	return result, err
}

// host is the work of a function of builtin.
func (c *call) host(f Function) work {
	return func(r *run, args []ref.Val) ref.Val {
		plain := make([]any, len(args))
		for i, a := range args {
			if f.InPlace {
				r.charge(bytesOf(a) / gasBytes)
			} else {
				r.charge(r.size(a).gas())
			}
			v, err := plainValue(&r.meter, a)
			if err != nil {
				return types.NewErr("%s: argument %d: %s", c.function, i+1, err.Error())
			}
			plain[i] = v
		}
		result, err := f.work(plain, hostMeter{&r.meter})
		if err != nil {
			return types.WrapErr(fmt.Errorf("%s: %w", c.function, err))
		}
		return types.DefaultTypeAdapter.NativeToValue(result)
	}
}
