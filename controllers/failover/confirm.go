// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
)

// confirmTimeout is how long a member may take to answer how the copy is.
const confirmTimeout = 5 * time.Second

// confirmed reports whether the copy in a cluster is unhealthy now. The binding reports
// what was known last: while no manager ran, or the cluster could not be reached, the
// application may have become healthy. So the member is asked before a copy is evicted.
// False without an error means that the copy is not unhealthy there, and with one that
// nobody knows.
//
// The agent of a Pull cluster reports for itself, whatever becomes of this process.
func (c *Controller[B]) confirmed(ctx context.Context, b B, cluster string) (bool, error) {
	if c.Members == nil {
		return true, nil
	}
	m, ok := c.Members.Get(cluster)
	if !ok {
		return c.reportsItself(ctx, cluster)
	}
	key := templates.KeyOfReference(&b.GetSpec().Resource)
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(key.GroupVersionKind)
	asking, cancel := context.WithTimeout(ctx, confirmTimeout)
	defer cancel()
	err := m.Client.Get(asking, types.NamespacedName{Namespace: key.Namespace, Name: key.Name}, object)
	switch {
	case apierrors.IsNotFound(err):
		return false, nil // it is created again, or about to go
	case member.Unanswered(err):
		return false, fmt.Errorf("cluster %s does not answer: %s", cluster, member.Cause(err))
	case err != nil:
		return false, err
	}
	health, reason, err := c.Interpreter.Snapshot().HealthReason(object, true)
	return health == workv1alpha2.ResourceUnhealthy && reason != workv1alpha2.HealthPending, err
}

// reportsItself reports whether an agent reports how the copies in a cluster are.
func (c *Controller[B]) reportsItself(ctx context.Context, name string) (bool, error) {
	cluster := &clusterv1alpha1.Cluster{}
	if err := c.Client.Get(ctx, types.NamespacedName{Name: name}, cluster); err != nil {
		return false, err
	}
	if cluster.Spec.SyncMode == clusterv1alpha1.Pull {
		return true, nil
	}
	return false, fmt.Errorf("cluster %s is not connected yet", name)
}

// stale reports whether the copy in a cluster stays for now since its report is not
// confirmed.
func (c *Controller[B]) stale(ctx context.Context, b B, cluster string) bool {
	unhealthy, err := c.confirmed(ctx, b, cluster)
	if unhealthy && err == nil {
		return false
	}
	log := ctrl.LoggerFrom(ctx).WithValues("cluster", cluster)
	if err != nil {
		log.V(1).Info("did not evict: nobody knows whether the application is unhealthy", "reason", err.Error())
	} else {
		log.Info("did not evict: the application is no longer unhealthy")
	}
	return true
}
