// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate returns what is wrong with the Work beyond what the schema refuses: a
// manifest that names no object. The list is empty for a good Work.
func (w *Work) Validate() field.ErrorList {
	path := field.NewPath("spec", "workload", "manifests")
	var errs field.ErrorList
	for i := range w.Spec.Workload.Manifests {
		errs = append(errs, w.Spec.Workload.Manifests[i].validate(path.Index(i))...)
	}
	return errs
}

func (m *Manifest) validate(path *field.Path) field.ErrorList {
	var object metav1.PartialObjectMetadata
	if err := json.Unmarshal(m.Raw, &object); err != nil {
		return field.ErrorList{field.Invalid(path, "", "must be one Kubernetes object as JSON: "+err.Error())}
	}
	var errs field.ErrorList
	if object.APIVersion == "" {
		errs = append(errs, field.Required(path.Child("apiVersion"), "give the group and version of the object"))
	}
	if object.Kind == "" {
		errs = append(errs, field.Required(path.Child("kind"), "give the kind of the object"))
	}
	if object.Name == "" {
		errs = append(errs, field.Required(path.Child("metadata", "name"), "name the object; generateName does not work on members"))
	}
	return errs
}
