// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/rendering"
)

// errOldCopy means that a new copy waits until the old one is gone.
var errOldCopy = errors.New("two copies must not run at once")

// clusterOf returns what reads a cluster; nil is one that cannot be read.
func (c *Controller[B]) clusterOf(ctx context.Context) func(name string) *clusterv1alpha1.Cluster {
	return func(name string) *clusterv1alpha1.Cluster {
		cluster, err := c.cluster(ctx, name)
		if err != nil {
			return nil
		}
		return cluster
	}
}

func (c *Controller[B]) cluster(ctx context.Context, name string) (*clusterv1alpha1.Cluster, error) {
	cluster := &clusterv1alpha1.Cluster{}
	// The cluster may lag behind: its event brings the binding back.
	err := c.Client.Get(ctx, types.NamespacedName{Name: name}, cluster, client.UnsafeDisableDeepCopy, client.DisableReadYourWritesConsistency)
	return cluster, err
}

// blocked returns what keeps the new copies of a plan from being created, if it has for
// long, and otherwise how long its report still waits: most old copies are gone within a
// second or two.
func (c *Controller[B]) blocked(ctx context.Context, b B, p rendering.Plan, o rendering.Outcome) ([]failure, time.Duration) {
	key := client.ObjectKeyFromObject(b)
	if len(p.Waiting) == 0 {
		c.blocks.Release(key)
		return nil, 0
	}
	if wait := c.blocks.Hold(key, patience, c.Clock.Now()); wait > 0 {
		return nil, wait
	}
	switch p.Blocked(o) {
	case workv1alpha2.TargetNotTriedReason:
		return []failure{failureOf(fmt.Errorf("%w: %s", errNotTried, strings.Join(o.Waiting, "; ")))}, 0
	case workv1alpha2.OldCopyReason:
		why := make([]string, len(p.BlockedBy))
		for i, name := range p.BlockedBy {
			why[i] = c.whyItStays(ctx, name)
		}
		err := fmt.Errorf("no copy is created in cluster %s: %w, and %s", strings.Join(p.Waiting, ", "), errOldCopy, strings.Join(why, "; "))
		return []failure{failureOf(err)}, 0
	}
	return nil, 0
}

// whyItStays returns why the copy in a cluster is not known to be gone, and what can be
// done.
func (c *Controller[B]) whyItStays(ctx context.Context, name string) string {
	cluster, err := c.cluster(ctx, name)
	if err == nil && !isReady(cluster) {
		return fmt.Sprintf("cluster %s, which has one, cannot be reached; if nothing runs there any more, `dragoman fence %s` says so", name, name)
	}
	return fmt.Sprintf("the one in cluster %s is deleted and not gone yet; look at its finalizers there", name)
}

func isReady(c *clusterv1alpha1.Cluster) bool {
	return meta.IsStatusConditionTrue(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
}
