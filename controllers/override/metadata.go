// SPDX-License-Identifier: Apache-2.0

package override

import (
	"fmt"
	"maps"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/override/internal/pointer"
)

// labels changes the labels of the object.
func labels(object map[string]any, o *policyv1alpha1.LabelAnnotationOverrider) (map[string]any, error) {
	return pairs(object, "labels", o)
}

// annotations changes the annotations of the object.
func annotations(object map[string]any, o *policyv1alpha1.LabelAnnotationOverrider) (map[string]any, error) {
	return pairs(object, "annotations", o)
}

// pairs changes a map of strings of the object's metadata: add sets each key, replace those
// that exist, remove drops them.
func pairs(object map[string]any, field string, o *policyv1alpha1.LabelAnnotationOverrider) (map[string]any, error) {
	if err := knownOperator(o.Operator); err != nil {
		return nil, err
	}
	metadata, ok := object["metadata"].(map[string]any)
	if value := object["metadata"]; !ok && value != nil {
		return nil, fmt.Errorf("/metadata is %s, not a map", kindOf(value))
	}
	before, ok := metadata[field].(map[string]any)
	if value := metadata[field]; !ok && value != nil {
		return nil, fmt.Errorf("%s is %s, not a map", pointer.Pointer{"metadata", field}, kindOf(value))
	}
	after := maps.Clone(before)
	if after == nil {
		after = map[string]any{}
	}
	changed := false
	for key, value := range o.Value {
		was, exists := before[key]
		switch {
		case o.Operator == policyv1alpha1.OverriderOpRemove:
			changed = changed || exists
			delete(after, key)
		case exists || o.Operator == policyv1alpha1.OverriderOpAdd:
			changed = changed || was != any(value)
			after[key] = value
		}
	}
	if !changed {
		return object, nil
	}
	metadata = withKey(metadata, field, after)
	return withKey(object, "metadata", metadata), nil
}

// withKey returns a copy of a map with one key set.
func withKey(m map[string]any, key string, value any) map[string]any {
	m = maps.Clone(m)
	if m == nil {
		m = map[string]any{}
	}
	m[key] = value
	return m
}
