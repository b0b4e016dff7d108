// SPDX-License-Identifier: Apache-2.0

package author

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/controllers/decide/schema/review"
	"github.com/dragoman-io/dragoman/controllers/decide/schema/schemapath"
	"github.com/dragoman-io/dragoman/engine/author"
)

// reviewed reviews an object as the webhooks of the control plane do, with the schemas of
// CRDs.
func reviewed(object runtime.Object, definitions []*unstructured.Unstructured) (problems, warnings []author.Note) {
	for _, e := range review.Validate(object) {
		problems = append(problems, author.Note{Field: e.Field, Message: e.ErrorBody()})
	}
	for _, w := range review.Warnings(object, schemasOf(definitions)) {
		warnings = append(warnings, author.Note{Field: w.Field, Message: w.Message})
	}
	return problems, warnings
}

// schemasOf returns the schemas of CRDs. One whose schema cannot be read has none.
func schemasOf(definitions []*unstructured.Unstructured) review.Schemas {
	return func(kind schema.GroupVersionKind) *schemapath.Schema {
		for _, d := range definitions {
			if text := versionSchema(d, kind); text != nil {
				s, _ := schemapath.OfDefinition(text)
				return s
			}
		}
		return nil
	}
}

// versionSchema returns the schema of a kind in a CRD as JSON; nil if it is not there.
func versionSchema(d *unstructured.Unstructured, kind schema.GroupVersionKind) []byte {
	group, _, _ := unstructured.NestedString(d.Object, "spec", "group")
	name, _, _ := unstructured.NestedString(d.Object, "spec", "names", "kind")
	versions, _, _ := unstructured.NestedSlice(d.Object, "spec", "versions")
	if group != kind.Group || name != kind.Kind {
		return nil
	}
	for _, v := range versions {
		version, _ := v.(map[string]any)
		props, found, _ := unstructured.NestedMap(version, "schema", "openAPIV3Schema")
		if version["name"] != kind.Version || !found {
			continue
		}
		text, err := json.Marshal(props)
		if err != nil {
			return nil
		}
		return text
	}
	return nil
}
