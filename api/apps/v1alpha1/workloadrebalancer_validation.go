// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate returns what is wrong with the rebalancer beyond what the schema refuses. The
// list is empty for a good one. A workload may be named twice, as published.
func (r *WorkloadRebalancer) Validate() field.ErrorList {
	at := field.NewPath("spec")
	var errs field.ErrorList
	if len(r.Spec.Workloads) == 0 {
		errs = append(errs, field.Required(at.Child("workloads"), "name at least one workload"))
	}
	for i := range r.Spec.Workloads {
		errs = append(errs, r.Spec.Workloads[i].validate(at.Child("workloads").Index(i))...)
	}
	if ttl := r.Spec.TTLSecondsAfterFinished; ttl != nil && *ttl < 0 {
		errs = append(errs, field.Invalid(at.Child("ttlSecondsAfterFinished"), *ttl, "must not be negative; 0 deletes the object at once, leave the field out to keep it"))
	}
	return errs
}

func (o *ObjectReference) validate(at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if o.APIVersion == "" {
		errs = append(errs, field.Required(at.Child("apiVersion"), "name a group and a version, such as apps/v1"))
	} else if gv, err := schema.ParseGroupVersion(o.APIVersion); err != nil || gv.Version == "" {
		errs = append(errs, field.Invalid(at.Child("apiVersion"), o.APIVersion, "must be a group and a version, such as apps/v1, or v1 for the core group"))
	}
	if o.Kind == "" {
		errs = append(errs, field.Required(at.Child("kind"), "name the kind, such as Deployment"))
	}
	if o.Name == "" {
		errs = append(errs, field.Required(at.Child("name"), "name the object; there is no way to name all of a kind"))
	} else {
		for _, message := range content.IsPathSegmentName(o.Name) {
			errs = append(errs, field.Invalid(at.Child("name"), o.Name, message))
		}
	}
	if o.Namespace != "" {
		for _, message := range validation.IsDNS1123Label(o.Namespace) {
			errs = append(errs, field.Invalid(at.Child("namespace"), o.Namespace, message))
		}
	}
	return errs
}
