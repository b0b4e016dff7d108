// SPDX-License-Identifier: Apache-2.0

package review

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// pointer is a path into the objects that an override policy selects.
type pointer struct {
	text string
	path *field.Path
	// isText reports that the value must be text.
	isText bool
}

// ofOverriders returns the paths of overriders that a selected kind does not have. One
// that several kinds do not have is reported for each.
func ofOverriders(spec *policyv1alpha1.OverrideSpec, schemas Schemas) []Warning {
	pointers := pointersOf(&spec.Overriders, field.NewPath("spec", "overriders"))
	for i := range spec.OverrideRules {
		pointers = append(pointers, pointersOf(&spec.OverrideRules[i].Overriders, field.NewPath("spec", "overrideRules").Index(i).Child("overriders"))...)
	}
	if len(pointers) == 0 {
		return nil
	}
	var found []Warning
	for _, kind := range kindsOf(spec.ResourceSelectors) {
		s := schemas(kind)
		if s == nil {
			continue
		}
		for _, p := range pointers {
			missing, is := s.Pointer(p.text)
			switch {
			case missing != nil:
				found = append(found, Warning{p.path.String(), has(kind, missing)})
			case p.isText && is != "" && is != "string":
				found = append(found, Warning{p.path.String(), fmt.Sprintf("the field has to be text, but in the schema of %s it is of type %s", kind.Kind, is)})
			}
		}
	}
	return found
}

// pointersOf lists the pointers of overriders in their order.
func pointersOf(o *policyv1alpha1.Overriders, path *field.Path) []pointer {
	var all []pointer
	for i, item := range o.ImageOverrider {
		if item.Predicate != nil {
			all = append(all, pointer{item.Predicate.Path, path.Child("imageOverrider").Index(i).Child("predicate", "path"), true})
		}
	}
	for i, item := range o.FieldOverrider {
		all = append(all, pointer{item.FieldPath, path.Child("fieldOverrider").Index(i).Child("fieldPath"), true})
	}
	for i, item := range o.Plaintext {
		all = append(all, pointer{item.Path, path.Child("plaintext").Index(i).Child("path"), false})
	}
	return all
}
