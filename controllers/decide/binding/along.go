// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// MovedAnnotation is on the binding of a workload that application failover has moved: what its
// policy selects beside it and runs nothing goes along with it since.
const MovedAnnotation = "failover.dragoman.io/moved"

// TakesAlong reports whether what runs nothing and has the policy of a binding goes along with it.
func TakesAlong(b workv1alpha2.Binding) bool {
	f := b.GetSpec().Failover
	return f != nil && f.Application != nil && b.GetAnnotations()[MovedAnnotation] != ""
}

// SetMoved notes on a binding that application failover has moved it; false takes the note away.
func SetMoved(b workv1alpha2.Binding, moved bool) {
	annotations := b.GetAnnotations()
	switch _, noted := annotations[MovedAnnotation]; {
	case moved == noted:
	case moved:
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[MovedAnnotation] = "true"
		b.SetAnnotations(annotations)
	default:
		delete(annotations, MovedAnnotation)
		b.SetAnnotations(annotations)
	}
}

// MostAlong is how many objects go along with a workload. A policy that selects more is none of one
// application, and what a workload takes along is noted on its binding.
const MostAlong = 100

// Along returns the dependencies of a binding with what goes along with it: the objects of its
// namespace that are bound by the same policy and that runs reports to run nothing. Those without a namespace go
// along with a binding without one alone. A dependency that is noted already is not in it twice.
// Where they are more than MostAlong none goes along, and the second result is false.
func Along(b workv1alpha2.Binding, ofPolicy []workv1alpha2.Binding, runs func(workv1alpha2.Binding) bool, noted []Reference) ([]Reference, bool) {
	all := slices.Clone(noted)
	for _, other := range ofPolicy {
		same := other.GetNamespace() == b.GetNamespace() && other.GetDeletionTimestamp() == nil
		if !same || other.GetName() == b.GetName() || runs(other) {
			continue
		}
		r := other.GetSpec().Resource
		named := func(n Reference) bool {
			return n.APIVersion == r.APIVersion && n.Kind == r.Kind && n.Name == r.Name && (n.Namespace == r.Namespace || n.Namespace == "")
		}
		if slices.ContainsFunc(all, named) {
			continue
		}
		if len(all) == len(noted)+MostAlong {
			return noted, false
		}
		all = append(all, Reference{APIVersion: r.APIVersion, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name})
	}
	return all, true
}
