// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine"
)

const (
	// TypesDir is the folder of the definitions, and TypesConfig the configuration of the Lua language
	// server that names it. Both are hidden, so that they are no part of a bundle.
	TypesDir    = ".lua"
	TypesConfig = ".luarc.json"

	// typesMark begins each file of the definitions, typesConfigMark the configuration.
	typesMark       = "---@meta\n-- Written by dragoman types.\n"
	typesConfigMark = "// Written by dragoman types.\n"
)

// IsTypes reports whether LuaTypes wrote a file, so that it may be replaced.
func IsTypes(data []byte) bool {
	return strings.HasPrefix(string(data), typesMark) || strings.HasPrefix(string(data), typesConfigMark)
}

// LuaTypes returns files for the Lua language server, by their paths with slashes: the functions of
// kube, the functions that scripts define, a class for each kind and version of the CRDs, and the
// configuration. Without CRDs objects are tables. definitions are objects; those that are no CRDs are
// left out.
func LuaTypes(definitions []*unstructured.Unstructured) (map[string]string, error) {
	kinds, err := typedKinds(definitions)
	if err != nil {
		return nil, err
	}
	files := map[string]string{
		path.Join(TypesDir, "kube.lua"):       kubeTypes(),
		path.Join(TypesDir, "metadata.lua"):   typesMark + metadataTypes,
		path.Join(TypesDir, "operations.lua"): operationTypes(kinds),
	}
	for _, k := range kinds {
		files[path.Join(TypesDir, k.file()+".lua")] = k.text()
	}
	files[TypesConfig], err = typesConfig()
	return files, err
}

// kubeTypes returns the functions of kube, params and status items.
func kubeTypes() string {
	var b strings.Builder
	b.WriteString(typesMark + strings.TrimPrefix(luaHeader, luaMark))
	for _, f := range builtin.Functions() {
		luaFunction(&b, f)
	}
	return b.String()
}

// metadataTypes is what every object has.
const metadataTypes = `
---What every object has.
---@class ObjectMeta
---@field name? string
---@field namespace? string
---@field generation? integer
---@field labels? table<string, string>
---@field annotations? table<string, string>
---@field uid? string
---@field resourceVersion? string
---@field creationTimestamp? string
---@field deletionTimestamp? string
---@field finalizers? string[]
---@field ownerReferences? table<string, any>[]
---@field generateName? string
`

// maxUnion is up to how many classes a parameter is one of.
const maxUnion = 8

// operationTypes returns the functions that scripts define, for objects of any of the kinds, and for
// each kind its signatures by name.
func operationTypes(kinds []typedKind) string {
	var b strings.Builder
	b.WriteString(typesMark)
	object := ""
	if n := len(kinds); n > 0 && n <= maxUnion {
		var names []string
		for _, k := range kinds {
			names = append(names, k.class)
		}
		object = strings.Join(names, "|")
	}
	for _, op := range engine.Operations() {
		luaEntry(&b, op, object)
	}
	for _, k := range kinds {
		fmt.Fprintf(&b, "\n-- The functions of %s: ---@param object %s above a function types its argument.\n", k.class, k.class)
		for _, op := range engine.Operations() {
			fmt.Fprintf(&b, "---@alias %s.%s %s\n", k.class, op.Entry, signature(op, k.class))
		}
	}
	return b.String()
}

// signature returns the type of the function that answers an operation.
func signature(op engine.Operation, object string) string {
	var params, results []string
	for _, p := range op.Params {
		mark := ""
		if p.Kind.IsOptional() {
			mark = "?"
		}
		params = append(params, fmt.Sprintf("%s%s: %s", p.Name, mark, luaParam(p, object)))
	}
	for _, r := range op.Results {
		results = append(results, luaType(r.Type))
	}
	return fmt.Sprintf("fun(%s): %s", strings.Join(params, ", "), strings.Join(results, ", "))
}

// luaLibraries are the libraries that the Lua language server knows and a script may not have.
var luaLibraries = []string{"bit", "bit32", "coroutine", "debug", "ffi", "io", "jit", "math", "os", "package", "string", "table", "utf8"}

// typesConfig returns the configuration: Lua 5.1 with the libraries that scripts have.
func typesConfig() (string, error) {
	absent := map[string]string{}
	for _, library := range luaLibraries {
		has := slices.ContainsFunc(LuaFunctions(), func(f string) bool { return strings.HasPrefix(f, library+".") })
		if !has {
			absent[library] = "disable"
		}
	}
	text, err := json.MarshalIndent(map[string]any{
		"runtime.version":           "Lua 5.1",
		"runtime.builtin":           absent,
		"workspace.library":         []string{TypesDir},
		"workspace.checkThirdParty": false,
		"diagnostics.disable":       []string{"duplicate-set-field"}, // a script defines again what operations.lua has
	}, "", "  ")
	return typesConfigMark + string(text) + "\n", err
}

// typedKind is a version of a kind with its schema.
type typedKind struct {
	group, version, kind string
	// class is the name of its class: that of the kind, with the version where it is not the first.
	class  string
	schema map[string]any
}

// file returns the name of the file of a kind, without its ending.
func (k typedKind) file() string {
	if strings.HasSuffix(k.class, "_"+k.version) {
		return k.class
	}
	return k.class + "_" + k.version
}

// typedKinds returns the versions that CRDs serve, sorted by group, kind and version, the one that is
// stored first.
func typedKinds(definitions []*unstructured.Unstructured) ([]typedKind, error) {
	var all []typedKind
	taken := map[string]string{}
	for _, d := range definitions {
		if d.GetKind() != crdKindName {
			continue
		}
		versions, err := servedVersions(d)
		if err != nil {
			return nil, err
		}
		name := className(versions[0].kind)
		if other, is := taken[name]; is && other != versions[0].group {
			name += "_" + className(versions[0].group)
		}
		if taken[name] != "" {
			continue // the same CRD again
		}
		taken[name] = versions[0].group
		for i := range versions {
			versions[i].class = name
			if i > 0 {
				versions[i].class = name + "_" + className(versions[i].version)
			}
		}
		all = append(all, versions...)
	}
	slices.SortStableFunc(all, func(a, b typedKind) int { return strings.Compare(a.group+" "+a.kind, b.group+" "+b.kind) })
	return all, nil
}

const crdKindName = "CustomResourceDefinition"

// servedVersions returns the versions that a CRD serves, the one that is stored first.
func servedVersions(d *unstructured.Unstructured) ([]typedKind, error) {
	group, _, _ := unstructured.NestedString(d.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(d.Object, "spec", "names", "kind")
	if group == "" || className(kind) == "" {
		return nil, fmt.Errorf("CRD %s: spec.group and spec.names.kind must be set", d.GetName())
	}
	items, _, _ := unstructured.NestedSlice(d.Object, "spec", "versions")
	var all []typedKind
	for _, item := range items {
		version, _ := item.(map[string]any)
		name, _ := version["name"].(string)
		schema, _, _ := unstructured.NestedMap(version, "schema", "openAPIV3Schema")
		if version["served"] != true || name == "" {
			continue
		}
		k := typedKind{group: group, version: name, kind: kind, schema: schema}
		if version["storage"] == true {
			all = append([]typedKind{k}, all...)
		} else {
			all = append(all, k)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("CRD %s: no version in spec.versions is served; it must be of apiextensions.k8s.io/v1", d.GetName())
	}
	return all, nil
}

// noName matches what no name of a class has.
var noName = regexp.MustCompile(`[^A-Za-z0-9_]+`)

func className(s string) string { return noName.ReplaceAllString(s, "_") }
