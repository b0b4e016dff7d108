// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// FuzzDecode reads values as the answers of all operations, in each form of a script,
// with a part that comes again and again.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"name": "a$", "replicas": 1}`, `{"apiVersion": "v1", "kind": "Secret", "name": "a$"}`, `{"apiVersion": "v1", "kind": "Secret", "labelSelector": {"matchLabels": {"a": "b$"}}}`, `"/a/$"`, `"/metadata/name"`,
		`{"resourceRequest": {"cpu": "0.1e-9999999"}}`, `{"nodeClaim": {"tolerations": [{"key": "a$", "x": 1}]}}`, `{"a$": {}}`, `[[[[]]]]`, `"$"`, `1e308`, `{"a": null}`, `9007199254740993`,
	} {
		f.Add(s, uint16(500), false)
		f.Add(s, uint16(4_000), true)
	}
	i := answering(f)
	f.Fuzz(func(t *testing.T, item string, n uint16, keyed bool) {
		answer, ok := repeated(item, n, keyed)
		if !ok {
			return
		}
		for _, a := range answered {
			for _, op := range engine.Operations() {
				o := &unstructured.Unstructured{Object: map[string]any{
					"apiVersion": "fuzz.example/" + a.version, "kind": "Answer", "metadata": map[string]any{"name": "a"}, "answer": answer, "second": answer,
				}}
				costs(t, fmt.Sprintf("%s in the form %s", op.Name, a.version), func() { evaluates(t, i, op, o) })
			}
		}
	})
}

// repeated returns a list, or a map, of a value that is JSON; $ in it is a number, another
// one each time.
func repeated(item string, n uint16, keyed bool) (any, bool) {
	var list []any
	fields := map[string]any{}
	for i := range min(int(n), mostRepeated/max(1, len(item)/8)) {
		var v any
		if utiljson.Unmarshal([]byte(strings.ReplaceAll(item, "$", fmt.Sprint(i))), &v) != nil {
			return nil, false
		}
		list = append(list, v)
		fields[fmt.Sprint(i)] = v
	}
	if keyed {
		return fields, true
	}
	return list, true
}

// evaluates asks one operation; the error, if any, is one of a script and no defect.
func evaluates(t *testing.T, i *engine.Interpreter, op engine.Operation, o *unstructured.Unstructured) {
	t.Helper()
	_, err := i.Snapshot().Evaluate(engine.Request{Operation: op.Name, Object: o, Observed: o, Items: []any{}, Replicas: 1})
	var failure *script.Error
	if err != nil && (!errors.As(err, &failure) || failure.Code == script.Internal) {
		t.Fatalf("%s: %.300v", op.Name, err)
	}
}

// FuzzPublished passes objects through scripts of the published form that give them back,
// changed a little: an object whose key is long, and whose values come again and again.
func FuzzPublished(f *testing.F) {
	for _, s := range []string{`{}`, `[]`, `{"a": {}}`, `[[], {}, null]`, `9007199254740993`, `{"a": null, "b": [1, 2.5]}`, `"x"`, `[[[[{}]]]]`} {
		f.Add(s, uint16(2_000), uint16(50_000), uint16(3), false)
		f.Add(s, uint16(10), uint16(10), uint16(2_000), true)
	}
	i := published(f)
	f.Fuzz(func(t *testing.T, item string, n, key, depth uint16, keyed bool) {
		value, ok := repeated(item, n, keyed)
		if !ok {
			return
		}
		name := strings.Repeat("k", int(key))
		for range min(int(depth), 5_000, 1_000_000/(len(name)+1)) {
			value = map[string]any{name: value}
		}
		for _, op := range engine.Operations() {
			o := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "fuzz.example/v1", "kind": "Published", "metadata": map[string]any{"name": "a"}, "x": value,
			}}
			costs(t, string(op.Name), func() { evaluates(t, i, op, o) })
		}
	})
}

// published returns an interpreter of scripts of the published form that return their
// first argument with one more field.
func published(f *testing.F) *engine.Interpreter {
	f.Helper()
	c := newCompiler(f)
	rules := engine.Rules{}
	for _, op := range engine.Operations() {
		text := fmt.Sprintf("function %s(o) o.y = {o.x, {}} return o, o end", op.Entry)
		program, err := c.Lua(engine.Script{File: "published", Text: text, Operation: op.Name})
		if err != nil {
			f.Fatal(err)
		}
		rules[op.Name] = &engine.Rule{Program: program, Origin: "fuzz", Compat: true}
	}
	i := engine.NewInterpreter(engine.Options{})
	kind := schema.GroupVersionKind{Group: "fuzz.example", Version: "v1", Kind: "Published"}
	if err := i.Set(engine.Embedded, engine.RuleSet{Name: "fuzz", Kinds: map[schema.GroupVersionKind]engine.Rules{kind: rules}}); err != nil {
		f.Fatal(err)
	}
	return i
}
