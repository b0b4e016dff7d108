// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// Cause is why a binding is placed, for logs.
type Cause string

// The causes, in the order in which they are looked for.
const (
	NotNeeded         Cause = ""
	PlacementChanged  Cause = "the placement changed"
	NoTargets         Cause = "there are no targets"
	GroupUnknown      Cause = "the affinity group in force is not known"
	ReplicasChanged   Cause = "the replicas changed"
	ComponentsChanged Cause = "the components changed"
	Requested         Cause = "rescheduling was requested"
	Copied            Cause = "it goes to every cluster that matches"
	TargetGone        Cause = "a target is gone"
)

// Needed returns why a binding is placed now, or NotNeeded: then its targets stay,
// whatever woke it. applied is the placement that the targets were chosen by; nil means
// that it is not known. Clusters, spec and status are read from the input.
//
// An object that is copied to every cluster that matches, as one without replicas is, is
// always placed: it follows the clusters. Divided replicas stay where they are until one
// of the other causes holds, because moving them stops them: a cluster that joins,
// recovers, or does not match any more moves none. These are Karmada's rules, but for the
// components, a target that does not exist, and the group that is not known.
func Needed(in Input, applied *policyv1alpha1.Placement) Cause {
	spec := in.Spec
	switch {
	case applied == nil || placementChanged(spec.Placement, applied, in.Status):
		return PlacementChanged
	case len(spec.Clusters) == 0:
		return NoTargets
	case groupUnknown(spec.Placement, in.Status):
		return GroupUnknown
	case replicasChanged(spec):
		return ReplicasChanged
	case componentsChanged(spec):
		return ComponentsChanged
	case RescheduleAsked(spec, in.Status):
		return Requested
	case Copies(spec):
		return Copied
	case slices.ContainsFunc(spec.Clusters, func(t workv1alpha2.TargetCluster) bool { return !stays(t.Name, in.Clusters) }):
		return TargetGone
	}
	return NotNeeded
}

// AwaitsReplicas reports whether the replicas of a binding's clusters are not those of its
// spec: the scheduler has not decided about that spec yet, or the clusters were chosen when
// the object had no replicas and none are known.
func AwaitsReplicas(b workv1alpha2.Binding) bool {
	spec := b.GetSpec()
	if spec.Placement == nil || !spec.IsWorkload() || len(spec.Components) > 0 || len(spec.Clusters) == 0 {
		return false
	}
	differs := func(t workv1alpha2.TargetCluster) bool { return t.Replicas != spec.Replicas }
	if changed := replicasChanged(spec) || Copies(spec) && slices.ContainsFunc(spec.Clusters, differs); !changed {
		return false
	}
	unknown := !slices.ContainsFunc(spec.Clusters, func(t workv1alpha2.TargetCluster) bool { return t.Replicas > 0 })
	return unknown || binding.IsMovable(b) && !binding.IsDecided(b)
}

// Copies reports whether a binding's object is copied to every cluster that matches, so
// that a cluster that joins or recovers concerns it. The placement must not be nil.
func Copies(spec *workv1alpha2.ResourceBindingSpec) bool {
	return !spec.IsWorkload() || strategyOf(spec.Placement.ReplicaScheduling) == duplicated
}

// placementChanged reports whether a placement asks for other targets than the one that
// was applied. Of several affinity groups only the one in force counts.
func placementChanged(wanted, applied *policyv1alpha1.Placement, status *workv1alpha2.ResourceBindingStatus) bool {
	a, b := *wanted, *applied
	a.WorkloadAffinity, b.WorkloadAffinity = nil, nil
	if equality.Semantic.DeepEqual(a, b) {
		return false
	}
	a.ClusterAffinities, b.ClusterAffinities = nil, nil
	if !equality.Semantic.DeepEqual(a, b) {
		return true
	}
	before, after := groupInForce(applied, status), groupInForce(wanted, status)
	return before == nil || after == nil || !equality.Semantic.DeepEqual(before, after)
}

// groupUnknown reports whether there are affinity groups and none of them is in force,
// for example because the status could not be written.
func groupUnknown(p *policyv1alpha1.Placement, status *workv1alpha2.ResourceBindingStatus) bool {
	return len(p.ClusterAffinities) > 0 && groupInForce(p, status) == nil
}

// groupInForce returns the affinity group that the targets are from; nil means that the
// placement does not have it.
func groupInForce(p *policyv1alpha1.Placement, status *workv1alpha2.ResourceBindingStatus) *policyv1alpha1.ClusterAffinityTerm {
	if status == nil {
		return nil
	}
	for i := range p.ClusterAffinities {
		if p.ClusterAffinities[i].AffinityName == status.SchedulerObservedAffinityName {
			return &p.ClusterAffinities[i]
		}
	}
	return nil
}

// replicasChanged reports whether divided replicas are not as many as are wanted. Copied
// ones need not be asked about.
func replicasChanged(spec *workv1alpha2.ResourceBindingSpec) bool {
	if strategyOf(spec.Placement.ReplicaScheduling) == duplicated || len(spec.Components) > 1 {
		return false
	}
	sum := int64(0)
	for i := range spec.Clusters {
		sum += int64(spec.Clusters[i].Replicas)
	}
	return sum != int64(spec.Replicas)
}

// componentsChanged reports whether targets have components on record, and other ones
// than the object has.
func componentsChanged(spec *workv1alpha2.ResourceBindingSpec) bool {
	wanted := componentTargets(spec)
	return slices.ContainsFunc(spec.Clusters, func(t workv1alpha2.TargetCluster) bool {
		return len(t.Components) > 0 && !slices.Equal(t.Components, wanted)
	})
}

// stays reports whether a cluster exists and is not being deleted.
func stays(name string, clusters []*clusterv1alpha1.Cluster) bool {
	return slices.ContainsFunc(clusters, func(c *clusterv1alpha1.Cluster) bool {
		return c.Name == name && c.DeletionTimestamp.IsZero()
	})
}
