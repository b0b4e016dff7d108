// SPDX-License-Identifier: Apache-2.0

package fuzz

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dragoman-io/dragoman/api/crds"
)

// ownKinds returns the kinds of this project, with what validates their objects.
func ownKinds(t *testing.T) map[*Kind]validation.SchemaValidator {
	t.Helper()
	definitions, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	all := map[*Kind]validation.SchemaValidator{}
	for _, d := range definitions {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(d)
		if err != nil {
			t.Fatal(err)
		}
		version := d.Spec.Versions[0]
		k := &Kind{Namespaced: true}
		k.Group, k.Kind, k.Version = d.Spec.Group, d.Spec.Names.Kind, version.Name
		items, _, _ := unstructured.NestedSlice(content, "spec", "versions")
		k.Schema, _, _ = unstructured.NestedMap(items[0].(map[string]any), "schema", "openAPIV3Schema")
		var internal apiextensions.JSONSchemaProps
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, &internal, nil); err != nil {
			t.Fatal(err)
		}
		validator, _, err := validation.NewSchemaValidator(&internal)
		if err != nil {
			t.Fatal(err)
		}
		all[k] = validator
	}
	return all
}

// plain returns the object as JSON has it.
func plain(t *testing.T, o *unstructured.Unstructured) map[string]any {
	t.Helper()
	data, err := json.Marshal(o.Object)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := utiljson.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestObjectsAreValid checks objects of all kinds of this project as the API server does, without the rules in
// CEL.
func TestObjectsAreValid(t *testing.T) {
	made, invalid := 0, 0
	for k, validator := range ownKinds(t) {
		for run := range uint64(40) {
			made++
			if errs := validation.ValidateCustomResource(nil, plain(t, k.object(1, run)), validator); len(errs) > 0 {
				invalid++
				t.Logf("%s, run %d: %v", k.Kind, run, errs[0])
			}
		}
	}
	if made < 500 || invalid > 0 {
		t.Errorf("%d of %d objects are not valid", invalid, made)
	}
}

func TestObjectsAreTheSameForASeed(t *testing.T) {
	differs := false
	for k := range ownKinds(t) {
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
