// SPDX-License-Identifier: Apache-2.0

package price

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// answer is a value for a result that is hostile at one place.
type answer struct {
	// path is the place, such as requires.nodeClaim.tolerations; what is what stands
	// there.
	path, what string
	// value makes the value: many are of a hundred thousand parts.
	value func() any
	large bool
}

// fixed returns a function that returns v.
func fixed(v any) func() any { return func() any { return v } }

// form is a way in which an answer comes.
type form struct {
	name                  string
	published, expression bool
}

var forms = []form{{name: "bundle"}, {name: "published", published: true}, {name: "CEL", expression: true}}

// Answers returns each field of each result of each operation, to be read in each form.
func Answers(c *engine.Compiler) ([]*Subject, error) {
	var all []*Subject
	for _, op := range engine.Operations() {
		for i, r := range op.Results {
			answers, err := answersOf(r)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", op.Name, err)
			}
			all = append(all, fieldsOf(c, op, i, answers)...)
		}
	}
	return all, nil
}

// fieldsOf returns the places at which the answers as result i are hostile.
func fieldsOf(c *engine.Compiler, op engine.Operation, i int, answers []answer) []*Subject {
	at := map[string][]answer{}
	for _, a := range answers {
		at[a.path] = append(at[a.path], a)
	}
	var all []*Subject
	for _, path := range sortedKeys(at) {
		name := fmt.Sprintf("answer %s %s", op.Name, path)
		all = append(all, &Subject{Name: name, function: name, trials: func(s *Subject) (trials []Trial, err error) {
			echoes := make([]echo, len(forms))
			for n, f := range forms {
				if echoes[n], err = echoOf(c, op, f); err != nil {
					return nil, fmt.Errorf("%s: %w", f.name, err)
				}
			}
			for _, a := range at[path] {
				a.value = lent(a.value, len(forms))
				for _, e := range echoes {
					trials = append(trials, e.trial(s, i, a))
				}
			}
			return trials, nil
		}})
	}
	return all
}

// lent returns a function that makes a value for n calls, which come one after the other,
// and keeps it no longer. Nobody changes it.
func lent(value func() any, n int) func() any {
	var made any
	left := 0
	return func() any {
		if left == 0 {
			made, left = value(), n
		}
		v := made
		if left--; left == 0 {
			made = nil
		}
		return v
	}
}

// echo answers an operation with what stands in its object.
type echo struct {
	op          engine.Operation
	form        form
	interpreter *engine.Interpreter
	used        *script.Usage
}

var kind = schema.GroupVersionKind{Group: "price.example", Version: "v1", Kind: "Price"}

func echoOf(c *engine.Compiler, op engine.Operation, f form) (echo, error) {
	e := echo{op: op, form: f, used: &script.Usage{}}
	first := op.ParamNames()[0]
	unit := engine.Script{File: "price", Operation: op.Name}
	compile := c.Lua
	if f.expression {
		compile = c.CEL
		unit.Text = first + ".?r0"
		if op.Name == engine.InterpretReplica {
			unit.Text = `{"replicas": object.?r0, "requirements": object.?r1}`
		}
	} else {
		unit.Text = fmt.Sprintf("function %s(o) return o.r0, o.r1 end", op.Entry)
	}
	program, err := compile(unit)
	if err != nil {
		return e, err
	}
	e.interpreter = engine.NewInterpreter(engine.Options{Observe: func(r engine.Run) { *e.used = r.Usage }})
	rule := &engine.Rule{Program: program, Origin: "price", Compat: f.published, Expression: f.expression}
	return e, e.interpreter.Set(engine.Embedded, engine.RuleSet{Name: "price", Kinds: map[schema.GroupVersionKind]engine.Rules{kind: {op.Name: rule}}})
}

// trial answers with an answer as result i. It is read once, or not at all.
func (e echo) trial(s *Subject, i int, a answer) Trial {
	return Trial{Subject: s, Arguments: a.what + ", " + e.form.name, large: a.large, litters: true, prepare: func() runner {
		q := e.request(i, a)
		return func(n int64, _ script.Limits) (script.Usage, error) {
			if n == 0 {
				return script.Usage{}, nil
			}
			*e.used = script.Usage{}
			_, err := e.interpreter.Snapshot().Evaluate(q)
			return *e.used, err
		}
	}}
}

// request asks about an object that has an answer as result i.
func (e echo) request(i int, a answer) engine.Request {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "price.example/v1", "kind": "Price", "metadata": map[string]any{"name": "a"}}}
	if i > 0 {
		o.Object["r0"] = int64(1)
	}
	o.Object[fmt.Sprint("r", i)] = a.value()
	return engine.Request{Operation: e.op.Name, Object: o, Observed: o, Items: []any{}, Replicas: 1}
}

// answersOf returns hostile values for a result.
func answersOf(r engine.Result) ([]answer, error) {
	switch r.Type {
	case "map of strings":
		return hostile(reflect.TypeFor[map[string]string](), r.Name, 0), nil
	case "map", "map or nil":
		return shapes(r.Name), nil
	}
	if !r.Typed() {
		return wrong(r.Name), nil
	}
	zero, err := r.Read([]byte("null"), false)
	if err != nil {
		return nil, err
	}
	return hostile(reflect.TypeOf(zero), r.Name, 0), nil
}

// hostile returns values that a type is read from, hostile at one place each.
func hostile(t reflect.Type, path string, depth int) []answer {
	if depth > 8 {
		return nil
	}
	switch {
	case t == reflect.TypeFor[resource.Quantity]():
		return quantities(path)
	case t.Kind() == reflect.Pointer:
		return hostile(t.Elem(), path, depth)
	case t.Kind() == reflect.Struct:
		return append(structured(t, path, depth), wrong(path)...)
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return append(listed(t, path, depth), wrong(path)...)
	case t.Kind() == reflect.Map:
		return append(keyed(t, path, depth), wrong(path)...)
	}
	return wrong(path)
}

// structured returns maps with one field hostile, and with fields that the type does not
// have.
func structured(t reflect.Type, path string, depth int) []answer {
	var all []answer
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		for _, a := range hostile(field.Type, path+"."+name, depth+1) {
			all = append(all, a.in(func(v any) any {
				m := minimal(t)
				m[name] = v
				return m
			}))
		}
	}
	unknown := func() any {
		m := minimal(t)
		for i := range 100_000 {
			m[fmt.Sprint("f", i)] = int64(i)
		}
		return m
	}
	long := func() any {
		m := minimal(t)
		m[strings.Repeat("f", 1_000_000)] = "x"
		return m
	}
	return append(all, answer{path, "100,000 unknown fields", unknown, true}, answer{path, "a long unknown field", long, true})
}

// in returns the answer with its value in another.
func (a answer) in(outer func(v any) any) answer {
	inner := a.value
	a.value = func() any { return outer(inner()) }
	return a
}

// minimal returns the least map that a struct is read from: texts and numbers.
func minimal(t reflect.Type) map[string]any {
	m := map[string]any{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		switch t.Field(i).Type.Kind() {
		case reflect.String:
			m[name] = "a"
		case reflect.Int32, reflect.Int64:
			m[name] = int64(1)
		}
	}
	return m
}

// listed returns lists of many items, and of one that is hostile.
func listed(t reflect.Type, path string, depth int) []answer {
	elem := t.Elem()
	item := func(i int) any { return fmt.Sprint("a", i) }
	if elem.Kind() == reflect.Struct {
		least := minimal(elem)
		item = func(i int) any {
			m := maps.Clone(least)
			if m["name"] != nil {
				m["name"] = fmt.Sprint("a", i)
			}
			return m
		}
	}
	all := []answer{
		{path, "100,000 items", listOf(100_000, item), true},
		{path, "100,000 equal items", listOf(100_000, func(int) any { return item(0) }), true},
		{path, "100,000 empty items", listOf(100_000, func(int) any { return map[string]any{} }), true},
		{path, "100,000 items that are null", listOf(100_000, func(int) any { return nil }), true},
	}
	for _, a := range hostile(elem, path+"[]", depth+1) {
		all = append(all, a.in(func(v any) any { return []any{v} }))
	}
	return all
}

// keyed returns maps of many keys, of long ones, and of one that is hostile.
func keyed(t reflect.Type, path string, depth int) []answer {
	many := func() any { return keys(100_000, "k") }
	long := func() any { return keys(10, strings.Repeat("k", 100_000)) }
	all := []answer{{path, "100,000 keys", many, true}, {path, "long keys", long, true}}
	for _, a := range hostile(t.Elem(), path+".k", depth+1) {
		all = append(all, a.in(func(v any) any { return map[string]any{"k": v} }))
	}
	return all
}

// keys returns a map of n keys that begin alike.
func keys(n int, prefix string) map[string]any {
	m := map[string]any{}
	for i := range n {
		m[prefix+fmt.Sprint(i)] = "1"
	}
	return m
}

// listOf returns a function that makes a list.
func listOf(n int, value func(i int) any) func() any {
	return func() any { return list(n, value) }
}

// wrong returns values of all kinds: where a number or a text is read, nearly all are of
// a wrong type.
func wrong(path string) []answer {
	deep := func() any {
		m := map[string]any{}
		for range 5_000 {
			m = map[string]any{"a": m}
		}
		return m
	}
	return []answer{
		{path, "a long text", func() any { return strings.Repeat("a", 1_000_000) }, false},
		{path, "a text that is broken", func() any { return strings.Repeat("\xff", 1_000_000) }, false},
		{path, "a number", fixed(int64(-1 << 63)), false},
		{path, "a large number", fixed(1e308), false},
		{path, "a small number", fixed(5e-324), false},
		{path, "a boolean", fixed(true), false},
		{path, "a list of numbers", listOf(100_000, func(i int) any { return int64(i) }), false},
		{path, "a wide map", func() any { return many60000() }, false},
		{path, "a deep map", deep, false},
	}
}

// quantities returns quantities that take a parser long.
func quantities(path string) []answer {
	var all []answer
	for _, text := range []string{"0.1e-99999999", "1e99999999", "1.5", strings.Repeat("9", 30) + "e-9", "0." + strings.Repeat("3", 200)} {
		all = append(all, answer{path, "quantity " + text, fixed(text), false})
	}
	return append(all, wrong(path)...)
}

// shapes returns maps for a result that is plain JSON or an object.
func shapes(path string) []answer {
	long := strings.Repeat("k", 200_000)
	return append([]answer{
		{path, "empty maps", func() any {
			return map[string]any{long: list(20_000, func(int) any { return map[string]any{} })}
		}, true},
		{path, "numbers", func() any { return map[string]any{long: list(100_000, func(i int) any { return int64(i) })} }, true},
		{path, "small maps", func() any {
			return map[string]any{"a": list(60_000, func(i int) any { return map[string]any{"a": int64(i)} })}
		}, true},
		{path, "wide map", func() any { return many60000() }, true},
	}, wrong(path)...)
}
