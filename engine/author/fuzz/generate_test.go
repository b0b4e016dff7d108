// SPDX-License-Identifier: Apache-2.0

package fuzz

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/api/crds"
)

// ownKinds returns the kinds of this project.
func ownKinds(t *testing.T) []Kind {
	t.Helper()
	definitions, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	var all []Kind
	for _, d := range definitions {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(d)
		if err != nil {
			t.Fatal(err)
		}
		k := Kind{Namespaced: true}
		k.Group, k.Kind, k.Version = d.Spec.Group, d.Spec.Names.Kind, d.Spec.Versions[0].Name
		items, _, _ := unstructured.NestedSlice(content, "spec", "versions")
		k.Schema, _, _ = unstructured.NestedMap(items[0].(map[string]any), "schema", "openAPIV3Schema")
		all = append(all, k)
	}
	return all
}

// invalid returns what a schema does not allow about a value; "" is nothing. It looks at types, enums, patterns,
// lengths, bounds and required fields.
func invalid(v any, s map[string]any, path string) string {
	if v == nil && s["nullable"] == true {
		return ""
	}
	if choices, _ := s["enum"].([]any); len(choices) > 0 && !slices.Contains(choices, v) {
		return path + ": not in the enum"
	}
	isEither := s["x-kubernetes-int-or-string"] == true
	switch x := v.(type) {
	case string:
		pattern, _ := s["pattern"].(string)
		if !isEither && s["type"] != nil && s["type"] != "string" || !regexp.MustCompile(pattern).MatchString(x) ||
			int64(len(x)) < whole(s["minLength"], 0) || int64(len(x)) > whole(s["maxLength"], 1<<40) {
			return path + ": text " + x
		}
	case int64:
		isNumber := s["type"] == "integer" || s["type"] == "number" || s["type"] == nil
		if !isEither && !isNumber || x < whole(s["minimum"], -1<<40) || x > whole(s["maximum"], 1<<40) {
			return fmt.Sprint(path, ": number ", x)
		}
	case []any:
		items, _ := s["items"].(map[string]any)
		if s["type"] != "array" || int64(len(x)) < whole(s["minItems"], 0) || int64(len(x)) > whole(s["maxItems"], 1<<40) {
			return fmt.Sprint(path, ": list of ", len(x))
		}
		for i := range x {
			if wrong := invalid(x[i], items, fmt.Sprintf("%s[%d]", path, i)); wrong != "" {
				return wrong
			}
		}
	case map[string]any:
		return invalidFields(x, s, path)
	}
	return ""
}

func invalidFields(m, s map[string]any, path string) string {
	if s["type"] != nil && s["type"] != "object" {
		return path + ": a map"
	}
	for _, name := range requiredOf(s) {
		if _, has := m[name]; !has {
			return path + "." + name + ": missing"
		}
	}
	properties, _ := s["properties"].(map[string]any)
	values, _ := s["additionalProperties"].(map[string]any)
	for name, v := range m {
		of, known := properties[name].(map[string]any)
		if !known {
			of = values
		}
		if of == nil && s["x-kubernetes-preserve-unknown-fields"] != true && s["type"] != nil {
			return path + "." + name + ": unknown"
		}
		if wrong := invalid(v, of, path+"."+name); wrong != "" && of != nil {
			return wrong
		}
	}
	return ""
}

// TestObjectsAreValid checks objects of all kinds of this project by their schemas, without the rules in CEL.
func TestObjectsAreValid(t *testing.T) {
	made := 0
	for _, k := range ownKinds(t) {
		for run := range uint64(40) {
			made++
			o := k.object(1, run).Object
			if _, known := k.Schema["properties"].(map[string]any)["metadata"]; known {
				o["metadata"] = map[string]any{}
			}
			if wrong := invalid(o, k.Schema, k.Kind); wrong != "" {
				t.Errorf("run %d: %s", run, wrong)
			}
		}
	}
	if made < 500 {
		t.Errorf("%d objects were made: the test sees too few", made)
	}
}

func TestObjectsAreTheSameForASeed(t *testing.T) {
	differs := false
	for _, k := range ownKinds(t) {
		a, b, c := k.object(3, 5), k.object(3, 5), k.object(4, 5)
		if d := cmp.Diff(a.Object, b.Object); d != "" {
			t.Errorf("%s: the same seed and run (-once +again):\n%s", k.Kind, d)
		}
		differs = differs || !cmp.Equal(a.Object, c.Object)
	}
	if !differs {
		t.Error("another seed makes the same objects")
	}
}

func TestShrunkKeepsWhatIsRequired(t *testing.T) {
	k := Kind{Schema: map[string]any{"type": "object", "properties": map[string]any{
		"spec": map[string]any{"type": "object", "required": []any{"a"}, "properties": map[string]any{
			"a": map[string]any{"type": "string"}, "b": map[string]any{"type": "string"},
			"list": map[string]any{"type": "array", "minItems": int64(1), "items": map[string]any{"type": "integer"}},
		}},
		"status": map[string]any{"type": "object"},
	}}}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "A", "metadata": map[string]any{"name": "x"}, "status": map[string]any{"x": "y"},
		"spec": map[string]any{"a": "1", "b": "2", "list": []any{int64(1), int64(2), int64(3)}},
	}}
	before := object.DeepCopy()
	got := k.shrunk(object, func(o *unstructured.Unstructured) bool {
		_, has, _ := unstructured.NestedSlice(o.Object, "spec", "list")
		return has
	})
	want := map[string]any{
		"apiVersion": "v1", "kind": "A", "metadata": map[string]any{"name": "x"},
		"spec": map[string]any{"a": "1", "list": []any{int64(1)}},
	}
	if d := cmp.Diff(want, got.Object); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(before.Object, object.Object); d != "" {
		t.Errorf("the object itself changed:\n%s", d)
	}
}
