// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"maps"
	"strconv"
)

// templateGeneration is the annotation that holds the generation of the template
// that an object in a member cluster was made from.
const templateGeneration = "resourcetemplate.karmada.io/generation"

// reflectStatus is kube.reflectStatus.
func reflectStatus() Function {
	return checked(Function{
		Name:   "reflectStatus",
		Params: []Param{{Name: "object", Type: "map", shape: wholeObject}, {Name: "fields", Type: "list", Optional: true, constant: constantPaths}},
		Result: "map or nil",
		Doc:    "Returns what a cluster reports of an object: the named fields of its status, or all of them, with generation (of the object) and resourceTemplateGeneration (of the template, from the annotation resourcetemplate.karmada.io/generation) for observedByAll. A field is a path as get takes it; what is missing is left out. It is nil where the object has no status.",
	}, func(args []any, m Meter) (any, error) {
		object, paths, err := objectAndFields(args, m)
		if err != nil {
			return refused(m, err)
		}
		status, err := asMap("status", object["status"])
		if err != nil || object["status"] == nil {
			return refused(m, err)
		}
		if err := payReads(paths, 1, m); err != nil {
			return refused(m, err)
		}
		m.Charge(2)
		var out map[string]any
		if arg(args, 1) == nil {
			m.Charge(int64(len(status)))
			out = maps.Clone(status)
		} else {
			out = chosen(status, paths)
		}
		if out == nil {
			out = map[string]any{}
		}
		addGenerations(out, mapAt(object, "metadata"))
		return out, nil
	})
}

// chosen returns the named fields of a status.
func chosen(status map[string]any, paths []fieldPath) map[string]any {
	out := tree{}
	for _, p := range paths {
		if v := p.in(status); v != nil {
			out.put(p, v)
		}
	}
	return out.plain()
}

// addGenerations puts the generations of an object beside its status.
func addGenerations(status, metadata map[string]any) {
	if n, ok := whole(metadata["generation"]); ok {
		status["generation"] = n
	}
	if n, ok := wholeText(mapAt(metadata, "annotations")[templateGeneration]); ok {
		status["resourceTemplateGeneration"] = n
	}
}

// wholeText reads a whole number, or the text of one.
func wholeText(v any) (int64, bool) {
	if text, isText := v.(string); isText {
		n, err := strconv.ParseInt(text, 10, 64)
		return n, err == nil
	}
	return whole(v)
}
