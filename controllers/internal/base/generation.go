// SPDX-License-Identifier: Apache-2.0

package base

import (
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// GenerationChanged accepts all events but updates that change neither the generation of an object
// nor which object it is. One that was deleted and created again while no watch was open, as with
// its CRD, comes as an update, and both are often of generation 1.
type GenerationChanged struct{ predicate.Funcs }

// Update reports whether an update counts.
func (GenerationChanged) Update(e event.UpdateEvent) bool {
	if e.ObjectOld == nil || e.ObjectNew == nil {
		return false
	}
	return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || e.ObjectOld.GetUID() != e.ObjectNew.GetUID()
}
