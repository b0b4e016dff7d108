// SPDX-License-Identifier: Apache-2.0

package provenance

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

var gadget = schema.GroupVersionKind{Group: "acme.io", Version: "v1", Kind: "Gadget"}

func object() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "acme.io/v1", "kind": "Gadget", "metadata": map[string]any{"name": "g"}, "spec": map[string]any{"replicas": int64(2)},
	}}
}

// add adds a rule set with one script.
func add(t *testing.T, r *Rules, layer engine.Layer, of Layer, name string, op engine.Op, text string) {
	t.Helper()
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	set, err := c.Compile(name, gadget, engine.Script{Operation: op, Text: text, Recording: r.Recording()})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Add(layer, set, Source{Layer: of, Name: name}); err != nil {
		t.Fatal(err)
	}
}

// explained asks one operation, and returns what is printed of it.
func explained(t *testing.T, r *Rules, op engine.Op) (Object, string) {
	t.Helper()
	questions, err := r.Questions(object(), Arguments{}, []engine.Op{op})
	if err != nil {
		t.Fatal(err)
	}
	found := r.Explain(questions)
	var text strings.Builder
	if err := found.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	return found, text.String()
}

func TestUnitedAnswersNameAllScripts(t *testing.T) {
	r := NewRules()
	depends := func(name string) string {
		return "function GetDependencies(obj)\n  return {{apiVersion = 'v1', kind = 'Secret', namespace = 'n', name = '" + name + "'}}\nend"
	}
	add(t, r, engine.Customizations, Customization, "b", engine.InterpretDependency, depends("two"))
	add(t, r, engine.Customizations, Customization, "a", engine.InterpretDependency, depends("one"))
	add(t, r, engine.Embedded, Embedded, "gadget", engine.InterpretDependency, depends("three"))
	found, _ := explained(t, r, engine.InterpretDependency)
	var by []string
	for _, b := range found.Operations[0].By {
		by = append(by, b.Source.String()+" "+b.Returned.String())
	}
	want := []string{"customization a a/dependencies.lua:2", "customization b b/dependencies.lua:2"}
	if diff := cmp.Diff(want, by); diff != "" {
		t.Errorf("who answered (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Source{{Layer: Embedded, Name: "gadget"}}, found.Operations[0].NotAsked); diff != "" {
		t.Errorf("who was not asked (-want +got):\n%s", diff)
	}
}

func TestErrorsBeforeAndAfterTheRun(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"a result that is none": {
			"function GetReplicas(obj)\n  return 'many'\nend",
			"script    GetReplicas at gadget/replicas.lua:1, returned at gadget/replicas.lua:2",
		},
		"the limit of gas":      {"function GetReplicas(obj)\n  while obj.spec do end\n  return 1\nend", "failed at gadget/replicas.lua:2"},
		"the end of a function": {"function GetReplicas(obj)\n  if obj.spec then\n    return 1\n  end\n  return nil\nend", "returned at gadget/replicas.lua:3"},
	} {
		t.Run(name, func(t *testing.T) {
			r := NewRules()
			add(t, r, engine.Installed, Installed, "gadget", engine.InterpretReplica, test.text)
			if _, text := explained(t, r, engine.InterpretReplica); !strings.Contains(text, test.want) {
				t.Errorf("got\n%swant a line with %q", text, test.want)
			}
		})
	}
}

func TestRecordingDoesNotChangeTheGas(t *testing.T) {
	const text = "function GetReplicas(obj)\n  local n = 0\n  for i = 1, 10 do n = n + i end\n  return n\nend"
	r := NewRules()
	add(t, r, engine.Installed, Installed, "gadget", engine.InterpretReplica, text)
	found, _ := explained(t, r, engine.InterpretReplica)

	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	set, err := c.Compile("gadget", gadget, engine.Script{Operation: engine.InterpretReplica, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	var gas int64
	i := engine.NewInterpreter(engine.Options{Observe: func(run engine.Run) { gas = run.Usage.Gas }})
	if err := i.Set(engine.Installed, set); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Snapshot().Evaluate(engine.Request{Operation: engine.InterpretReplica, Object: object()}); err != nil {
		t.Fatal(err)
	}
	if got := found.Operations[0].By[0].Gas; got != gas {
		t.Errorf("it took %d gas, and without a recording %d", got, gas)
	}
}
