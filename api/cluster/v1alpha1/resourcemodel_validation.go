// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateModels demands that the grades, in ascending order, cover each
// resource from 0 to MaxInt64 without gap or overlap. Errors name the grade by
// its place in the list as given.
func validateModels(models []ResourceModel, path *field.Path) field.ErrorList {
	if len(models) == 0 {
		return nil
	}
	var errs field.ErrorList
	sorted := gradesInOrder(models)
	for i, g := range sorted {
		if i > 0 && g.Grade == sorted[i-1].Grade {
			errs = append(errs, field.Duplicate(path.Index(g.index).Child("grade"), g.Grade))
		}
	}
	if len(errs) > 0 {
		return errs
	}
	ends := map[corev1.ResourceName]resource.Quantity{}
	for i, g := range sorted {
		at := path.Index(g.index).Child("ranges")
		errs = append(errs, g.validateResources(sorted[0].ResourceModel, at)...)
		for j, r := range g.Ranges {
			errs = append(errs, r.validateStart(ends[r.Name], i == 0, at.Index(j).Child("min"))...)
			errs = append(errs, r.validateEnd(i == len(sorted)-1, at.Index(j).Child("max"))...)
			ends[r.Name] = r.Max
		}
	}
	return errs
}

// graded is a model with its place in the user's list.
type graded struct {
	ResourceModel
	index int
}

func gradesInOrder(models []ResourceModel) []graded {
	sorted := make([]graded, len(models))
	for i, model := range models {
		sorted[i] = graded{model, i}
	}
	slices.SortStableFunc(sorted, func(a, b graded) int { return cmp.Compare(a.Grade, b.Grade) })
	return sorted
}

// validateResources demands the resources of the first grade, each once.
func (g *graded) validateResources(first ResourceModel, path *field.Path) field.ErrorList {
	if len(g.Ranges) == 0 {
		return field.ErrorList{field.Required(path, "give a range for at least one resource")}
	}
	var errs field.ErrorList
	own := sets.New[corev1.ResourceName]()
	for i, r := range g.Ranges {
		if own.Has(r.Name) {
			errs = append(errs, field.Duplicate(path.Index(i).Child("name"), r.Name))
		}
		own.Insert(r.Name)
	}
	wanted := sets.New[corev1.ResourceName]()
	for _, r := range first.Ranges {
		wanted.Insert(r.Name)
	}
	for _, name := range sets.List(wanted.Difference(own)) {
		errs = append(errs, field.Required(path, fmt.Sprintf("every grade has the same resources; add a range for %s", name)))
	}
	for _, name := range sets.List(own.Difference(wanted)) {
		errs = append(errs, field.Forbidden(path, fmt.Sprintf("every grade has the same resources, and grade %d has no %s; add it there, or remove it here", first.Grade, name)))
	}
	return errs
}

// validateStart demands that the range starts where the one of the grade before
// ended, the first at 0.
func (r *ResourceModelRange) validateStart(want resource.Quantity, first bool, path *field.Path) field.ErrorList {
	if r.Min.Cmp(want) == 0 {
		return nil
	}
	if first {
		return field.ErrorList{field.Invalid(path, r.Min.String(), "the first grade starts at 0")}
	}
	return field.ErrorList{field.Invalid(path, r.Min.String(), "must be the max of the grade before, which is "+want.String())}
}

// validateEnd demands that the range is not empty, and that the last one has no
// end.
func (r *ResourceModelRange) validateEnd(last bool, path *field.Path) field.ErrorList {
	if r.Max.Cmp(r.Min) <= 0 {
		return field.ErrorList{field.Invalid(path, r.Max.String(), "must be above min")}
	}
	if last && r.Max.Cmp(*resource.NewQuantity(math.MaxInt64, resource.DecimalSI)) != 0 {
		return field.ErrorList{field.Invalid(path, r.Max.String(), fmt.Sprintf("the last grade has no end; set max to %d", int64(math.MaxInt64)))}
	}
	return nil
}
