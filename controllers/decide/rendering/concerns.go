// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
)

// Concerns reports whether a change of a binding that leaves its spec as it is may change what becomes of
// its Works.
func Concerns(before, after workv1alpha2.Binding) bool {
	switch {
	// It carries other state over, or none any more.
	case before.GetAnnotations()[binding.CarriedStateAnnotation] != after.GetAnnotations()[binding.CarriedStateAnnotation]:
		return true
	// The application became healthy again in a cluster that it is being evicted from.
	case binding.MayRevert(after) && !binding.MayRevert(before):
		return true
	// There is more of copies that are about to go for new ones.
	case binding.SaidLast(after, before.GetStatus().AggregatedStatus, after.GetStatus().AggregatedStatus):
		return true
	}
	// The scheduler has decided whether there is another cluster in place of one that is left, or how many
	// replicas each has.
	return binding.AwaitsTarget(before) != binding.AwaitsTarget(after) ||
		placement.AwaitsReplicas(before) != placement.AwaitsReplicas(after) || len(binding.Refusals(before)) != len(binding.Refusals(after))
}
