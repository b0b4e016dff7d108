// SPDX-License-Identifier: Apache-2.0

package override

import (
	"fmt"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/pointer"
)

// labels changes the labels of the object.
func labels(d *draft, o *policyv1alpha1.LabelAnnotationOverrider) error {
	return pairs(d, "labels", o)
}

// annotations changes the annotations of the object.
func annotations(d *draft, o *policyv1alpha1.LabelAnnotationOverrider) error {
	return pairs(d, "annotations", o)
}

// pairs changes a map of strings of the object's metadata: add sets each key, replace those
// that exist, remove drops them. What changes nothing copies nothing.
func pairs(d *draft, field string, o *policyv1alpha1.LabelAnnotationOverrider) error {
	if err := knownOperator(o.Operator); err != nil {
		return err
	}
	metadata, ok := d.object["metadata"].(map[string]any)
	if value := d.object["metadata"]; !ok && value != nil {
		return fmt.Errorf("/metadata is %s, not a map", kindOf(value))
	}
	all, ok := metadata[field].(map[string]any)
	if value := metadata[field]; !ok && value != nil {
		return fmt.Errorf("%s is %s, not a map", pointer.Pointer{"metadata", field}, kindOf(value))
	}
	if err := d.budget.Take(1 + len(o.Value)); err != nil {
		return err
	}
	if !changesPairs(all, o) {
		return nil
	}
	var err error
	if d.object, err = d.ownMap(d.object); err != nil {
		return err
	}
	if metadata, err = d.ownMap(metadata); err != nil {
		return err
	}
	if all, err = d.ownMap(all); err != nil {
		return err
	}
	d.object["metadata"], metadata[field] = metadata, all
	for key, value := range o.Value {
		if _, exists := all[key]; o.Operator == policyv1alpha1.OverriderOpRemove {
			delete(all, key)
		} else if exists || o.Operator == policyv1alpha1.OverriderOpAdd {
			all[key] = value
		}
	}
	return nil
}

// changesPairs reports whether an overrider changes a map of strings.
func changesPairs(all map[string]any, o *policyv1alpha1.LabelAnnotationOverrider) bool {
	for key, value := range o.Value {
		switch was, exists := all[key]; o.Operator {
		case policyv1alpha1.OverriderOpRemove:
			if exists {
				return true
			}
		case policyv1alpha1.OverriderOpAdd:
			if was != any(value) {
				return true
			}
		default:
			if exists && was != any(value) {
				return true
			}
		}
	}
	return false
}
