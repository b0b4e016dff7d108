// SPDX-License-Identifier: Apache-2.0

package bundle_test

import (
	"fmt"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// siteBundle is a bundle with one kind, one script and one parameter.
var siteBundle = fstest.MapFS{
	"site/bundle.yaml": {Data: []byte(`apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata: {name: site}
spec:
  kinds: [{group: web.example, versions: [v1], kind: Site}]
  parameters: [{name: serving, default: up, values: [up, ready]}]
`)},
	"site/Site/health.lua": {Data: []byte(`function InterpretHealth(obj)
  return kube.get(obj, "status.state") == params.serving
end
`)},
}

// load returns the bundle of a file system.
func load(files fstest.MapFS) (*bundle.Bundle, error) {
	compiler, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	return bundle.Loader{Compiler: compiler}.Load(files, "site", nil)
}

// health prints whether a Site that is up is healthy by a bundle.
func health(b *bundle.Bundle) {
	interpreter := engine.NewInterpreter(engine.Options{})
	if err := interpreter.Set(engine.Installed, b.Source); err != nil {
		panic(err)
	}
	fmt.Println(interpreter.Snapshot().Health(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "web.example/v1",
		"kind":       "Site",
		"status":     map[string]any{"state": "up"},
	}}))
}

// A bundle is loaded from an fs.FS (a folder of the disk, or one that is embedded in the
// program), set in an interpreter, and asked about an object.
func ExampleLoader() {
	compiler, err := engine.NewCompiler()
	if err != nil {
		panic(err)
	}
	site, err := bundle.Loader{Compiler: compiler}.Load(siteBundle, "site", nil)
	if err != nil {
		panic(err)
	}
	interpreter := engine.NewInterpreter(engine.Options{})
	if err := interpreter.Set(engine.Installed, site.Source); err != nil {
		panic(err)
	}
	fmt.Println(interpreter.Snapshot().Health(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "web.example/v1",
		"kind":       "Site",
		"status":     map[string]any{"state": "up"},
	}}))
	// Output: Healthy <nil>
}

// Whoever installs a bundle chooses the values of its parameters. The scripts are not
// compiled again for that.
func ExampleBundle_With() {
	site, err := load(siteBundle)
	if err != nil {
		panic(err)
	}
	health(site)
	strict, err := site.With(map[string]string{"serving": "ready"})
	if err != nil {
		panic(err)
	}
	health(strict)
	_, err = site.With(map[string]string{"serving": "maybe"})
	fmt.Println(err)
	// Output:
	// Healthy <nil>
	// Unhealthy <nil>
	// bundle site: parameter serving cannot be "maybe"; its values are up, ready
}

// Nothing in a folder is ignored in silence: a file that is no script of an operation is
// an error, with the name that was probably meant.
func ExampleLoader_Load_errors() {
	_, err := load(fstest.MapFS{
		"site/bundle.yaml":    siteBundle["site/bundle.yaml"],
		"site/Site/helth.lua": {Data: []byte("function InterpretHealth(obj) return true end")},
	})
	fmt.Println(err)
	// Output: site/Site/helth.lua: there is no operation "helth"; did you mean health?
}

// A Store brings revisions of bundles into an engine that runs. A revision that is broken
// is refused, and the one before stays.
func ExampleStore() {
	compiler, err := engine.NewCompiler()
	if err != nil {
		panic(err)
	}
	store := bundle.NewStore(bundle.Options{
		Loader: bundle.Loader{Compiler: compiler},
		Rules:  engine.NewInterpreter(engine.Options{}),
		OnStatus: func(s bundle.Status) {
			fmt.Println("stage:", s.Stage, "answers:", s.Active != "", "error:", s.Err)
		},
	})
	apply := func(files fstest.MapFS) {
		revision, err := bundle.Revision(files, "site")
		store.Apply([]bundle.Content{{Dir: "site", Files: files, Revision: revision, Err: err}}, nil)
	}
	apply(siteBundle)
	apply(fstest.MapFS{
		"site/bundle.yaml":     siteBundle["site/bundle.yaml"],
		"site/Site/health.lua": {Data: []byte("function InterpretHealth(obj) retrun true end")},
	})
	// Output:
	// stage: Active answers: true error: <nil>
	// stage: Verified answers: true error: site/Site/health.lua:1:38: syntax error near 'true'
}
