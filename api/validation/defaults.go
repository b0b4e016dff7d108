// SPDX-License-Identifier: Apache-2.0

package validation

import (
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"
)

// SetDefaults drops null values that the schema does not allow and sets its defaults, in
// place, as the API server does.
func (k *Kind) SetDefaults(object map[string]any) { setDefaults(object, k.Structural) }

func setDefaults(value any, s *structuralschema.Structural) {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			if property := propertyOf(s, key); below == nil && property != nil && !property.Nullable {
				delete(v, key)
			}
		}
		for key, property := range s.Properties {
			if _, set := v[key]; !set && property.Default.Object != nil {
				v[key] = runtime.DeepCopyJSONValue(property.Default.Object)
			}
		}
		for key, below := range v {
			if property := propertyOf(s, key); property != nil {
				setDefaults(below, property)
			}
		}
	case []any:
		for _, item := range v {
			if s.Items != nil {
				setDefaults(item, s.Items)
			}
		}
	}
}

// propertyOf returns the schema of a field; nil where the schema has none.
func propertyOf(s *structuralschema.Structural, key string) *structuralschema.Structural {
	if property, ok := s.Properties[key]; ok {
		return &property
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties.Structural
	}
	return nil
}
