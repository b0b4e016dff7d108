// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"errors"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Two calls stand in nearly every script, kube.get(object, path) and next(t) as a
// condition. Where the source shows that a call is one of them, it takes a shorter
// way to the same answer.

// shortGet compiles a call of kube.get whose path stands in the source, or returns
// nil. It makes no table of the path, none of a default that is not needed, and no
// views on the way to a scalar.
func (c *compiler) shortGet(e *ast.FuncCallExpr) expression {
	at, ok := e.Func.(*ast.AttrGetExpr)
	if !ok || len(e.Args) < 2 || len(e.Args) > 3 || isMultiple(e.Args[len(e.Args)-1]) {
		return nil
	}
	if v, ok := c.known(at); !ok || v != any(c.environment.get) {
		return nil
	}
	nodes := pathOf(e.Args[1])
	if len(nodes) == 0 || isWrongPath(e.Args[1]) {
		return nil
	}
	// The call, the function with its library, and the path are nodes.
	c.nodes += 4
	g := &getting{call: e, get: c.environment.get, object: c.expression(e.Args[0]), cost: nativeGas + 1}
	for _, n := range nodes {
		g.add(n, c)
	}
	if _, isList := e.Args[1].(*ast.TableExpr); isList {
		c.nodes += int64(len(nodes) - g.computed)
	}
	if len(e.Args) == 3 {
		g.otherwise = c.expression(e.Args[2])
		g.eager = !harmless(e.Args[2])
	}
	if g.computed > 0 {
		return g.variable
	}
	return g.constant
}

// longestPath is how many keys a path has at most that is divided at compile time: a key
// takes more memory than the dot that begins it.
const longestPath = 64

// pathOf returns the keys of a path that stands in the source, else nil.
func pathOf(e ast.Expr) []ast.Expr {
	var keys []ast.Expr
	switch e := e.(type) {
	case *ast.StringExpr:
		if strings.Count(e.Value, ".") >= longestPath {
			return nil
		}
		for key := range strings.SplitSeq(e.Value, ".") {
			keys = append(keys, &ast.StringExpr{Value: key})
		}
	case *ast.TableExpr:
		for _, f := range e.Fields {
			switch f.Value.(type) {
			case *ast.StringExpr, *ast.IdentExpr:
			default:
				return nil
			}
			if f.Key != nil {
				return nil
			}
			keys = append(keys, f.Value)
		}
	}
	return keys
}

// isWrongPath reports whether a path that stands in the source is one that kube.get refuses
// at run time.
func isWrongPath(e ast.Expr) bool {
	text, ok := e.(*ast.StringExpr)
	return ok && builtin.IsWrongPath(text.Value)
}

// harmless reports whether evaluating e has no visible effect.
func harmless(e ast.Expr) bool {
	if t, ok := e.(*ast.TableExpr); ok {
		return len(t.Fields) == 0
	}
	_, ok := constant(e)
	return ok
}

// getting is a call of kube.get with a path of known length.
type getting struct {
	call   *ast.FuncCallExpr
	get    *native
	object expression
	keys   []string
	// values returns the keys that are not constant, computed of them; nil stands for
	// one that is.
	values    []expression
	computed  int
	otherwise expression
	// eager reports whether otherwise is evaluated in any case, before the walk.
	eager bool
	// cost is the gas of the call with the constant keys.
	cost int64
}

// maxShortPath is the longest path with keys that are not constant which needs no
// memory.
const maxShortPath = 8

// add appends a key.
func (g *getting) add(e ast.Expr, c *compiler) {
	if key, ok := e.(*ast.StringExpr); ok {
		g.keys, g.values = append(g.keys, key.Value), append(g.values, nil)
		g.cost += stepGas(key.Value)
		return
	}
	g.keys, g.values = append(g.keys, ""), append(g.values, c.expression(e))
	g.computed++
}

// stepGas is what one step of a path costs.
func stepGas(key string) int64 { return 1 + int64(len(key))/gasBytes }

// constant runs the call where all keys are constant.
func (g *getting) constant(f *frame) any {
	return g.walk(f, g.object(f), g.keys)
}

// variable runs the call where some are not.
func (g *getting) variable(f *frame) any {
	object := g.object(f)
	var few [maxShortPath]string
	keys := append(few[:0], g.keys...)
	for i, value := range g.values {
		if value == nil {
			continue
		}
		v := value(f)
		key, ok := v.(string)
		if v == nil && g.ends(f, i) {
			keys = keys[:i]
			break
		}
		if !ok {
			panic(&failure{code: script.Type, line: g.call.Line(), message: "kube.get: a key of a path must be a string, not a " + builtin.TypeName(v)})
		}
		f.vm.charge(stepGas(key))
		keys[i] = key
	}
	return g.walk(f, object, keys)
}

// ends reports whether no key from i on has a value: a list does not hold nil at its end.
func (g *getting) ends(f *frame, i int) bool {
	for _, value := range g.values[i:] {
		if value == nil || value(f) != nil {
			return false
		}
	}
	return true
}

// walk returns the value at the end of the path, or the default.
func (g *getting) walk(f *frame, object any, keys []string) any {
	vm := f.vm
	var otherwise any
	if g.eager {
		otherwise = g.otherwise(f)
	}
	vm.charge(g.cost)
	if isNoMap(object) || len(keys) == 0 {
		g.refuse(object, keys)
	}
	v := dig(object, keys)
	if v == nil && g.otherwise != nil {
		v = otherwise
		if !g.eager {
			v = g.otherwise(f)
		}
	}
	vm.count = 1
	return v
}

// isNoMap reports whether kube.get reads no fields of a value.
func isNoMap(v any) bool {
	if t, ok := v.(*table); ok {
		return t.Len() > 0 && !t.IsMap()
	}
	return v != nil
}

// refuse fails as the function itself does for an object that is no map, or no keys.
func (g *getting) refuse(object any, keys []string) {
	e := &failure{code: script.Type, line: g.call.Line()}
	path := make([]any, 0, len(keys))
	for _, key := range keys {
		path = append(path, key)
	}
	_, _, err := g.get.kube.Call([]any{object, path})
	if err == nil {
		return
	}
	e.message = g.get.name + ": " + err.Error()
	if wrong, ok := errors.AsType[*builtin.ArgumentError](err); ok {
		e.expression = describe(g.call.Args[wrong.Index])
	}
	panic(e)
}

// shortNext compiles next(t) where only its truth counts, or returns nil.
func (c *compiler) shortNext(e ast.Expr) condition {
	call, ok := e.(*ast.FuncCallExpr)
	if !ok || len(call.Args) != 1 || isMultiple(call.Args[0]) {
		return nil
	}
	name, ok := call.Func.(*ast.IdentExpr)
	if !ok || name.Value != "next" || c.settle(name).place != placeConstant {
		return nil
	}
	// The call and the function are nodes.
	c.nodes += 2
	object := c.expression(call.Args[0])
	return func(f *frame) bool {
		v := object(f)
		t, ok := v.(*table)
		if !ok {
			f.fail(call.Args[0], "bad argument #1 to 'next': table expected, got %s%s", kindName(v), of(call.Args[0]))
		}
		f.vm.charge(nativeGas)
		return !t.empty()
	}
}

// empty reports whether the table has no entries.
func (t *table) empty() bool {
	if t.length() > 0 || t.hasFields() || t.hasPairs() {
		return false
	}
	t.vm.charge(int64(len(t.src)))
	for key, v := range t.src {
		if v != nil && !t.deleted(key) {
			return false
		}
	}
	return true
}
