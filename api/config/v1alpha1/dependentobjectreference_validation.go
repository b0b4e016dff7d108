// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate returns what is wrong with the reference, with paths below the one
// given, which may be nil.
func (r *DependentObjectReference) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if r.APIVersion == "" {
		errs = append(errs, field.Required(path.Child("apiVersion"), "give the group and version of the dependency"))
	}
	if r.Kind == "" {
		errs = append(errs, field.Required(path.Child("kind"), "give the kind of the dependency"))
	}
	if r.Name == "" && r.LabelSelector == nil {
		errs = append(errs, field.Required(path.Child("name"), "name the dependency, or give a labelSelector"))
	}
	return append(errs, metav1validation.ValidateLabelSelector(r.LabelSelector, metav1validation.LabelSelectorValidationOptions{}, path.Child("labelSelector"))...)
}
