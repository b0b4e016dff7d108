// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateSelectors looks at each selector by itself.
func validateSelectors(selectors []ResourceSelector, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range selectors {
		errs = append(errs, selectors[i].validate(path.Index(i))...)
	}
	return errs
}

func (s *ResourceSelector) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s.APIVersion == "" {
		errs = append(errs, field.Required(path.Child("apiVersion"), "give the group and version of the kind, for example apps/v1"))
	} else if _, err := schema.ParseGroupVersion(s.APIVersion); err != nil {
		errs = append(errs, field.Invalid(path.Child("apiVersion"), s.APIVersion, "must be <group>/<version>, or v1 for the core group"))
	}
	if s.Kind == "" {
		errs = append(errs, field.Required(path.Child("kind"), "give the kind, for example Deployment"))
	}
	if len(s.Name)+len(s.Kind) >= bindingNameMaxLength {
		errs = append(errs, field.Invalid(path.Child("name"), s.Name,
			fmt.Sprintf("the binding of the object is called name-kind, which may have %d characters; no object of so long a name can be propagated", bindingNameMaxLength)))
	}
	return append(errs, validateLabelSelector(s.LabelSelector, path.Child("labelSelector"))...)
}

// bindingNameMaxLength is the maximum length of the name of a binding, which is that of the
// object, a dash and its kind.
const bindingNameMaxLength = 253

// validateSelectorNamespaces keeps a namespaced policy inside its namespace. An
// empty namespace is one that was not defaulted yet.
func validateSelectorNamespaces(selectors []ResourceSelector, namespace string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, selector := range selectors {
		if selector.Namespace != "" && selector.Namespace != namespace {
			errs = append(errs, field.Invalid(path.Index(i).Child("namespace"), selector.Namespace,
				"a namespaced policy selects only in its own namespace; remove the field, or use the cluster-wide kind of policy"))
		}
	}
	return errs
}
