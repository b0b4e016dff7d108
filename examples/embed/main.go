// SPDX-License-Identifier: Apache-2.0

// Command embed shows the engine as a library: it compiles a script and asks whether two
// objects are healthy. No cluster is needed. A whole bundle is loaded by bundle.Loader of
// package engine/bundle, whose Source takes the place of the rules here.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

// cacheKind is the kind that the script is for.
var cacheKind = schema.GroupVersionKind{Group: "cache.example.com", Version: "v1", Kind: "Cache"}

func main() {
	if err := run(os.Stdout, "."); err != nil {
		log.Fatal(err)
	}
}

// run writes to out whether two caches are healthy, by a script of the bundle in folder.
func run(out io.Writer, folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, "bundle", "Cache", "health.lua"))
	if err != nil {
		return err
	}
	compiler, err := engine.NewCompiler()
	if err != nil {
		return err
	}
	rules, err := compiler.Compile("caches", cacheKind, engine.Script{Operation: engine.InterpretHealth, Text: string(text)})
	if err != nil {
		return err
	}
	interpreter := engine.NewInterpreter(engine.Options{})
	if err := interpreter.Set(engine.Embedded, rules); err != nil {
		return err
	}

	// One snapshot answers all questions of a task by the same scripts, even while
	// another goroutine replaces them.
	snapshot := interpreter.Snapshot()
	for _, ready := range []int64{2, 1} {
		object := cache(2, ready)
		health, err := snapshot.Health(object)
		if err != nil {
			return err // it has the file, the line and the expression
		}
		fmt.Fprintln(out, object.GetKind(), object.GetName(), "is", health)
	}
	return nil
}

// cache returns a Cache. Whole numbers of an unstructured object are int64.
func cache(replicas, ready int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "cache.example.com/v1",
		"kind":       "Cache",
		"metadata":   map[string]any{"name": "sessions"},
		"spec":       map[string]any{"replicas": replicas},
		"status":     map[string]any{"readyReplicas": ready},
	}}
}
