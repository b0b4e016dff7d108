// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// isUnreachable reports whether nobody knows what happens in a cluster: it was looked at
// and is not ready.
func isUnreachable(o client.Object) bool {
	ready := meta.FindStatusCondition(o.(*clusterv1alpha1.Cluster).Status.Conditions, clusterv1alpha1.ClusterConditionReady)
	return ready != nil && ready.Status != "True"
}

// unreachable reports whether the cluster of a name is unreachable; one that does not
// exist is not.
func (c *Controller[B]) unreachable(ctx context.Context, name string) bool {
	cluster := &clusterv1alpha1.Cluster{}
	// The cluster may lag behind: its event brings the binding back.
	err := c.Client.Get(ctx, types.NamespacedName{Name: name}, cluster, client.UnsafeDisableDeepCopy, client.DisableReadYourWritesConsistency)
	return err == nil && isUnreachable(cluster)
}

// bindingsIn lists the bindings that have a Work in a cluster.
func (c *Controller[B]) bindingsIn(ctx context.Context, cluster string) []reconcile.Request {
	works, err := index.List[*workv1alpha1.Work](ctx, c.Client, &workv1alpha1.WorkList{},
		client.InNamespace(names.ExecutionSpace(cluster)), client.DisableReadYourWritesConsistency)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not list the works of a cluster")
	}
	var keys []types.NamespacedName
	for _, w := range works {
		if key, ok := index.BindingOf(w); ok {
			keys = append(keys, key)
		}
	}
	return index.BindingRequests[B](keys...)
}
