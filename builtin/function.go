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
	// Type is any, string, number, quantity, map or list. A quantity is a string
	// such as 500m or 2Gi, or a number.
	Type string
	// Optional reports whether it may be missing or nil.
	Optional bool
}

// Node is a map or a list of a script, read in place.
type Node interface {
	// Get returns the value under a key of a map, nil where there is none.
	Get(key string) any
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
		accuratePodRequirements(),
		component(),
		concat(),
		condition(),
		conditionTrue(),
		earliest(),
		flinkMemory(),
		get(),
		getPodDependencies(),
		getResourceQuantity(),
		inQueue(),
		largestRequirements(),
		latest(),
		list(),
		merge(),
		mergeConditions(),
		observedByAll(),
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

// checked makes f check the number of arguments before the work. Optional arguments
// may be missing.
func checked(f Function, work func(args []any, m Meter) (any, error)) Function {
	least, _ := f.Arguments()
	return priced(f, func(args []any, m Meter) (any, error) {
		switch {
		case len(args) > len(f.Params):
			return nil, fmt.Errorf("%d arguments given; the form is %s", len(args), f.Signature())
		case len(args) < least:
			return nil, f.missing(len(args))
		}
		return work(args, m)
	})
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

// typeName names the type of a value for messages.
func typeName(v any) string {
	switch v.(type) {
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
		return "table"
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
