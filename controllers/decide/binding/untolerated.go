// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
)

// Untolerated is a target of a binding that it leaves because of a NoExecute taint.
type Untolerated struct {
	Cluster string
	// Taint is the taint that the binding leaves for, the earliest of several.
	Taint corev1.Taint
	// Since is when that taint was added; a taint without a time was added now.
	Since time.Time
	// Due is when the binding leaves: Since, or later where it tolerates the taint for a
	// time.
	Due time.Time
}

// FindUntolerated returns the targets of a binding that have a NoExecute taint which its
// placement does not tolerate, or only for a time, in the order of spec.clusters. taints
// returns those of a cluster, nil for one that does not exist.
//
// As for the pods of a node, the first toleration that covers a taint counts, and the
// shortest of those of all taints: one without tolerationSeconds holds for ever, one with
// 0 or less not at all.
func FindUntolerated(spec *workv1alpha2.ResourceBindingSpec, taints func(cluster string) []corev1.Taint, now time.Time) []Untolerated {
	if spec.Placement == nil {
		return nil
	}
	var found []Untolerated
	for i := range spec.Clusters {
		var first *Untolerated
		for _, taint := range taints(spec.Clusters[i].Name) {
			u, leaves := leaveFor(taint, spec.Placement.ClusterTolerations, now)
			if leaves && (first == nil || u.Due.Before(first.Due)) {
				first = &u
			}
		}
		if first != nil {
			first.Cluster = spec.Clusters[i].Name
			found = append(found, *first)
		}
	}
	return found
}

// Leaves reports whether a binding leaves a cluster with these taints, at once or when the
// time is over for which it tolerates one. New objects do go there in that time, and not after
// it: see Overdue.
func Leaves(spec *workv1alpha2.ResourceBindingSpec, taints []corev1.Taint) bool {
	return spec.Placement != nil && slices.ContainsFunc(taints, func(taint corev1.Taint) bool {
		_, leaves := leaveFor(taint, spec.Placement.ClusterTolerations, time.Time{})
		return leaves
	})
}

// Overdue returns the first taint for which a binding would leave a cluster at once at a
// time, as soon as it came there: one that it does not tolerate, or not any more. Nil is none.
func Overdue(spec *workv1alpha2.ResourceBindingSpec, taints []corev1.Taint, now time.Time) *corev1.Taint {
	if spec.Placement == nil {
		return nil
	}
	for i := range taints {
		if u, leaves := leaveFor(taints[i], spec.Placement.ClusterTolerations, now); leaves && !u.Due.After(now) {
			return &taints[i]
		}
	}
	return nil
}

// leaveFor returns when a taint has objects with these tolerations leave; false where
// it never does.
func leaveFor(taint corev1.Taint, tolerations []corev1.Toleration, now time.Time) (Untolerated, bool) {
	if taint.Effect != corev1.TaintEffectNoExecute {
		return Untolerated{}, false
	}
	u := Untolerated{Taint: taint, Since: now}
	if taint.TimeAdded != nil {
		u.Since = taint.TimeAdded.Time
	}
	u.Due = u.Since
	i := slices.IndexFunc(tolerations, func(t corev1.Toleration) bool { return selector.Tolerates(&t, &taint) })
	switch {
	case i < 0:
		return u, true
	case tolerations[i].TolerationSeconds == nil:
		return Untolerated{}, false
	}
	u.Due = u.Since.Add(time.Duration(min(max(0, *tolerations[i].TolerationSeconds), mostSeconds)) * time.Second)
	return u, true
}

// mostSeconds is the most that a time.Duration holds, 292 years. More would be less than none.
const mostSeconds = int64(math.MaxInt64 / time.Second)

// ClusterPurgeMode returns how a binding leaves a cluster with a taint: as its policy says,
// or else as the control plane does.
func ClusterPurgeMode(spec *workv1alpha2.ResourceBindingSpec, otherwise policyv1alpha1.PurgeMode) policyv1alpha1.PurgeMode {
	if spec.Failover == nil || spec.Failover.Cluster == nil {
		return otherwise.Canonical()
	}
	if mode := spec.Failover.Cluster.PurgeMode.Canonical(); mode != "" {
		return mode
	}
	return policyv1alpha1.PurgeModeGracefully
}

// IsGoverned reports whether a policy, or another controller that depends on it, has a
// binding scheduled; the binding of a deleted policy stays where it is.
func IsGoverned(b workv1alpha2.Binding) bool {
	for _, label := range []string{
		policyv1alpha1.PropagationPolicyPermanentIDLabel, policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel,
		workv1alpha2.BindingManagedByLabel,
	} {
		if b.GetLabels()[label] != "" {
			return true
		}
	}
	return false
}

// IsMovable reports whether a binding that loses a cluster gets another one: it has a
// placement, something has it scheduled, and scheduling is not suspended. Otherwise to
// evict it would only remove copies.
func IsMovable(b workv1alpha2.Binding) bool {
	return isRequested(b) && IsGoverned(b) && !SchedulingSuspended(b.GetSpec())
}

// isRequested reports whether copies of a binding are wanted where its own placement has them.
func isRequested(b workv1alpha2.Binding) bool {
	return b.GetDeletionTimestamp() == nil && b.GetSpec().Placement != nil
}

// SchedulingSuspended reports whether no cluster is chosen for a binding now.
func SchedulingSuspended(spec *workv1alpha2.ResourceBindingSpec) bool {
	return spec.Suspension != nil && spec.Suspension.Scheduling != nil && *spec.Suspension.Scheduling
}
