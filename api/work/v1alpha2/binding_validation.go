// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
)

// Validate returns what is wrong with the binding beyond what the schema refuses.
// The list is empty for a good binding. It does not count against quota: that
// needs other objects.
func (b *ResourceBinding) Validate() field.ErrorList { return validateBinding(b) }

// Validate returns what is wrong with the binding, as ResourceBinding.Validate
// does.
func (b *ClusterResourceBinding) Validate() field.ErrorList { return validateBinding(b) }

func validateBinding(b Binding) field.ErrorList {
	path, spec := field.NewPath("spec"), b.GetSpec()
	errs := validateDependencies(b.GetAnnotations())
	errs = append(errs, validateComponents(spec.Components, path.Child("components"))...)
	errs = append(errs, validateEvictionTasks(spec.GracefulEvictionTasks, path.Child("gracefulEvictionTasks"))...)
	if spec.Suspension != nil {
		errs = append(errs, spec.Suspension.Suspension.Validate(path.Child("suspension"))...)
	}
	return errs
}

func validateDependencies(annotations map[string]string) field.ErrorList {
	text := annotations[DependenciesAnnotation]
	if text == "" {
		return nil
	}
	var dependencies []configv1alpha1.DependentObjectReference
	if err := json.Unmarshal([]byte(text), &dependencies); err != nil {
		return field.ErrorList{field.Invalid(field.NewPath("metadata", "annotations").Key(DependenciesAnnotation), text,
			fmt.Sprintf("must be a JSON list of {apiVersion, kind, namespace, name or labelSelector}: %v", err))}
	}
	return nil
}

func validateComponents(components []Component, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, component := range components {
		at := path.Index(i).Child("name")
		switch {
		case component.Name == "":
			errs = append(errs, field.Required(at, "give each component a name; the rule InterpretComponent makes it"))
		case seen[component.Name]:
			errs = append(errs, field.Duplicate(at, component.Name))
		}
		seen[component.Name] = true
	}
	return errs
}

func validateEvictionTasks(tasks []GracefulEvictionTask, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i := range tasks {
		task, at := &tasks[i], path.Index(i)
		if seen[task.FromCluster] {
			errs = append(errs, field.Duplicate(at.Child("fromCluster"), task.FromCluster))
		}
		seen[task.FromCluster] = true
		errs = append(errs, task.validate(at)...)
	}
	return errs
}

func (t *GracefulEvictionTask) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if seconds := t.GracePeriodSeconds; seconds != nil && *seconds <= 0 {
		errs = append(errs, field.Invalid(path.Child("gracePeriodSeconds"), *seconds, "must be above 0; remove it for the control plane's own timeout"))
	}
	if t.GracePeriodSeconds != nil && t.SuppressDeletion != nil {
		errs = append(errs, field.Forbidden(path.Child("suppressDeletion"), "gracePeriodSeconds and suppressDeletion exclude each other; keep one"))
	}
	for key, value := range t.PreservedState {
		if utf8.RuneCountInString(value) > PreservedStateMaxLength {
			errs = append(errs, field.TooLong(path.Child("preservedState").Key(key), "", PreservedStateMaxLength))
		}
	}
	return errs
}
