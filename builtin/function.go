// SPDX-License-Identifier: Apache-2.0

// Package builtin holds the functions that scripts of every language may call
// as kube.NAME. They are pure: plain values in, plain values out, no cluster, no
// clock, no state. A plain value is nil, bool, int64, float64, string, []any or
// map[string]any. Arguments are never changed; a result may share parts with
// them and must be treated as immutable.
//
// There is one list, Functions, from which each language binds what it needs
// and from which the reference is written. The package knows no language.
package builtin

import (
	"fmt"
	"strconv"
)

// Function is one function for scripts.
type Function struct {
	Name   string
	Params []Param
	// Variadic reports whether the last parameter may come any number of times, or not at
	// all.
	Variadic bool
	// Result names the type of the result, with "or nil" where it may be nil.
	Result string
	// Doc describes in one or two sentences what the function does.
	Doc string
	// InPlace reports whether Work also takes maps and lists as a Node; its result may
	// then be a part of an argument. All other functions take plain values.
	InPlace bool
	// Work computes the result, and charges m for each part of the work before it is done:
	// one for each node and for each 64 bytes that it handles, computed from the arguments
	// alone. An error describes to the author of a script what is wrong with the arguments.
	Work func(args []any, m Meter) (any, error)
	// Call is Work with what it charged.
	Call func(args []any) (result any, gas int64, err error)
}

// Meter takes what the work of a function costs.
type Meter interface {
	// Charge takes units of gas. It does not return where a run has not as many left.
	Charge(gas int64)
}

// total is a meter without a bound that adds up.
type total struct{ gas int64 }

func (t *total) Charge(gas int64) { t.gas += gas }

// priced returns f with the work, and with the Call that it makes.
func priced(f Function, work func(args []any, m Meter) (any, error)) Function {
	f.Work = work
	f.Call = func(args []any) (any, int64, error) {
		var t total
		result, err := work(args, &t)
		return result, t.gas, err
	}
	return f
}

// Param is one parameter of a Function.
type Param struct {
	Name string
	// Type is any, string, boolean, number, quantity, map, list, map or list, or path. A
	// quantity is a string such as 500m or 2Gi, or a number; a path is one of get.
	Type string
	// Optional reports whether it may be missing or nil.
	Optional bool

	// want is what messages have in place of the type; "" is the type.
	want string
	// shape returns what is wrong with a value of the type, and constant what is wrong
	// with one that is known before the call; nil checks nothing. A message follows the
	// name of the argument.
	shape, constant func(v any) error
}

// Node is a map or a list of a script, read in place.
type Node interface {
	// Get returns the value under a key of a map, nil where there is none.
	Get(key string) any
	// IsMap reports whether it has entries by keys, or was a map with none.
	IsMap() bool
	// Len is the number of items of a list, 0 for a map.
	Len() int
	// At returns item i of a list, from 0.
	At(i int) any
	// Empty reports whether there are neither items nor keys with a value. The work is
	// charged by the implementation.
	Empty() bool
}

// Functions lists all functions in the order of their names. The slice is the
// caller's.
func Functions() []Function {
	return []Function{
		accuratePodRequirements(podTemplate),
		component(),
		concat(),
		condition(),
		conditionTrue(),
		earliest(),
		flinkMemory(),
		get(),
		getPodDependencies(podTemplate),
		getResourceQuantity(),
		inQueue(),
		largestRequirements(),
		latest(),
		list(),
		merge(),
		mergeConditions(),
		observedByAll(),
		observedGeneration(),
		orNil(),
		pick(),
		references(),
		reflectStatus(),
		reported(),
		resourceAdd(),
		retainAdmission(),
		retainsReplicas(),
		share(),
		sumStatus(),
		totalReplicas(),
		worstConditions(),
	}
}

// Signature writes the function as a call: get(object, path, [default]).
func (f Function) Signature() string {
	s := f.Name + "("
	for i, p := range f.Params {
		if i > 0 {
			s += ", "
		}
		switch {
		case f.Variadic && i == len(f.Params)-1:
			s += p.Name + "..."
		case p.Optional:
			s += "[" + p.Name + "]"
		default:
			s += p.Name
		}
	}
	return s + ")"
}

// Arguments returns how many arguments a call has at least and at most; most is -1
// where there is no bound. Only optional arguments at the end may be missing.
func (f Function) Arguments() (least, most int) {
	most = len(f.Params)
	for i, p := range f.Params {
		if !p.Optional {
			least = i + 1
		}
	}
	if f.Variadic {
		most = -1
	}
	return least, most
}

// checked makes f check the number and the types of its arguments before the work.
// Optional arguments may be missing.
func checked(f Function, work func(args []any, m Meter) (any, error)) Function {
	return priced(f, func(args []any, m Meter) (any, error) {
		if err := f.CheckCount(len(args)); err != nil {
			return nil, err
		}
		if err := f.checkArguments(args); err != nil {
			return refused(m, err)
		}
		return work(args, m)
	})
}

// CheckCount returns an error where a call cannot have n arguments.
func (f Function) CheckCount(n int) error {
	least, most := f.Arguments()
	switch {
	case most >= 0 && n > most:
		return fmt.Errorf("%d arguments given; the form is %s", n, f.Signature())
	case n < least:
		return f.missing(n)
	}
	return nil
}

// checkArguments checks the types of arguments, and then their shapes.
func (f Function) checkArguments(args []any) error {
	for i, v := range args {
		if err := f.Check(i, v); err != nil {
			return err
		}
	}
	for i, p := range f.Params[:min(len(args), len(f.Params))] {
		if p.shape == nil || args[i] == nil {
			continue
		}
		if err := p.shape(args[i]); err != nil {
			return f.refuse(i, "%w", err)
		}
	}
	return nil
}

// refused returns an error about arguments; to look at them costs one.
func refused(m Meter, err error) (any, error) {
	m.Charge(1)
	return nil, err
}

// missing is the error for a call with only n arguments.
func (f Function) missing(given int) error {
	for f.Params[given].Optional {
		given++
	}
	return fmt.Errorf("argument %d (%s) is missing; the form is %s", given+1, f.Params[given].Name, f.Signature())
}

// arg returns argument i, nil where it is missing.
func arg(args []any, i int) any {
	if i < len(args) {
		return args[i]
	}
	return nil
}

// mapAt returns the map under key of v, or nil.
func mapAt(v any, key string) map[string]any {
	m, _ := v.(map[string]any)
	at, _ := m[key].(map[string]any)
	return at
}

// listAt returns the list under key of v, or nil.
func listAt(v any, key string) []any {
	m, _ := v.(map[string]any)
	at, _ := m[key].([]any)
	return at
}

// stringAt returns the string under key of v, or "".
func stringAt(v any, key string) string {
	m, _ := v.(map[string]any)
	at, _ := m[key].(string)
	return at
}

// TypeName names the type of a value as the messages of functions do.
func TypeName(v any) string { return typeName(v) }

// typeName names the type of a value for messages.
func typeName(v any) string {
	switch x := v.(type) {
	case nil:
		return "nil"
	case bool:
		return "boolean"
	case int64, float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "list"
	case map[string]any:
		return "map"
	case Node:
		if x.Len() > 0 {
			return "list"
		}
		return "map"
	case interface{ TypeName() string }:
		return x.TypeName()
	}
	return fmt.Sprintf("%T", v)
}

// quoted shows a value in a message, cut where it is long.
func quoted(v any) string {
	s, ok := v.(string)
	if !ok {
		return typeName(v)
	}
	return strconv.Quote(clipped(s))
}

// clipped returns a text for a message.
func clipped(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}
