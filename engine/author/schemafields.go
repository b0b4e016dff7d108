// SPDX-License-Identifier: Apache-2.0

package author

import (
	"cmp"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/internal/cel"
	"github.com/dragoman-io/dragoman/engine/internal/lua"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// checkedBundle is a bundle that was checked, and where it was read from.
type checkedBundle struct {
	files  fs.FS
	bundle *bundle.Bundle
}

// CheckFields warns of fields that scripts read or write and the CRD of their kind does not
// have, where the CRD was found beside them. It is called once, after all files.
//
// Only paths that are constant are followed, and only through schemas that name all of their
// fields, so that what it warns of is not in the schema of any version that the script is for.
func (f *Findings) CheckFields() {
	known := schemasOf(f.definitions)
	if len(known) == 0 {
		return
	}
	var reader fieldReader
	for _, b := range f.bundles {
		f.bundleFields(&reader, known, b)
	}
	for _, o := range f.objects {
		if _, ok := o.object.(*configv1alpha1.ResourceInterpreterCustomization); ok {
			f.customizationFields(&reader, known, o)
		}
	}
}

// fieldReader finds what scripts read. The compiler of expressions is made when it is needed.
type fieldReader struct{ expressions *cel.Compiler }

// lua returns what a script reads as an operation.
func (r *fieldReader) lua(text, module, entry string) []script.Read {
	return lua.Reads(lua.Script{Text: text, Module: module}, entry)
}

func (r *fieldReader) cel(text string, op engine.Operation) []script.Read {
	if r.expressions == nil {
		c, err := cel.New(nil)
		if err != nil {
			return nil
		}
		r.expressions = c
	}
	var names []string
	for _, p := range op.Params {
		names = append(names, p.Name)
	}
	return r.expressions.Reads(text, names)
}

// bundleFields checks the scripts of a bundle, and the functions of modules that its manifest
// names.
func (f *Findings) bundleFields(r *fieldReader, known schemas, b checkedBundle) {
	for _, op := range engine.Operations() {
		answering, order := map[scriptPlace][]schema.GroupVersionKind{}, []scriptPlace(nil)
		for _, kind := range b.bundle.Kinds {
			for _, s := range b.scripts(kind.Kind, op) {
				if answering[s] == nil {
					order = append(order, s)
				}
				answering[s] = append(answering[s], kind)
			}
		}
		for _, s := range order {
			text, err := fs.ReadFile(b.files, s.file)
			if err != nil {
				continue // the other language answers, or nothing does
			}
			for _, read := range r.reads(string(text), s, op) {
				if field, message := known.unknown(answering[s], op, read); message != "" {
					f.Warnings = append(f.Warnings, Problem{File: s.file, Line: read.Line, Kind: "Bundle", Name: b.bundle.Name, Field: field, Message: message})
				}
			}
		}
	}
}

// reads returns what the script at a place reads.
func (r *fieldReader) reads(text string, s scriptPlace, op engine.Operation) []script.Read {
	if s.entry == "" {
		return r.cel(text, op)
	}
	return r.lua(text, s.module, s.entry)
}

// scriptPlace is a script that may answer an operation; the entry of an expression is "".
type scriptPlace struct{ file, module, entry string }

// scripts are where an operation of a kind is answered: one of them is there.
func (b checkedBundle) scripts(kind string, op engine.Operation) []scriptPlace {
	for _, m := range b.bundle.Mappings {
		for _, fn := range m.Functions {
			if fn.Operation.Name == op.Name && slices.Contains(m.Kinds, kind) {
				return []scriptPlace{{path.Join(b.bundle.Dir, strings.ReplaceAll(fn.Module, ".", "/")+".lua"), fn.Module, fn.Name}}
			}
		}
	}
	file := path.Join(b.bundle.Dir, kind, op.File)
	return []scriptPlace{{file: file + ".lua", entry: op.Entry}, {file: file + ".cel"}}
}

// customizationFields checks the scripts of a customization.
func (f *Findings) customizationFields(r *fieldReader, known schemas, o checked) {
	target := o.node.At("spec.target")
	version, _ := target.Get("apiVersion").Value.(string)
	kind, _ := target.Get("kind").Value.(string)
	versions := []schema.GroupVersionKind{schema.FromAPIVersionAndKind(version, kind)}
	for _, op := range engine.Operations() {
		field := "spec.customizations." + op.Field
		for name, read := range map[string]func(string) []script.Read{
			"luaScript":     func(text string) []script.Read { return r.lua(text, "", op.Entry) },
			"celExpression": func(text string) []script.Read { return r.cel(text, op) },
		} {
			n := o.node.At(field + "." + name)
			text, isText := n.Value.(string)
			if !isText || n.Path != field+"."+name {
				continue
			}
			for _, found := range read(text) {
				if at, message := known.unknown(versions, op, found); message != "" {
					f.Warnings = append(f.Warnings, o.scriptWarning(n, found.Line, at, message))
				}
			}
		}
	}
	slices.SortStableFunc(f.Warnings, func(a, b Problem) int {
		if a.File != b.File {
			return 0
		}
		return cmp.Compare(a.Line, b.Line)
	})
}

func (o *checked) scriptWarning(n yamldoc.Node, line int, field, message string) Problem {
	if at, known := n.TextLine(line); known {
		n.Line = at
	}
	return Problem{File: n.File, Line: n.Line, Kind: o.kind, Name: o.name, Field: field, Message: message}
}

// schemas are those of CRDs by kind.
type schemas map[schema.GroupVersionKind]map[string]any

func schemasOf(definitions []*unstructured.Unstructured) schemas {
	all := schemas{}
	for _, d := range definitions {
		group, _, _ := unstructured.NestedString(d.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(d.Object, "spec", "names", "kind")
		versions, _, _ := unstructured.NestedSlice(d.Object, "spec", "versions")
		for _, v := range versions {
			version, _ := v.(map[string]any)
			name, _, _ := unstructured.NestedString(version, "name")
			if s, found, _ := unstructured.NestedMap(version, "schema", "openAPIV3Schema"); found {
				all[schema.GroupVersionKind{Group: group, Version: name, Kind: kind}] = s
			}
		}
	}
	return all
}

// unknown returns the path of a read, from the name of its argument on, and what is wrong with
// it. It is "" where one of the kinds and versions that the script answers for has the field,
// leaves it open, or has no schema here.
func (s schemas) unknown(kinds []schema.GroupVersionKind, op engine.Operation, read script.Read) (field, message string) {
	steps := schemaSteps(op, read)
	if steps == nil {
		return "", ""
	}
	sizes := map[schema.GroupKind]int{}
	for _, kind := range kinds {
		root := s[kind]
		if root == nil {
			continue
		}
		sizes[kind.GroupKind()]++
		at, siblings := missing(root, steps)
		if at < 0 {
			return "", ""
		}
		if message == "" {
			field = op.Params[read.Param].Name + "." + strings.Join(steps[:at+1], ".")
			message = script.Unknown("field of "+kind.Kind, steps[at], siblings)
		}
	}
	for _, kind := range kinds {
		if sizes[kind.GroupKind()] == 0 {
			return "", ""
		}
	}
	return field, message
}

// schemaSteps returns the path of a read from the root of an object on; nil where it is below
// something else.
func schemaSteps(op engine.Operation, read script.Read) []string {
	if read.Param >= len(op.Params) {
		return nil
	}
	switch op.Params[read.Param].Kind {
	case engine.ObjectParam, engine.ObservedParam:
		return read.Path
	case engine.ItemsParam:
		if steps := read.Path; len(steps) > 2 && steps[0] == script.AnyElement && steps[1] == "status" && !slices.Contains(reflected, steps[2]) {
			return steps[1:]
		}
	}
	return nil
}

// reflected are the fields that kube.reflectStatus adds to what a cluster reports.
var reflected = []string{"generation", "resourceTemplateGeneration"}

// missing returns the index of the first step of a path that a schema does not have, with the
// names that it has there; -1 where it has all, or leaves them open.
func missing(root map[string]any, steps []string) (at int, siblings []string) {
	here := root
	for i, step := range steps {
		properties, _ := here["properties"].(map[string]any)
		if i == 0 && (step == "apiVersion" || step == "kind" || step == "metadata") {
			return -1, nil
		}
		next, found := properties[step].(map[string]any)
		if step == script.AnyElement || !found {
			elements := elementsOf(here)
			if elements == nil && (step == script.AnyElement || len(properties) == 0 || isOpen(here)) {
				return -1, nil
			}
			if elements == nil {
				return i, slices.Sorted(maps.Keys(properties))
			}
			next = elements
		}
		if isOpen(next) && len(steps) > i+1 {
			return -1, nil
		}
		here = next
	}
	return -1, nil
}

// elementsOf returns the schema of the items of a list, or of the values of a map with free
// keys.
func elementsOf(s map[string]any) map[string]any {
	for _, key := range []string{"items", "additionalProperties"} {
		if elements, ok := s[key].(map[string]any); ok {
			return elements
		}
	}
	return nil
}

// isOpen reports whether an object of a schema may have fields that the schema does not name.
func isOpen(s map[string]any) bool {
	return s["x-kubernetes-preserve-unknown-fields"] == true || s["x-kubernetes-embedded-resource"] == true || s["additionalProperties"] == true
}
