// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

// A script is compiled once, given to an interpreter as part of a source, and asked
// about objects of its kind.
func ExampleInterpreter() {
	compiler, err := engine.NewCompiler()
	if err != nil {
		panic(err)
	}
	program, err := compiler.Lua(engine.Script{
		File:      "site/health.lua",
		Text:      `function InterpretHealth(obj) return obj.status.ready >= obj.spec.pages end`,
		Operation: engine.InterpretHealth,
	})
	if err != nil {
		panic(err)
	}
	kind := schema.GroupVersionKind{Group: "web.example", Version: "v1", Kind: "Site"}
	interpreter := engine.NewInterpreter(engine.Options{})
	err = interpreter.Set(engine.Embedded, engine.RuleSet{
		Name:  "site",
		Kinds: map[schema.GroupVersionKind]engine.Rules{kind: {engine.InterpretHealth: {Program: program, Origin: "bundle site"}}},
	})
	if err != nil {
		panic(err)
	}

	// One Snapshot answers all requests of one task by the same rules.
	view := interpreter.Snapshot()
	site := map[string]any{"apiVersion": "web.example/v1", "kind": "Site", "spec": map[string]any{"pages": int64(3)}}
	site["status"] = map[string]any{"ready": int64(3)}
	fmt.Println(view.Health(&unstructured.Unstructured{Object: site}))
	site["status"] = map[string]any{"ready": "all"}
	_, err = view.Health(&unstructured.Unstructured{Object: site})
	fmt.Println(err)
	// Output:
	// Healthy <nil>
	// InterpretHealth by bundle site: site/health.lua:1:38: attempt to compare string with number (obj.status.ready)
}
