// SPDX-License-Identifier: Apache-2.0

// Package orphans deletes what an earlier membership left in a cluster that joins again.
//
// Reads Clusters, Works, bindings, and the metadata of the managed objects of a member.
// Deletes those that this control plane wrote for a Work that is gone. Writes the condition
// OrphansDeleted of Clusters. Asks the engine nothing. Wakes up on Clusters that become
// ready, once for each membership.
package orphans

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/binding"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

const (
	// Condition is the type of the condition that a Cluster has once it was looked through.
	Condition = "OrphansDeleted"
	// Grace is how long a cluster is ready before it is looked through, for what is wanted
	// there again to be scheduled.
	Grace = 2 * time.Minute
	// page is how many objects are read at once.
	page = 500
)

// Controller reconciles Clusters.
type Controller struct{ base.Deps }

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "cluster.orphans" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&clusterv1alpha1.Cluster{}).
		WithOptions(c.Options(mgr, c.Name(), "cluster")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), c))
}

// Reconcile looks one cluster through, if that was not done since it joined.
func (c *Controller) Reconcile(ctx context.Context, cluster *clusterv1alpha1.Cluster) (reconcile.Result, error) {
	ready := meta.FindStatusCondition(cluster.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
	switch {
	case c.Owner == "", cluster.DeletionTimestamp != nil, cluster.Spec.SyncMode == clusterv1alpha1.Pull,
		ready == nil, ready.Status != metav1.ConditionTrue,
		meta.FindStatusCondition(cluster.Status.Conditions, Condition) != nil:
		return reconcile.Result{}, nil
	}
	if wait := ready.LastTransitionTime.Add(Grace).Sub(c.Clock.Now()); wait > 0 {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	m, ok := c.Members.Get(cluster.Name)
	if !ok || m.Unavailable() != nil {
		return reconcile.Result{RequeueAfter: Grace}, nil
	}
	deleted, err := c.deleteOrphans(ctx, m)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("delete what was left in cluster %s: %w", cluster.Name, err)
	}
	before := cluster.DeepCopy()
	meta.SetStatusCondition(&cluster.Status.Conditions, metav1.Condition{
		Type: Condition, Status: metav1.ConditionTrue, Reason: "Deleted", ObservedGeneration: cluster.Generation,
		Message: fmt.Sprintf("%d objects of an earlier membership were deleted", deleted),
	})
	return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(c.PatchStatus(ctx, cluster, before)))
}

// deleteOrphans deletes the orphans of all kinds that the cluster serves, and returns how
// many there were.
func (c *Controller) deleteOrphans(ctx context.Context, m *member.Member) (int, error) {
	lists, err := discovery.ServerPreferredResourcesWithContext(ctx, m.Discovery)
	if err != nil && len(lists) == 0 { // an aggregated API that is away has none of our objects
		return 0, err
	}
	deleted := 0
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return deleted, err
		}
		for i := range list.APIResources {
			if list.GroupVersion == "v1" && list.APIResources[i].Name == "namespaces" {
				continue // what others put into one would go with it
			}
			if verbs := list.APIResources[i].Verbs; !slices.Contains(verbs, "list") || !slices.Contains(verbs, "delete") {
				continue
			}
			n, err := c.deleteOrphansOf(ctx, m, version.WithResource(list.APIResources[i].Name))
			deleted += n
			if err != nil {
				return deleted, err
			}
		}
	}
	return deleted, nil
}

// deleteOrphansOf deletes the orphans of one resource. One that may not be listed has none.
func (c *Controller) deleteOrphansOf(ctx context.Context, m *member.Member, resource schema.GroupVersionResource) (int, error) {
	deleted := 0
	managed := labels.SelectorFromSet(labels.Set{workv1alpha2.ManagedLabel: workv1alpha2.ManagedLabelValue}).String()
	for next := ""; ; {
		list, err := m.Metadata.Resource(resource).List(ctx, metav1.ListOptions{LabelSelector: managed, Limit: page, Continue: next})
		if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
			return deleted, nil
		}
		if err != nil {
			return deleted, fmt.Errorf("list %s: %w", resource.Resource, err)
		}
		for i := range list.Items {
			orphan, err := c.isOrphan(ctx, m.Name, &list.Items[i])
			if err != nil {
				return deleted, err
			}
			if !orphan {
				continue
			}
			if err := c.deleteOrphan(ctx, m, resource, &list.Items[i]); err != nil {
				return deleted, err
			}
			deleted++
		}
		if next = list.Continue; next == "" {
			return deleted, nil
		}
	}
}

func (c *Controller) deleteOrphan(ctx context.Context, m *member.Member, resource schema.GroupVersionResource, o *metav1.PartialObjectMetadata) error {
	err := m.Metadata.Resource(resource).Namespace(o.Namespace).Delete(ctx, o.Name, metav1.DeleteOptions{
		Preconditions: metav1.NewUIDPreconditions(string(o.UID)), PropagationPolicy: new(metav1.DeletePropagationBackground),
	})
	if client.IgnoreNotFound(err) != nil && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete %s %s/%s: %w", resource.Resource, o.Namespace, o.Name, err)
	}
	ctrl.LoggerFrom(ctx).Info("deleted an object of an earlier membership", "resource", resource.Resource, "object", client.ObjectKeyFromObject(o))
	return nil
}

// isOrphan reports whether this control plane wrote an object for a Work of the cluster
// that is gone, and nothing wants it there again.
func (c *Controller) isOrphan(ctx context.Context, cluster string, o *metav1.PartialObjectMetadata) (bool, error) {
	a := o.GetAnnotations()
	work := types.NamespacedName{Namespace: a[workv1alpha2.WorkNamespaceAnnotation], Name: a[workv1alpha2.WorkNameAnnotation]}
	if a[workv1alpha2.OwnerAnnotation] != c.Owner || work.Namespace != names.ExecutionSpace(cluster) || work.Name == "" || o.DeletionTimestamp != nil {
		return false, nil
	}
	if err := c.Client.Get(ctx, work, &workv1alpha1.Work{}); !apierrors.IsNotFound(err) {
		return false, err
	}
	key, ok := index.BindingOf(o)
	if !ok {
		return true, nil
	}
	b := bindings.Empty(key.Namespace, key.Name)
	if err := c.Client.Get(ctx, key, b); err != nil {
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}
	return !slices.Contains(binding.Clusters(b.GetSpec()), cluster), nil
}
