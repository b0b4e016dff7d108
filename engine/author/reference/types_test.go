// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/api/crds"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/internal/lua"
)

const typedCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: caches.cache.example.com}
spec:
  group: cache.example.com
  names: {kind: Cache, plural: caches}
  versions:
    - {name: v1beta1, served: true, storage: false}
    - {name: v1alpha1, served: false, storage: false}
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          description: "A cache.\n@class is no annotation here."
          properties:
            spec:
              type: object
              required: [engine, size]
              properties:
                engine: {type: string, enum: [redis, "memcached"], description: Which engine runs.}
                size: {type: integer, nullable: true}
                port: {x-kubernetes-int-or-string: true}
                dashed-name: {type: boolean}
                labels: {type: object, additionalProperties: {type: string}}
                shards:
                  type: array
                  items:
                    type: object
                    properties: {zone: {type: string}, weight: {type: number}}
                modes: {type: array, items: {type: string, enum: [a, b]}}
                open: {type: object, x-kubernetes-preserve-unknown-fields: true}
                any: {}
`

func typesOfText(t *testing.T, text string) map[string]string {
	t.Helper()
	definitions, err := source.Objects("crd.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	files, err := LuaTypes(definitions)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestLuaTypesOfACRD(t *testing.T) {
	files := typesOfText(t, typedCRD)
	text := files[".lua/Cache_v1.lua"]
	for _, want := range []string{
		"--- Cache of cache.example.com/v1.\n--- A cache.\n--- \\@class is no annotation here.\n---@class Cache\n",
		"---@field apiVersion string\n", "---@field metadata? ObjectMeta\n", "---@field spec? Cache.spec\n",
		"---@class Cache.spec\n", "--- Which engine runs.\n---@field engine \"redis\"|\"memcached\"\n", "---@field size? integer\n",
		"---@field port? integer|string\n", "---@field [\"dashed-name\"]? boolean\n", "---@field labels? table<string, string>\n",
		"---@field shards? Cache.spec.shards[]\n", "---@class Cache.spec.shards\n", "---@field weight? number\n",
		"---@field modes? (\"a\"|\"b\")[]\n", "---@field open? table<string, any>\n", "---@field any? any\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if !strings.Contains(files[".lua/Cache_v1beta1.lua"], "---@class Cache_v1beta1\n") || files[".lua/Cache_v1alpha1.lua"] != "" {
		t.Errorf("the versions are those of %v; want v1 and v1beta1", slices.Sorted(maps.Keys(files)))
	}
	operations := files[".lua/operations.lua"]
	for _, want := range []string{
		"---@param desired Cache|Cache_v1beta1\n---@param observed Cache|Cache_v1beta1|nil\n",
		"---@alias Cache.InterpretHealth fun(object: Cache",
	} {
		if !strings.Contains(operations, want) {
			t.Errorf("there is no %q in\n%s", want, operations)
		}
	}
}

// TestLuaTypesParse checks that a Lua parser takes all files, those of large CRDs too, and that the
// configuration is JSON below its first line.
func TestLuaTypesParse(t *testing.T) {
	definitions, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	var objects []*unstructured.Unstructured
	for _, d := range definitions {
		d.APIVersion, d.Kind = "apiextensions.k8s.io/v1", crdKindName
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		found, err := source.Objects("crd.json", data)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, found...)
	}
	files, err := LuaTypes(objects)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 15 {
		t.Errorf("there are %d files: the test sees too few", len(files))
	}
	for name, text := range files {
		if !IsTypes([]byte(text)) {
			t.Errorf("%s does not say what wrote it", name)
		}
		if name == TypesConfig {
			_, rest, _ := strings.Cut(text, "\n")
			if !json.Valid([]byte(rest)) {
				t.Errorf("%s: no JSON:\n%s", name, text)
			}
			continue
		}
		if len(text) < 60<<10 {
			if lua.Parse(lua.Script{File: name, Text: text}) == nil {
				t.Errorf("%s does not parse", name)
			}
			continue
		}
		for line := range strings.Lines(text) { // longer than a script may be
			if line != "\n" && !strings.HasPrefix(line, "--") {
				t.Errorf("%s: %q is no comment", name, line)
			}
		}
	}
}

func TestLuaTypesHaveEachOperation(t *testing.T) {
	files, err := LuaTypes(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range engine.Operations() {
		if !strings.Contains(files[".lua/operations.lua"], "\nfunction "+op.Entry+"(") {
			t.Errorf("the definitions do not have %s", op.Entry)
		}
	}
	if config := files[TypesConfig]; !strings.Contains(config, `"io": "disable"`) || strings.Contains(config, `"string"`) || !strings.Contains(config, `"Lua 5.1"`) {
		t.Errorf("the configuration is\n%s", config)
	}
}

func TestLuaTypesOfABrokenCRD(t *testing.T) {
	for text, want := range map[string]string{
		strings.Replace(typedCRD, "names: {kind: Cache, plural: caches}", "names: {}", 1): "CRD caches.cache.example.com: spec.group and spec.names.kind must be set",
		strings.ReplaceAll(typedCRD, "served: true", "served: false"):                     "CRD caches.cache.example.com: no version in spec.versions is served",
	} {
		definitions, err := source.Objects("crd.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := LuaTypes(definitions); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v; want %s", err, want)
		}
	}
}
