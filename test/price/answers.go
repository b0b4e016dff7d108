// SPDX-License-Identifier: Apache-2.0

package price

import (
	"fmt"
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
	value      any
	large      bool
}

// form is a way in which an answer comes.
type form struct {
	name                  string
	published, expression bool
}

var forms = []form{{name: "bundle"}, {name: "published", published: true}, {name: "CEL", expression: true}}

// Answers returns trials that read each field of each result of each operation, in each
// form.
func Answers(c *engine.Compiler) ([]Trial, error) {
	var all []Trial
	for _, op := range engine.Operations() {
		for _, f := range forms {
			echo, err := echoOf(c, op, f)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", op.Name, f.name, err)
			}
			for i, r := range op.Results {
				answers, err := answersOf(r)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", op.Name, err)
				}
				for _, a := range answers {
					all = append(all, echo.trial(i, a))
				}
			}
		}
	}
	return all, nil
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
func (e echo) trial(i int, a answer) Trial {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "price.example/v1", "kind": "Price", "metadata": map[string]any{"name": "a"}}}
	if i > 0 {
		o.Object["r0"] = int64(1)
	}
	o.Object[fmt.Sprint("r", i)] = a.value
	q := engine.Request{Operation: e.op.Name, Object: o, Observed: o, Items: []any{}, Replicas: 1}
	subject := fmt.Sprintf("answer %s %s", e.op.Name, a.path)
	return Trial{
		Subject: subject, Function: subject, Arguments: a.what + ", " + e.form.name, large: a.large,
		run: func(n int64, _ script.Limits) (script.Usage, error) {
			if n == 0 {
				return script.Usage{}, nil
			}
			*e.used = script.Usage{}
			_, err := e.interpreter.Snapshot().Evaluate(q)
			return *e.used, err
		},
	}
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
			m := minimal(t)
			m[name] = a.value
			a.value = m
			all = append(all, a)
		}
	}
	m := minimal(t)
	for i := range 100_000 {
		m[fmt.Sprint("f", i)] = int64(i)
	}
	long := minimal(t)
	long[strings.Repeat("f", 1_000_000)] = "x"
	return append(all, answer{path, "100,000 unknown fields", m, true}, answer{path, "a long unknown field", long, true})
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
		item = func(i int) any {
			m := minimal(elem)
			if m["name"] != nil {
				m["name"] = fmt.Sprint("a", i)
			}
			return m
		}
	}
	all := []answer{
		{path, "100,000 items", list(100_000, item), true},
		{path, "100,000 equal items", list(100_000, func(int) any { return item(0) }), true},
		{path, "100,000 empty items", list(100_000, func(int) any { return map[string]any{} }), true},
		{path, "100,000 items that are null", list(100_000, func(int) any { return nil }), true},
	}
	for _, a := range hostile(elem, path+"[]", depth+1) {
		a.value = []any{a.value}
		all = append(all, a)
	}
	return all
}

// keyed returns maps of many keys, of long ones, and of one that is hostile.
func keyed(t reflect.Type, path string, depth int) []answer {
	many, long := map[string]any{}, map[string]any{}
	for i := range 100_000 {
		many[fmt.Sprint("k", i)] = "1"
	}
	for i := range 10 {
		long[strings.Repeat("k", 100_000)+fmt.Sprint(i)] = "1"
	}
	all := []answer{{path, "100,000 keys", many, true}, {path, "long keys", long, true}}
	for _, a := range hostile(t.Elem(), path+".k", depth+1) {
		a.value = map[string]any{"k": a.value}
		all = append(all, a)
	}
	return all
}

// wrong returns values of all kinds: where a number or a text is read, nearly all are of
// a wrong type.
func wrong(path string) []answer {
	deep := map[string]any{}
	for range 5_000 {
		deep = map[string]any{"a": deep}
	}
	return []answer{
		{path, "a long text", strings.Repeat("a", 1_000_000), false},
		{path, "a text that is broken", strings.Repeat("\xff", 1_000_000), false},
		{path, "a number", int64(-1 << 63), false},
		{path, "a large number", 1e308, false},
		{path, "a small number", 5e-324, false},
		{path, "a boolean", true, false},
		{path, "a list of numbers", list(100_000, func(i int) any { return int64(i) }), false},
		{path, "a wide map", many60000(), false},
		{path, "a deep map", deep, false},
	}
}

// quantities returns quantities that take a parser long.
func quantities(path string) []answer {
	var all []answer
	for _, text := range []string{"0.1e-99999999", "1e99999999", "1.5", strings.Repeat("9", 30) + "e-9", "0." + strings.Repeat("3", 200)} {
		all = append(all, answer{path, "quantity " + text, text, false})
	}
	return append(all, wrong(path)...)
}

// shapes returns maps for a result that is plain JSON or an object.
func shapes(path string) []answer {
	var all []answer
	for name, v := range map[string]any{
		"empty maps": map[string]any{strings.Repeat("k", 200_000): list(20_000, func(int) any { return map[string]any{} })},
		"numbers":    map[string]any{strings.Repeat("k", 200_000): list(100_000, func(i int) any { return int64(i) })},
		"small maps": map[string]any{"a": list(60_000, func(i int) any { return map[string]any{"a": int64(i)} })},
		"wide map":   many60000(),
	} {
		all = append(all, answer{path, name, v, true})
	}
	return append(all, wrong(path)...)
}
