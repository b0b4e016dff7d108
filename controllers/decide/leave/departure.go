// SPDX-License-Identifier: Apache-2.0

// Package leave decides which bindings leave clusters with NoExecute taints, in which order and how
// fast, and when too many clusters look unhealthy for any to leave. The controller of cluster
// failover and the simulation of a loss call it. It takes values and returns values; what time it
// is goes in.
package leave

import (
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// Departure is that a binding leaves clusters.
type Departure struct {
	// Key is that of the binding; a ClusterResourceBinding has no namespace.
	Key types.NamespacedName
	// Priority is that of the binding; the higher goes first.
	Priority int32
	// Since is when the oldest of the taints that it leaves for was added.
	Since time.Time
	// Leaves are the clusters with their taints, the earliest due first; never empty.
	Leaves []binding.Untolerated
}

// Of returns which clusters a binding leaves, now or later, by the NoExecute taints of each; false
// where it leaves none. The taints of a cluster that is gone or leaves the control plane are none:
// what is there has another controller.
func Of(b workv1alpha2.Binding, taints func(cluster string) []corev1.Taint, now time.Time) (Departure, bool) {
	if !binding.IsMovable(b) {
		return Departure{}, false
	}
	found := binding.FindUntolerated(b.GetSpec(), taints, now)
	if len(found) == 0 {
		return Departure{}, false
	}
	slices.SortStableFunc(found, func(a, b binding.Untolerated) int { return a.Due.Compare(b.Due) })
	d := Departure{Key: binding.KeyOf(b), Since: found[0].Since, Leaves: found}
	for i := range found {
		if found[i].Since.Before(d.Since) {
			d.Since = found[i].Since
		}
	}
	if p := b.GetSpec().SchedulePriority; p != nil {
		d.Priority = p.Priority
	}
	return d, true
}

// Taints returns the taints of a cluster that bindings leave for; none where the cluster is nil or
// leaves the control plane.
func Taints(cluster *clusterv1alpha1.Cluster) []corev1.Taint {
	if cluster == nil || cluster.DeletionTimestamp != nil {
		return nil
	}
	return binding.StandingTaints(cluster)
}

// Due is when the first cluster is left.
func (d *Departure) Due() time.Time { return d.Leaves[0].Due }

// Terms are how bindings leave clusters.
type Terms struct {
	// Works are those of the binding, whose status may not have their last reports yet.
	Works []workv1alpha1.Work
	// PurgeMode is for bindings whose policy has no spec.failover.cluster.
	PurgeMode policyv1alpha1.PurgeMode
	// State returns the state that the copy in a cluster leaves behind by the rules of the policy.
	// It is not called where the policy has no spec.failover.cluster.
	State func(rules *policyv1alpha1.StatePreservation, cluster string) (binding.State, error)
	// Warn is called with what is lost although the copy leaves; nil is nobody.
	Warn func(error)
}

// Evict changes the binding of a departure for each cluster that it must leave now, and returns
// these. Its status gets newer reports of the Works, in memory. Where the state of a copy cannot be
// collected the copy stays, and the error has why.
func (d *Departure) Evict(b workv1alpha2.Binding, terms Terms, now time.Time) (evicted []string, _ error) {
	binding.ReadHealthy(b, terms.Works, now)
	spec := b.GetSpec()
	before := binding.TargetNames(spec)
	var failed []error
	for i := range d.Leaves {
		if d.Leaves[i].Due.After(now) {
			continue
		}
		if err := evict(b, &d.Leaves[i], before, terms, now); err != nil {
			failed = append(failed, err)
			continue
		}
		evicted = append(evicted, d.Leaves[i].Cluster)
	}
	return evicted, errors.Join(failed...)
}

// evict changes a binding for one cluster that it leaves, of those that it had before.
func evict(b workv1alpha2.Binding, u *binding.Untolerated, before []string, terms Terms, now time.Time) error {
	if _, err := binding.TakeOver(b, u.Cluster); err != nil {
		return err
	}
	var state binding.State
	if f := b.GetSpec().Failover; f != nil && f.Cluster != nil {
		var err error
		if state, err = terms.State(f.Cluster.StatePreservation, u.Cluster); err != nil {
			return fmt.Errorf("keep the state of cluster %s: %w", u.Cluster, err)
		}
	}
	return binding.Evict(b, binding.Eviction{
		Cluster: u.Cluster, Producer: workv1alpha2.EvictionProducerTaintManager, Reason: workv1alpha2.EvictionReasonTaintUntolerated,
		PurgeMode: binding.ClusterPurgeMode(b.GetSpec(), terms.PurgeMode), State: state, Before: before, Time: now,
		Since: u.Since, Message: "the cluster has the taint " + u.Taint.ToString(), Warn: terms.Warn,
	})
}
