// SPDX-License-Identifier: Apache-2.0

// Command embed shows the engine as a library: it loads a bundle from a folder and asks
// whether two objects are healthy. No cluster is needed.
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

func main() {
	if err := run(os.Stdout, "."); err != nil {
		log.Fatal(err)
	}
}

// run asks by the scripts of the folder bundle in a folder.
func run(out io.Writer, folder string) error {
	compiler, err := engine.NewCompiler()
	if err != nil {
		return err
	}
	caches, err := bundle.Loader{Compiler: compiler}.Load(os.DirFS(folder), "bundle", nil)
	if err != nil {
		return err
	}
	interpreter := engine.NewInterpreter(engine.Options{})
	if err := interpreter.Set(engine.Embedded, caches.Source); err != nil {
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
