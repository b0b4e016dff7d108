// SPDX-License-Identifier: Apache-2.0

package simulate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/taint"
)

// Loss is what happens to clusters.
type Loss struct {
	// Clusters are the names of those that it happens to.
	Clusters []string
	// Down means that they cannot be reached any more.
	Down bool
	// Taints are added to them.
	Taints []corev1.Taint
}

// apply returns the clusters after the loss, sorted by name: those that are down are not
// ready, or unknown in mode Pull, and have the taints of that and those that policies add.
func (l Loss) apply(clusters []*clusterv1alpha1.Cluster, policies []*policyv1alpha1.ClusterTaintPolicy, now time.Time) ([]*clusterv1alpha1.Cluster, error) {
	after := slices.Clone(clusters)
	slices.SortFunc(after, func(a, b *clusterv1alpha1.Cluster) int { return strings.Compare(a.Name, b.Name) })
	for _, name := range l.Clusters {
		i := slices.IndexFunc(after, func(c *clusterv1alpha1.Cluster) bool { return c.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no cluster %s; there are %s", name, listed(namesOf(after)))
		}
		c := after[i].DeepCopy()
		if l.Down {
			if err := takeDown(c, policies, now); err != nil {
				return nil, err
			}
		}
		for _, t := range l.Taints {
			addTaint(c, t, now)
		}
		after[i] = c
	}
	return after, nil
}

// takeDown has a cluster be unreachable.
func takeDown(c *clusterv1alpha1.Cluster, policies []*policyv1alpha1.ClusterTaintPolicy, now time.Time) error {
	ready := metav1.Condition{
		Type: clusterv1alpha1.ClusterConditionReady, Status: metav1.ConditionFalse, Reason: "ClusterNotReachable",
		Message: "simulated", LastTransitionTime: metav1.NewTime(now),
	}
	if c.Spec.SyncMode == clusterv1alpha1.Pull {
		ready.Status = metav1.ConditionUnknown
	}
	meta.SetStatusCondition(&c.Status.Conditions, ready)
	c.Spec.Taints = taint.ByReadiness(c, metav1.NewTime(now))
	var err error
	c.Spec.Taints, err = taint.ByPolicies(c, policies, metav1.NewTime(now))
	return err
}

// addTaint adds a taint, unless the cluster has one of this key and effect.
func addTaint(c *clusterv1alpha1.Cluster, t corev1.Taint, now time.Time) {
	if slices.ContainsFunc(c.Spec.Taints, func(have corev1.Taint) bool { return have.Key == t.Key && have.Effect == t.Effect }) {
		return
	}
	t.TimeAdded = new(metav1.NewTime(now))
	c.Spec.Taints = append(c.Spec.Taints, t)
}

func namesOf(clusters []*clusterv1alpha1.Cluster) []string {
	names := make([]string, len(clusters))
	for i := range clusters {
		names[i] = clusters[i].Name
	}
	return names
}

// listed names things, no more than ten.
func listed(names []string) string {
	switch n := len(names); {
	case n == 0:
		return "none"
	case n > 10:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:10], ", "), n-10)
	}
	return strings.Join(names, ", ")
}

// added returns the taints that a cluster has after the loss and did not have before, as
// key=value:effect.
func added(before, after *clusterv1alpha1.Cluster) []string {
	var all []string
	for _, t := range after.Spec.Taints {
		if !slices.ContainsFunc(before.Spec.Taints, func(b corev1.Taint) bool { return b.Key == t.Key && b.Effect == t.Effect }) {
			all = append(all, t.ToString())
		}
	}
	return all
}
