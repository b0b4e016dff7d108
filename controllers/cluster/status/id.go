// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

// idPeriod is how long an id that was read counts, while the connection is the same and the
// cluster answers each probe.
const idPeriod = time.Minute

// ids are the ids of the members as they were read. The zero value is ready; it is safe for
// many goroutines.
type ids struct {
	mu  sync.Mutex
	all map[string]reading
}

// reading is the id that was read by a connection; empty if it may not be read.
type reading struct {
	of *member.Member
	id string
	at time.Time
}

// read returns the id of a member, which is empty if it cannot be read. It asks the member
// for a new connection, after a probe or a read that failed, and each idPeriod.
func (i *ids) read(ctx context.Context, m *member.Member, now time.Time, timeout time.Duration) (string, error) {
	i.mu.Lock()
	r := i.all[m.Name]
	i.mu.Unlock()
	if r.of == m && now.Sub(r.at) < idPeriod {
		return r.id, nil
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	id, err := readID(ctx, m)
	if err != nil && !apierrors.IsForbidden(err) && !apierrors.IsNotFound(err) {
		i.forget(m.Name)
		return "", fmt.Errorf("read the id of cluster %s: %w", m.Name, err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.all == nil {
		i.all = map[string]reading{}
	}
	i.all[m.Name] = reading{of: m, id: id, at: now}
	return id, nil
}

// forget has the id of a cluster read again.
func (i *ids) forget(cluster string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.all, cluster)
}

// readID returns the UID of the namespace kube-system of a member, by one request.
func readID(ctx context.Context, m *member.Member) (string, error) {
	body, err := m.Discovery.RESTClient().Get().AbsPath("/api/v1/namespaces", metav1.NamespaceSystem).
		SetHeader("Accept", "application/json").Do(ctx).Raw()
	if err != nil {
		return "", err
	}
	var namespace metav1.PartialObjectMetadata
	if err := json.Unmarshal(body, &namespace); err != nil {
		return "", err
	}
	return string(namespace.UID), nil
}

// identify sets the id and the conditions IDConflict and OwnerConflict in the status by what the
// member has, if it answered, and reports whether it is the cluster that is recorded and this
// control plane may write to it. Only such a connection is admitted; one to another cluster ends.
// The error is that of the control plane.
func (c *Controller) identify(ctx context.Context, m *member.Member, cluster *clusterv1alpha1.Cluster, status *clusterv1alpha1.ClusterStatus, ready metav1.Condition) (bool, error) {
	if m == nil || ready.Reason == reasonNotReachable {
		c.ids.forget(cluster.Name)
		c.leases.skip(cluster.Name)
		return false, nil
	}
	observed, err := c.ids.read(ctx, m, c.Clock.Now(), c.options.ProbeTimeout)
	if err != nil {
		ctrl.LoggerFrom(ctx).V(1).Info("did not compare the id of the cluster", "reason", err.Error())
	}
	id, conflict := compareID(cluster, observed)
	if conflict != nil {
		c.withhold(cluster.Name)
		setConflict(status, conflict, cluster.Generation)
		return false, nil
	}
	status.ID = id
	if id != "" {
		namesakes, err := index.ClustersWithID(ctx, c.Client, id)
		if err != nil {
			return false, fmt.Errorf("list the clusters with the id of %s: %w", cluster.Name, err)
		}
		conflict = sameAs(cluster, id, namesakes)
	}
	setConflict(status, conflict, cluster.Generation)
	return c.admit(ctx, m, cluster, status), nil
}

// withhold ends the connection that others have to another cluster than the recorded one. The
// next one is theirs once the cluster is the recorded one, and watches again.
func (c *Controller) withhold(cluster string) {
	c.ids.forget(cluster)
	c.leases.skip(cluster)
	if _, admitted := c.Members.Get(cluster); admitted {
		c.Members.Disconnect(cluster)
	}
}

// compareID returns the id to record for a cluster by the one that was observed, and the
// condition if that is not the recorded one; observed is empty where it could not be read, and
// nothing changes then.
func compareID(c *clusterv1alpha1.Cluster, observed string) (string, *metav1.Condition) {
	recorded := c.RecordedID()
	switch {
	case observed == "" && recorded != "" && c.IDConflict() == clusterv1alpha1.ReasonOtherCluster:
		return c.Status.ID, meta.FindStatusCondition(c.Status.Conditions, clusterv1alpha1.ClusterConditionIDConflict).DeepCopy()
	case observed == "":
		return c.Status.ID, nil
	case recorded == "" || recorded == observed:
		return observed, nil
	}
	return c.Status.ID, &metav1.Condition{
		Reason: clusterv1alpha1.ReasonOtherCluster,
		Message: fmt.Sprintf("another cluster is behind this name: its id is %s, and the recorded one is %s; nothing is written to it. "+
			"If it takes the place of the former one, set spec.id to %s; if not, mend spec.apiEndpoint and the credentials", observed, recorded, observed),
	}
}

// sameAs returns the condition of a cluster that has the id of an older one, or nil. Of the
// namesakes, which have this id, those that are being deleted do not count.
func sameAs(c *clusterv1alpha1.Cluster, id string, namesakes []*clusterv1alpha1.Cluster) *metav1.Condition {
	first := c
	for _, n := range namesakes {
		if n.DeletionTimestamp.IsZero() && isOlder(n, first) {
			first = n
		}
	}
	if first.Name == c.Name {
		return nil
	}
	return &metav1.Condition{
		Reason: clusterv1alpha1.ReasonSameCluster,
		Message: fmt.Sprintf("this is the cluster that has the name %s already: both have the id %s; nothing new is scheduled here. "+
			"Delete this Cluster, or delete %s to go on under this name", first.Name, id, first.Name),
	}
}

// isOlder reports whether a goes before b: the one that was created first, and of two of one
// second the first by name.
func isOlder(a, b *clusterv1alpha1.Cluster) bool {
	if a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.Name < b.Name
	}
	return a.CreationTimestamp.Before(&b.CreationTimestamp)
}

// setConflict sets the condition IDConflict, and removes it for nil.
func setConflict(status *clusterv1alpha1.ClusterStatus, conflict *metav1.Condition, generation int64) {
	if conflict == nil {
		meta.RemoveStatusCondition(&status.Conditions, clusterv1alpha1.ClusterConditionIDConflict)
		return
	}
	conflict.Type, conflict.Status, conflict.ObservedGeneration = clusterv1alpha1.ClusterConditionIDConflict, metav1.ConditionTrue, generation
	meta.SetStatusCondition(&status.Conditions, *conflict)
}

// reportConflict records an event if a cluster has a conflict of ids or owners, or lacks permissions,
// which it did not before.
func (c *Controller) reportConflict(before, after *clusterv1alpha1.Cluster) {
	if reason := after.IDConflict(); reason != "" && reason != before.IDConflict() {
		conflict := meta.FindStatusCondition(after.Status.Conditions, clusterv1alpha1.ClusterConditionIDConflict)
		c.Warn(after, reason, "Identify", errors.New(conflict.Message))
	}
	if after.OwnerConflict() && !before.OwnerConflict() {
		conflict := meta.FindStatusCondition(after.Status.Conditions, clusterv1alpha1.ClusterConditionOwnerConflict)
		c.Warn(after, conflict.Reason, "Hold", errors.New(conflict.Message))
	}
	const permissions = clusterv1alpha1.ClusterConditionPermissionsComplete
	if denied := meta.FindStatusCondition(after.Status.Conditions, permissions); denied != nil && meta.FindStatusCondition(before.Status.Conditions, permissions) == nil {
		c.Warn(after, "PermissionsMissing", "Collect", errors.New(denied.Message))
	}
}

// idMoved passes clusters whose id is another, and those that leave.
func idMoved() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			before, after := e.ObjectOld.(*clusterv1alpha1.Cluster), e.ObjectNew.(*clusterv1alpha1.Cluster)
			return before.Status.ID != after.Status.ID || before.DeletionTimestamp.IsZero() != after.DeletionTimestamp.IsZero()
		},
	}
}

// namesakes enqueues the other clusters with the id of one.
func (c *Controller) namesakes(ctx context.Context, o client.Object) []reconcile.Request {
	id := o.(*clusterv1alpha1.Cluster).Status.ID
	if id == "" {
		return nil
	}
	clusters, err := index.ClustersWithID(ctx, c.Client, id)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not list the clusters with an id")
	}
	var others []reconcile.Request
	for _, n := range clusters {
		if n.Name != o.GetName() {
			others = append(others, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(n)})
		}
	}
	return others
}
