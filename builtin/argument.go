// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"cmp"
	"fmt"
)

// ArgumentError is what is wrong with one argument of a call.
type ArgumentError struct {
	// Index is that of the argument, from 0.
	Index   int
	message string
}

// Error returns what is wrong, beginning with the name of the argument.
func (e *ArgumentError) Error() string { return e.message }

// Check returns an *ArgumentError where v cannot be argument i of a call, from 0: it has
// another type than the parameter, or is nil and the parameter is not optional. It looks at
// v alone, not at its parts. An argument that the function does not take has no error.
func (f Function) Check(i int, v any) error {
	p, ok := f.param(i)
	switch {
	case !ok, v == nil && p.Optional, v != nil && p.takes(v):
		return nil
	case p.Type == "path" && v != nil:
		return f.refuse(i, "must be a string with dots between the keys, or a list of keys, not %s; the form is %s", named(v), f.Signature())
	}
	return f.refuse(i, "must be %s, not %s; the form is %s", cmp.Or(p.want, article(p.Type)), named(v), f.Signature())
}

// CheckConstant is Check for an argument that is known before the call, also for what is in
// it: a path, and the kind of references.
func (f Function) CheckConstant(i int, v any) error {
	if err := f.Check(i, v); err != nil || v == nil {
		return err
	}
	p, _ := f.param(i)
	if p.constant == nil {
		return nil
	}
	if err := p.constant(v); err != nil {
		return f.refuse(i, "%w", err)
	}
	return nil
}

// refuse returns an error about argument i.
func (f Function) refuse(i int, format string, args ...any) error {
	p, _ := f.param(i)
	return &ArgumentError{i, p.Name + " " + fmt.Errorf(format, args...).Error()}
}

// param returns the parameter that argument i is for.
func (f Function) param(i int) (Param, bool) {
	last := len(f.Params) - 1
	switch {
	case i <= last:
		return f.Params[i], true
	case f.Variadic:
		return f.Params[last], true
	}
	return Param{}, false
}

// takes reports whether a value that is not nil has the type of the parameter.
func (p Param) takes(v any) bool {
	switch p.Type {
	case "string":
		return isString(v)
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "number":
		return isNumber(v)
	case "quantity":
		return isString(v) || isNumber(v)
	case "map":
		return isMap(v)
	case "list":
		return isList(v)
	case "map or list":
		return isMap(v) || isList(v)
	case "path":
		return isString(v) || isList(v)
	}
	return true
}

func isString(v any) bool {
	_, ok := v.(string)
	return ok
}

func isNumber(v any) bool {
	switch v.(type) {
	case int64, float64:
		return true
	}
	return false
}

// isMap reports whether v is a map, or a list without items: Lua writes both as {}.
func isMap(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		return true
	case []any:
		return len(x) == 0
	case Node:
		return x.IsMap() || x.Len() == 0
	}
	return false
}

// isList reports whether v is a list, or a map without entries.
func isList(v any) bool {
	switch x := v.(type) {
	case []any:
		return true
	case map[string]any:
		return len(x) == 0
	case Node:
		return x.Len() > 0 || !x.IsMap()
	}
	return false
}

// article returns the name of a type with its article.
func article(name string) string {
	if name == "map or list" {
		return "a map or a list"
	}
	return "a " + name
}

// named returns the type of a value with its article; nil has none.
func named(v any) string {
	if v == nil {
		return "nil"
	}
	return "a " + typeName(v)
}
