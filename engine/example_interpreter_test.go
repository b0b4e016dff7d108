// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// raw returns JSON as the API has it.
func raw(text string) *runtime.RawExtension { return &runtime.RawExtension{Raw: []byte(text)} }

// counting returns rules that answer InterpretReplica with a constant.
func counting(count int) engine.RuleSet {
	return compile(engine.Script{
		Operation: engine.InterpretReplica,
		Text:      fmt.Sprintf("function GetReplicas(obj) return %d end", count),
	})
}

// A task takes one Snapshot, so that one set of rules answers all its requests, even
// while another goroutine replaces the rules.
func ExampleInterpreter_Set() {
	interpreter := engine.NewInterpreter(engine.Options{})
	check(interpreter.Set(engine.Installed, counting(1)))
	before := interpreter.Snapshot()
	check(interpreter.Set(engine.Installed, counting(2)))

	for _, snapshot := range []engine.Snapshot{before, interpreter.Snapshot()} {
		replicas, err := snapshot.Replicas(newSite(nil, nil))
		fmt.Println(replicas.Count, err)
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
}

// Of two layers that have a rule for a kind and operation the lower one answers. Without
// any rule the error is ErrNoRule.
func ExampleInterpreter_Remove() {
	interpreter := engine.NewInterpreter(engine.Options{})
	check(interpreter.Set(engine.Embedded, counting(1)))
	check(interpreter.Set(engine.Customizations, counting(2)))
	ask := func() {
		replicas, err := interpreter.Snapshot().Replicas(newSite(nil, nil))
		fmt.Println(replicas.Count, err)
	}
	ask()
	interpreter.Remove(engine.Customizations, "site")
	ask()
	interpreter.Remove(engine.Embedded, "site")
	ask()
	// Output:
	// 2 <nil>
	// 1 <nil>
	// 0 no script answers this operation for this kind
}

// What does not compile is an error with file and line. All scripts are compiled, so that
// one error has what is wrong with each.
func ExampleCompiler_Compile_errors() {
	compiler, err := engine.NewCompiler()
	check(err)
	_, err = compiler.Compile("site", siteKind,
		engine.Script{Operation: engine.InterpretReplica, Text: "function GetReplica(obj) return 1 end"},
		engine.Script{Operation: engine.InterpretHealth, Expression: true, Text: `object.status.state = "up"`},
	)
	fmt.Println(err)
	// Output:
	// site/replicas.lua:1: the script does not define the function GetReplicas; is GetReplica meant for it?
	// site/health.cel:1:21: unexpected '='
}

// The error of a run names the rule set, the file and the line. As a *script.Error it has
// the expression, and the line of the source with a caret.
func ExampleSnapshot_Health_error() {
	snapshot := snapshotOf(engine.Script{Operation: engine.InterpretHealth, Text: `
function InterpretHealth(obj)
  return obj.status.ready >= obj.spec.pages
end`})
	_, err := snapshot.Health(newSite(map[string]any{"pages": int64(3)}, map[string]any{"ready": "all"}))
	fmt.Println(err)
	var failure *script.Error
	if errors.As(err, &failure) {
		fmt.Println(failure.Code, "error in", failure.Expression)
		fmt.Println(failure.Snippet)
	}
	// Output:
	// InterpretHealth by site: site/health.lua:3:10: attempt to compare string with number (obj.status.ready)
	// Type error in obj.status.ready
	//   return obj.status.ready >= obj.spec.pages
	//          ^
}

// A loop without end meets the limit of gas, which is the same on every machine. A script
// cannot catch that.
func ExampleOptions_limits() {
	interpreter := engine.NewInterpreter(engine.Options{Limits: script.Limits{Gas: 10_000}})
	check(interpreter.Set(engine.Embedded, compile(engine.Script{Operation: engine.InterpretHealth, Text: `
function InterpretHealth(obj)
  while obj.spec do pcall(string.upper, "busy") end
end`})))
	_, err := interpreter.Snapshot().Health(newSite(map[string]any{}, nil))
	fmt.Println(err)
	var failure *script.Error
	fmt.Println(errors.As(err, &failure) && failure.Code == script.Gas)
	// Output:
	// InterpretHealth by site: site/health.lua:3: the run needs more than 10000 units of gas
	// true
}

// What scripts print goes where the program wants it.
func ExampleOptions_print() {
	interpreter := engine.NewInterpreter(engine.Options{Print: func(at script.Position, line string) { fmt.Printf("%s: %s\n", at, line) }})
	check(interpreter.Set(engine.Embedded, compile(engine.Script{Operation: engine.InterpretHealth, Text: `
function InterpretHealth(obj)
  print("asked about", obj.metadata.name)
  return true
end`})))
	fmt.Println(interpreter.Snapshot().Health(newSite(nil, nil)))
	// Output:
	// site/health.lua:3: asked about	home
	// Healthy <nil>
}

// Every run can be observed, with what it cost; this is where metrics come from.
func ExampleOptions_observe() {
	interpreter := engine.NewInterpreter(engine.Options{Observe: func(run engine.Run) {
		fmt.Println(run.Operation, "of", run.Kind.Kind, "by", run.Rule.Origin, "took", run.Usage.Gas, "units of gas")
	}})
	check(interpreter.Set(engine.Embedded, counting(3)))
	_, err := interpreter.Snapshot().Replicas(newSite(nil, nil))
	check(err)
	// Output: InterpretReplica of Site by site took 7 units of gas
}

// A customization in the published form is compiled as it is. Its scripts see objects as
// that form has them: 2^53+1, for example, is rounded.
func ExampleCompiler_Customization() {
	compiler, err := engine.NewCompiler()
	check(err)
	rules, broken := compiler.Customization(&configv1alpha1.ResourceInterpreterCustomization{
		ObjectMeta: metav1.ObjectMeta{Name: "sites"},
		Spec: configv1alpha1.ResourceInterpreterCustomizationSpec{
			Target: configv1alpha1.CustomizationTarget{APIVersion: "web.example/v1", Kind: "Site"},
			Customizations: configv1alpha1.CustomizationRules{
				HealthInterpretation: &configv1alpha1.Script{
					LuaScript: `function InterpretHealth(observedObj) return observedObj.status.size == 9007199254740992 end`,
				},
			},
		},
	})
	check(errors.Join(broken...))
	interpreter := engine.NewInterpreter(engine.Options{})
	check(interpreter.Set(engine.Customizations, rules))
	fmt.Println(interpreter.Snapshot().Health(newSite(nil, map[string]any{"size": int64(9007199254740993)})))
	// Output: Healthy <nil>
}
