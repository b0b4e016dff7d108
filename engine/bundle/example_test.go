// SPDX-License-Identifier: Apache-2.0

package bundle_test

import (
	"fmt"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// A bundle is loaded, given to an interpreter, and asked about an object.
func ExampleLoader() {
	folder := fstest.MapFS{
		"site/bundle.yaml": {Data: []byte(`
apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata: {name: site}
spec:
  kinds: [{group: web.example, versions: [v1], kind: Site}]
`)},
		"site/Site/health.lua": {Data: []byte(`
function InterpretHealth(obj)
  return kube.get(obj, "status.state") == "up"
end
`)},
	}
	compiler, err := engine.NewCompiler()
	if err != nil {
		fmt.Println(err)
		return
	}
	site, err := bundle.Loader{Compiler: compiler}.Load(folder, "site", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	interpreter := engine.NewInterpreter(engine.Options{})
	if err := interpreter.Set(engine.Installed, site.Source); err != nil {
		panic(err)
	}

	health, err := interpreter.Snapshot().Health(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "web.example/v1",
		"kind":       "Site",
		"status":     map[string]any{"state": "up"},
	}})
	fmt.Println(health, err)
	// Output: Healthy <nil>
}
