// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/preservation"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// leave evicts a binding from the clusters that it must leave now, in one write. It decides
// once more, by what the binding and its clusters are now. Each cluster takes one turn of
// the pace. What fails waits, and takes none.
func (c *Controller) leave(ctx context.Context, key types.NamespacedName) error {
	b := scope.EmptyBinding(key.Namespace, key.Name)
	if err := c.Client.Get(ctx, key, b); err != nil {
		c.waiting.remove(key)
		return client.IgnoreNotFound(err)
	}
	found, err := c.untolerated(ctx, b)
	if err != nil {
		return err
	}
	before, now := b.DeepCopyObject().(workv1alpha2.Binding), c.Clock.Now()
	evicted, failed := c.evictAll(ctx, b, found, now)
	if len(evicted) > 0 {
		c.Trail.Urgent(requeue.AboutBinding(client.ObjectKeyFromObject(b)))
		err = c.Patch(ctx, b, before)
	}
	switch {
	case apierrors.IsNotFound(err):
		c.waiting.remove(key)
		return nil
	case apierrors.IsConflict(err):
		return err // the event of the other write is about to come
	case err != nil:
		failed, evicted = errors.Join(failed, fmt.Errorf("write the eviction: %w", err)), nil
	}
	if len(evicted) > 0 {
		c.Failovers.Wrote(before, b)
	}
	c.pace.spend(len(evicted), now)
	c.metrics.evicted.Add(float64(len(evicted)))
	if failed != nil {
		c.Warn(b, "EvictWorkloadFromClusterFailed", "Failover", failed)
		ctrl.LoggerFrom(ctx).Info("could not evict", "binding", key, "reason", failed.Error())
		c.waiting.postpone(key, now)
		return nil
	}
	if len(evicted) > 0 {
		ctrl.LoggerFrom(ctx).Info("evicted from tainted clusters", "binding", key, "clusters", evicted)
	}
	if found, err = c.untolerated(ctx, b); err != nil {
		return err
	}
	c.note(b, found)
	return nil
}

// evictAll changes the binding for each cluster that it must leave now, and returns these.
// Where the state of a copy cannot be collected it stays.
func (c *Controller) evictAll(ctx context.Context, b workv1alpha2.Binding, found []binding.Untolerated, now time.Time) (evicted []string, _ error) {
	var (
		before []string
		failed []error
	)
	spec := b.GetSpec()
	for i := range spec.Clusters {
		before = append(before, spec.Clusters[i].Name)
	}
	for _, u := range found {
		if u.Due.After(now) {
			continue
		}
		if _, err := binding.TakeOver(b, u.Cluster); err != nil {
			failed = append(failed, err)
			continue
		}
		state, err := c.state(ctx, b, u.Cluster)
		if err != nil {
			failed = append(failed, fmt.Errorf("keep the state of cluster %s: %w", u.Cluster, err))
			continue
		}
		err = binding.Evict(b, binding.Eviction{
			Cluster: u.Cluster, Producer: workv1alpha2.EvictionProducerTaintManager, Reason: workv1alpha2.EvictionReasonTaintUntolerated,
			PurgeMode: binding.ClusterPurgeMode(spec, c.options.PurgeMode), State: state, Before: before, Time: now,
			Since: u.Since, Message: "the cluster has the taint " + u.Taint.ToString(),
			Warn: func(err error) { c.Warn(b, "StatePreservationIncomplete", "Failover", err) },
		})
		if err != nil {
			failed = append(failed, err)
			continue
		}
		evicted = append(evicted, u.Cluster)
	}
	return evicted, errors.Join(failed...)
}

// state returns what the copy in a cluster leaves behind, which a policy without
// spec.failover.cluster does not ask for.
func (c *Controller) state(ctx context.Context, b workv1alpha2.Binding, cluster string) (binding.State, error) {
	f := b.GetSpec().Failover
	if f == nil || f.Cluster == nil {
		return binding.State{}, nil
	}
	return preservation.Collect(ctx, c.Deps, b, f.Cluster.StatePreservation, cluster)
}

// stamp writes the time of now into the NoExecute taints of a cluster that have none. The
// cluster is not changed.
func (c *Controller) stamp(ctx context.Context, cluster *clusterv1alpha1.Cluster) error {
	changed, now := cluster.DeepCopy(), metav1.NewTime(c.Clock.Now())
	missing := false
	for i := range changed.Spec.Taints {
		if t := &changed.Spec.Taints[i]; isNoExecute(t) && t.TimeAdded == nil {
			t.TimeAdded, missing = now.DeepCopy(), true
		}
	}
	if !missing || cluster.DeletionTimestamp != nil {
		return nil
	}
	if err := c.Patch(ctx, changed, cluster); err != nil {
		return client.IgnoreNotFound(fmt.Errorf("write the time of the taints of cluster %s: %w", cluster.Name, err))
	}
	return nil
}

func isNoExecute(t *corev1.Taint) bool { return t.Effect == corev1.TaintEffectNoExecute }

// hasNoExecute reports whether a cluster has a NoExecute taint.
func hasNoExecute(cluster *clusterv1alpha1.Cluster) bool {
	taints := binding.StandingTaints(cluster)
	for i := range taints {
		if isNoExecute(&taints[i]) {
			return true
		}
	}
	return false
}
