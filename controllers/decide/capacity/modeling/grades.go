// SPDX-License-Identifier: Apache-2.0

// Package modeling sorts the nodes of a cluster into the grades of its resource models, by
// what they have free, and keeps count of them while nodes and pods come and go. It takes
// values and returns values, and knows neither client nor cache.
package modeling

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// Grades are the resource models of one cluster, the smallest grade first. They share the
// models that they were made of, which must not change.
type Grades []clusterv1alpha1.ResourceModel

// Of returns the grades of some models; of none, the default grades.
func Of(models []clusterv1alpha1.ResourceModel) Grades {
	if len(models) == 0 {
		return clusterv1alpha1.DefaultResourceModels()
	}
	if slices.IsSortedFunc(models, byGrade) {
		return models
	}
	sorted := slices.Clone(models)
	slices.SortStableFunc(sorted, byGrade)
	return sorted
}

func byGrade(a, b clusterv1alpha1.ResourceModel) int { return cmp.Compare(a.Grade, b.Grade) }

// Equal reports whether two lists of grades have the same ranges, whatever the formats of
// their quantities. The order of the ranges within a grade counts.
func (g Grades) Equal(other Grades) bool {
	return slices.EqualFunc(g, other, func(a, b clusterv1alpha1.ResourceModel) bool {
		return a.Grade == b.Grade && slices.EqualFunc(a.Ranges, b.Ranges, func(a, b clusterv1alpha1.ResourceModelRange) bool {
			return a.Name == b.Name && a.Min.Cmp(b.Min) == 0 && a.Max.Cmp(b.Max) == 0
		})
	})
}

// none is the index of what is in no grade.
const none = -1

// index returns the place of the highest grade whose minimum is free of all its resources,
// or none. Less than nothing free counts as nothing free: on an overcommitted node pods
// request more than the node offers.
func (g Grades) index(free corev1.ResourceList) int {
	for i, model := range slices.Backward(g) {
		if holds(free, model.Ranges) {
			return i
		}
	}
	return none
}

func holds(free corev1.ResourceList, ranges []clusterv1alpha1.ResourceModelRange) bool {
	for i := range ranges {
		q := free[ranges[i].Name]
		if ranges[i].Min.Sign() > 0 && q.Cmp(ranges[i].Min) < 0 {
			return false
		}
	}
	return true
}
