// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/leave"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/preservation"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// leave evicts a binding from the clusters that it must leave now, in one write. It decides
// once more, by what the binding and its clusters are now. Each cluster takes one turn of
// the pace. What fails waits, and takes none.
func (c *Controller) leave(ctx context.Context, key types.NamespacedName) error {
	b := scope.EmptyBinding(key.Namespace, key.Name)
	err := c.Client.Get(ctx, key, b)
	switch {
	case apierrors.IsNotFound(err):
		c.waiting.Remove(key)
		return nil
	case err != nil: // it waits on, and others leave meanwhile
		ctrl.LoggerFrom(ctx).Info("could not read a binding that must leave", "binding", key, "reason", err.Error())
		c.waiting.Postpone(key, c.Clock.Now())
		return nil
	}
	d, leaves, err := c.departure(ctx, b)
	if err != nil {
		return err
	}
	if !leaves {
		c.waiting.Remove(key)
		return nil
	}
	// Each Work has its own event, and all namespaces wait for this worker.
	works, err := index.Works(ctx, base.Cached{Reader: c.Client}, key)
	if err != nil {
		ctrl.LoggerFrom(ctx).Info("could not read the Works of a binding that must leave", "binding", key, "reason", err.Error())
		c.waiting.Postpone(key, c.Clock.Now())
		return nil
	}
	before, now := b.DeepCopyObject().(workv1alpha2.Binding), c.Clock.Now()
	evicted, failed := d.Evict(b, c.terms(ctx, b, works), now)
	if len(evicted) > 0 {
		c.Trail.Urgent(requeue.AboutBinding(client.ObjectKeyFromObject(b)))
		err = c.Patch(ctx, b, before)
	}
	switch {
	case apierrors.IsNotFound(err):
		c.waiting.Remove(key)
		return nil
	case apierrors.IsConflict(err):
		return err // the event of the other write is about to come
	case err != nil:
		failed, evicted = errors.Join(failed, fmt.Errorf("write the eviction: %w", err)), nil
	}
	if len(evicted) > 0 {
		c.Failovers.Wrote(before, b)
		c.waiting.Took(key)
	}
	c.pace.Spend(len(evicted), now)
	c.metrics.evicted.Add(float64(len(evicted)))
	if failed != nil {
		c.Warn(b, "EvictWorkloadFromClusterFailed", "Failover", failed)
		ctrl.LoggerFrom(ctx).Info("could not evict", "binding", key, "reason", failed.Error())
		c.waiting.Postpone(key, now)
		return nil
	}
	if len(evicted) > 0 {
		ctrl.LoggerFrom(ctx).Info("evicted from tainted clusters", "binding", key, "clusters", evicted)
	}
	return c.note(ctx, b)
}

// terms are how a binding leaves clusters.
func (c *Controller) terms(ctx context.Context, b workv1alpha2.Binding, works []workv1alpha1.Work) leave.Terms {
	return leave.Terms{
		Works:     works,
		PurgeMode: c.options.PurgeMode,
		State: func(rules *policyv1alpha1.StatePreservation, cluster string) (binding.State, error) {
			return preservation.Collect(ctx, c.Deps, b, rules, cluster)
		},
		Warn: func(err error) { c.Warn(b, "StatePreservationIncomplete", "Failover", err) },
	}
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
