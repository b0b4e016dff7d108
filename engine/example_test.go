// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

// siteKind is the kind that the examples have scripts for.
var siteKind = schema.GroupVersionKind{Group: "web.example", Version: "v1", Kind: "Site"}

// newSite returns a Site. Whole numbers of an unstructured object are int64.
func newSite(spec, status map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "web.example/v1",
		"kind":       "Site",
		"metadata":   map[string]any{"namespace": "web", "name": "home"},
		"spec":       spec,
		"status":     status,
	}}
}

// A script is compiled once, set in an interpreter, and asked about objects of its kind.
func Example() {
	compiler, err := engine.NewCompiler() // one for the process
	check(err)
	rules, err := compiler.Compile("site", siteKind, engine.Script{
		Operation: engine.InterpretHealth,
		Text:      `function InterpretHealth(obj) return obj.status.ready >= obj.spec.pages end`,
	})
	check(err)
	interpreter := engine.NewInterpreter(engine.Options{})
	check(interpreter.Set(engine.Embedded, rules))
	health, err := interpreter.Snapshot().Health(newSite(
		map[string]any{"pages": int64(3)}, map[string]any{"ready": int64(3)}))
	fmt.Println(health, err)
	// Output: Healthy <nil>
}

// check ends an example that cannot go on.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// compile returns the rules of scripts for the kind Site.
func compile(scripts ...engine.Script) engine.RuleSet {
	compiler, err := engine.NewCompiler()
	check(err)
	rules, err := compiler.Compile("site", siteKind, scripts...)
	check(err)
	return rules
}

// snapshotOf returns a snapshot that answers by scripts for the kind Site.
func snapshotOf(scripts ...engine.Script) engine.Snapshot {
	interpreter := engine.NewInterpreter(engine.Options{})
	check(interpreter.Set(engine.Embedded, compile(scripts...)))
	return interpreter.Snapshot()
}
