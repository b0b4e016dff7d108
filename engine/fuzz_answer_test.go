// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// answered are objects whose field answer a script gives back, in each of the forms of
// a script.
var answered = []struct {
	version    string
	source     string
	published  bool
	expression bool
}{
	{"v1", "function %s(o) return o.answer, o.second end", false, false},
	{"v2", "function %s(o) return o.answer, o.second end", true, false},
	{"v3", "object.?answer", false, true},
}

// answering returns an interpreter that answers each operation with what stands in the
// object.
func answering(f *testing.F) *engine.Interpreter {
	c, err := engine.NewCompiler()
	if err != nil {
		f.Fatal(err)
	}
	i := engine.NewInterpreter(engine.Options{})
	for _, a := range answered {
		rules := engine.Rules{}
		for _, op := range engine.Operations() {
			unit := engine.Script{File: "answer", Operation: op.Name}
			compile := c.Lua
			if unit.Text = a.source; a.expression {
				compile = c.CEL
				unit.Text = op.Params[0].Name + ".?answer"
			} else {
				unit.Text = fmt.Sprintf(a.source, op.Entry)
			}
			program, err := compile(unit)
			if err != nil {
				f.Fatal(err)
			}
			rules[op.Name] = &engine.Rule{Program: program, Origin: "fuzz", Compat: a.published, Expression: a.expression}
		}
		kind := schema.GroupVersionKind{Group: "fuzz.example", Version: a.version, Kind: "Answer"}
		if err := i.Set(engine.Embedded, engine.RuleSet{Name: a.version, Kinds: map[schema.GroupVersionKind]engine.Rules{kind: rules}}); err != nil {
			f.Fatal(err)
		}
	}
	return i
}

// FuzzAnswer reads arbitrary values as the answers of all operations: none stops the
// program or changes the object, and what is read keeps the rules of its operation.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		`3`, `-1`, `2147483648`, `1.5`, `true`, `"x"`, `null`, `{}`, `[]`, `{"a": {"b": null}, "c": [null, 1]}`,
		`[{"name": "a", "replicas": 1, "replicaRequirements": {"resourceRequest": {"cpu": "1", "memory": 5}, "nodeClaim": {"nodeSelector": {"a": "b"}, "tolerations": [{"key": "a"}]}}}]`,
		`[{"name": "a"}, {"name": "a"}]`, `{"resourceRequest": {"cpu": "x"}, "namespace": "a", "priorityClassName": "b"}`,
		`[{"apiVersion": "v1", "kind": "Secret", "name": "a", "labelSelector": {"matchLabels": {"a": "b"}}}]`,
		`{"apiVersion": "fuzz.example/v1", "kind": "Answer", "metadata": {"name": "a"}, "status": {}}`, `{"k": "v", "n": 1, "b": true}`, `{"metadata": {"name": "b"}}`,
	} {
		f.Add(s, `{"resourceRequest": {"cpu": 1}}`)
		f.Add(s, s)
	}
	i := answering(f)
	f.Fuzz(func(t *testing.T, answer, second string) {
		for _, a := range answered {
			for _, op := range engine.Operations() {
				o := &unstructured.Unstructured{Object: map[string]any{
					"apiVersion": "fuzz.example/" + a.version, "kind": "Answer", "metadata": map[string]any{"name": "a"},
				}}
				if !field(o, "answer", answer) || !field(o, "second", second) {
					return
				}
				asked(t, i, op, o)
			}
		}
	})
}

// field puts JSON into a field of an object, and says whether it is JSON.
func field(o *unstructured.Unstructured, name, text string) bool {
	var v any
	err := utiljson.Unmarshal([]byte(text), &v)
	o.Object[name] = v
	return err == nil
}

// asked asks one operation and checks what it returns.
func asked(t *testing.T, i *engine.Interpreter, op engine.Operation, o *unstructured.Unstructured) {
	t.Helper()
	before, err := json.Marshal(o.Object)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := i.Snapshot().Evaluate(engine.Request{Operation: op.Name, Object: o, Observed: o, Items: []any{}, Replicas: 1})
	var failure *script.Error
	if err != nil && (!errors.As(err, &failure) || failure.Code == script.Internal) {
		t.Fatalf("%s: %v", op.Name, err)
	}
	for _, a := range answer {
		if _, err := json.Marshal(a); err != nil {
			t.Fatalf("%s: the answer does not encode: %v", op.Name, err)
		}
		if components, ok := a.([]workv1alpha2.Component); ok {
			checkComponents(t, components)
		}
		if count, ok := a.(int32); ok && count < 0 {
			t.Fatalf("%s: %d replicas", op.Name, count)
		}
	}
	after, _ := json.Marshal(o.Object)
	if d := cmp.Diff(string(before), string(after)); d != "" {
		t.Fatalf("%s: the object changed:\n%s", op.Name, d)
	}
}

func checkComponents(t *testing.T, components []workv1alpha2.Component) {
	t.Helper()
	names := map[string]bool{}
	for _, c := range components {
		if c.Name == "" || len(c.Name) > 32 || names[c.Name] || c.Replicas < 0 {
			t.Fatalf("a component is %+v of %+v", c, components)
		}
		names[c.Name] = true
	}
}

// FuzzFunction calls the functions of kube with arbitrary arguments: none stops the
// program or changes an argument, and twice they give and cost the same.
func FuzzFunction(f *testing.F) {
	functions := builtin.Functions()
	for i := range functions {
		for _, s := range []string{
			`[]`, `["1Gi", 5, null]`, `[{"a": {"b": 1}}, "a.b", 2]`, `[{"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, "Ready"]`,
			`[{"spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}], "volumes": [{"secret": {"secretName": "a"}}]}}, "ns"]`,
			`[{"a": {"b": 1, "c": 2}}, {"a": {"b": null}}]`, `[[{"clusterName": "m1", "status": {"n": 1, "conditions": []}}, {"clusterName": "m2"}], ["n"], {"n": 5}]`, `["1e999", "0.1e-9999", 1e300]`,
		} {
			f.Add(i, s)
		}
	}
	f.Fuzz(func(t *testing.T, i int, text string) {
		var args, before []any
		if i < 0 || utiljson.Unmarshal([]byte(text), &args) != nil {
			return
		}
		_ = utiljson.Unmarshal([]byte(text), &before)
		fn := functions[i%len(functions)]
		result, gas, err := fn.Call(args)
		if !reflect.DeepEqual(before, args) { // cmp takes exponential time for lists in lists
			t.Fatalf("%s changed its arguments:\n%s", fn.Name, cmp.Diff(before, args))
		}
		again, gasAgain, errAgain := fn.Call(args)
		if d := cmp.Diff(result, again); d != "" || gas != gasAgain || fmt.Sprint(err) != fmt.Sprint(errAgain) {
			t.Fatalf("%s: gas %d then %d, error %v then %v\n%s", fn.Name, gas, gasAgain, err, errAgain, d)
		}
		if gas < 0 {
			t.Fatalf("%s costs %d", fn.Name, gas)
		}
	})
}
