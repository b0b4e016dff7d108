// SPDX-License-Identifier: Apache-2.0

package scaffold_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/author/scaffold"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/test/shared"
)

// passes runs the cases and laws of a draft as dragoman test does.
func passes(t *testing.T, c *engine.Compiler, d *scaffold.Draft) {
	t.Helper()
	files := fstest.MapFS{}
	for name, text := range d.Files {
		files[path.Join(d.Name, name)] = &fstest.MapFile{Data: []byte(text)}
	}
	plan, err := author.NewPlan(c, author.Selection{Files: files, Paths: []string{d.Name}})
	if err != nil {
		t.Fatal(err)
	}
	r := plan.Run(nil)
	if r.Passed == 0 || r.Failed > 0 || len(r.Errors) > 0 || len(r.Laws.Broken) > 0 {
		t.Errorf("%d passed, %d failed, laws broken: %+v, errors: %v", r.Passed, r.Failed, r.Laws.Broken, r.Errors)
	}
	for name, text := range d.Files {
		for i, line := range strings.Split(text, "\n") {
			if strings.HasSuffix(line, " ") {
				t.Errorf("%s:%d ends with a space", name, i+1)
			}
		}
	}
}

// A draft of each CRD, and of each with its objects, passes its own cases and keeps the laws.
func TestRealKinds(t *testing.T) {
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(shared.Folder(t, "real"), "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	folders, definitions := map[string][]*unstructured.Unstructured{}, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := source.Objects(file, data)
		if err != nil {
			t.Logf("%s is no list of objects: %v", file, err)
			continue
		}
		folder := filepath.Base(filepath.Dir(file))
		folders[folder] = append(folders[folder], objects...)
		if !strings.HasPrefix(filepath.Base(file), "crd-") {
			continue
		}
		definitions++
		t.Run(filepath.Base(file), func(t *testing.T) {
			d, err := scaffold.New(c, scaffold.Options{Documents: objects})
			if err != nil {
				t.Fatal(err)
			}
			passes(t, c, d)
		})
	}
	if definitions == 0 {
		t.Error("there is no CRD")
	}
	for folder, objects := range folders {
		t.Run("all of "+folder, func(t *testing.T) {
			d, err := scaffold.New(c, scaffold.Options{Documents: objects, Name: folder})
			if err != nil {
				t.Fatal(err)
			}
			passes(t, c, d)
		})
	}
}

// FuzzSchema drafts bundles for schemas with random fields of usual and unusual names. A draft
// passes its own cases.
func FuzzSchema(f *testing.F) {
	c, err := engine.NewCompiler()
	if err != nil {
		f.Fatal(err)
	}
	for seed := range uint64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		d, err := scaffold.New(c, scaffold.Options{Documents: []*unstructured.Unstructured{definition(rand.New(rand.NewPCG(seed, 1)))}})
		if err != nil {
			t.Fatal(err)
		}
		passes(t, c, d)
	})
}

// fieldNames are names that are recognized, and names that Lua or a path could take wrongly.
var fieldNames = []string{
	"replicas", "template", "podTemplate", "secretName", "configMapRef", "name", "suspend", "phase", "state", "conditions",
	"observedGeneration", "readyReplicas", "availableReplicas", "completionTime", "containers", "spec", "status", "items",
	"end", "function", "a.b", "a b", `"`, `\`, "[0]", "ä", "", "1", "*", "#", "--", "]]", "groupName",
}

// definition returns a CRD with a random schema.
func definition(r *rand.Rand) *unstructured.Unstructured {
	version := map[string]any{
		"name": "v1", "served": true, "storage": true,
		"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{
			"spec": schema(r, 5), "status": schema(r, 3),
		}}},
	}
	if r.IntN(3) == 0 {
		version["subresources"] = map[string]any{"scale": map[string]any{"specReplicasPath": ".spec." + []string{"replicas", "size", "deep.size"}[r.IntN(3)]}}
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "things.thing.example.com"},
		"spec": map[string]any{"group": "thing.example.com", "names": map[string]any{"kind": "Thing"}, "versions": []any{version}},
	}}
}

func schema(r *rand.Rand, depth int) map[string]any {
	kinds := []string{"object", "array", "string", "integer", "number", "boolean", ""}
	s := map[string]any{"type": kinds[r.IntN(len(kinds))]}
	if depth == 0 {
		return s
	}
	if depth == 5 || depth == 3 || r.IntN(2) == 0 {
		s["type"] = "object"
	}
	switch s["type"] {
	case "object":
		if r.IntN(5) == 0 {
			s["additionalProperties"] = schema(r, depth-1)
			break
		}
		properties, required := map[string]any{}, []any{}
		for range r.IntN(9) {
			name := fieldNames[r.IntN(len(fieldNames))]
			properties[name] = schema(r, depth-1)
			if r.IntN(3) == 0 {
				required = append(required, name)
			}
		}
		s["properties"], s["required"] = properties, required
	case "array":
		s["items"] = schema(r, depth-1)
	case "string":
		if r.IntN(3) == 0 {
			choices := []any{"Running", fmt.Sprint("x", r.IntN(3)), "Failed", "end", `"`}
			r.Shuffle(len(choices), func(i, j int) { choices[i], choices[j] = choices[j], choices[i] })
			s["enum"] = choices[:1+r.IntN(len(choices))]
		}
	}
	return s
}
