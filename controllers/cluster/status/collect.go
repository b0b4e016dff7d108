// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

// collectStatus probes the cluster, reads what it has, and writes what changed. It
// reports whether all that can be known of the cluster was read.
func (c *Controller) collectStatus(ctx context.Context, cluster *clusterv1alpha1.Cluster) (bool, error) {
	status := cluster.Status.DeepCopy()
	m, ready := c.probe(ctx, cluster, c.options)
	c.setReady(cluster, status, ready, c.options)
	same, err := c.identify(ctx, m, cluster, status, ready)
	if err != nil {
		return false, err
	}
	complete := same || !c.leases.undecided(cluster.Name)
	if same && ready.Status == metav1.ConditionTrue {
		var err error
		if complete, err = c.collect(ctx, m, cluster, status); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "could not collect all of the cluster's status")
		}
	}
	return complete, c.write(ctx, cluster, status)
}

// refreshReadiness probes a cluster that leaves, and writes whether it is ready.
func (c *Controller) refreshReadiness(ctx context.Context, cluster *clusterv1alpha1.Cluster) error {
	status := cluster.Status.DeepCopy()
	m, ready := c.probe(ctx, cluster, c.options.leaving())
	c.setReady(cluster, status, ready, c.options.leaving())
	if _, err := c.identify(ctx, m, cluster, status, ready); err != nil {
		return err
	}
	return c.write(ctx, cluster, status)
}

// probe connects to the cluster and returns the Ready condition as it is observed now.
// The connection is nil where there can be none.
func (c *Controller) probe(ctx context.Context, cluster *clusterv1alpha1.Cluster, o Options) (*member.Member, metav1.Condition) {
	ready := metav1.Condition{Type: clusterv1alpha1.ClusterConditionReady, ObservedGeneration: cluster.Generation}
	m, err := c.Members.Open(ctx, cluster)
	if err != nil {
		ready.Status, ready.Reason, ready.Message = metav1.ConditionFalse, "StatusCollectionFailed", err.Error()
		return nil, ready
	}
	if cluster.RecordedID() == "" && c.Owner == "" {
		c.Members.Admit(m) // there is nothing that it could differ from
	}
	ctx, cancel := context.WithTimeout(ctx, o.ProbeTimeout)
	defer cancel()
	ready.Status, ready.Reason, ready.Message = probe(ctx, m, cluster)
	return m, ready
}

// setReady sets the condition, unless it may be a passing failure or recovery.
func (c *Controller) setReady(cluster *clusterv1alpha1.Cluster, status *clusterv1alpha1.ClusterStatus, ready metav1.Condition, o Options) {
	old := meta.FindStatusCondition(status.Conditions, ready.Type)
	if old != nil && old.Reason == clusterv1alpha1.ReasonNoAgent {
		old = nil // the cluster had the mode Pull, and nobody has looked at it yet
	}
	if c.readiness.debounced(cluster.Name, old, ready.Status, c.Clock.Now(), o) {
		meta.SetStatusCondition(&status.Conditions, ready)
	}
}

// write writes the status if it changed.
func (c *Controller) write(ctx context.Context, cluster *clusterv1alpha1.Cluster, status *clusterv1alpha1.ClusterStatus) error {
	if equality.Semantic.DeepEqual(&cluster.Status, status) {
		return nil
	}
	before := cluster.DeepCopy()
	cluster.Status = *status
	if err := c.PatchStatus(ctx, cluster, before); err != nil {
		return fmt.Errorf("write the status of cluster %s: %w", cluster.Name, err)
	}
	c.reportConflict(before, cluster)
	return nil
}

// collect reads version, served APIs and free resources. What cannot be read stays
// as it was. It reports whether nodes and pods have been read.
func (c *Controller) collect(ctx context.Context, m *member.Member, cluster *clusterv1alpha1.Cluster, status *clusterv1alpha1.ClusterStatus) (bool, error) {
	version, versionErr := m.Discovery.ServerVersion()
	if versionErr == nil {
		status.KubernetesVersion = version.GitVersion
	}
	enablements, complete, enablementsErr := enablements(m)
	if len(enablements) > 0 {
		status.APIEnablements = enablements
	}
	meta.SetStatusCondition(&status.Conditions, complete)
	if c.options.IgnoreResources {
		status.NodeSummary, status.ResourceSummary = nil, nil
		setPermissions(status, cluster.Generation, nil)
		return true, errors.Join(versionErr, enablementsErr)
	}
	sums, done, err := c.inventories.read(ctx, m, cluster.Spec.ResourceModels, c.Clock.Now())
	if sums != nil {
		status.NodeSummary, status.ResourceSummary = sums.nodes, sums.resources
	}
	setPermissions(status, cluster.Generation, c.inventories.denied(cluster.Name))
	return done, errors.Join(versionErr, enablementsErr, err)
}

// enablements lists the kinds that the cluster serves, sorted, without subresources, and
// returns the condition that reports whether these are all.
func enablements(m *member.Member) ([]clusterv1alpha1.APIEnablement, metav1.Condition, error) {
	complete := metav1.Condition{
		Type: clusterv1alpha1.ClusterConditionCompleteAPIEnablements, Status: metav1.ConditionTrue,
		Reason: "Complete", Message: "all APIs of the cluster are known",
	}
	_, lists, err := m.Discovery.ServerGroupsAndResources()
	switch {
	case err != nil && len(lists) == 0:
		complete.Status, complete.Reason, complete.Message = metav1.ConditionFalse, "Empty", "no API of the cluster could be read: "+member.Cause(err)
		return nil, complete, fmt.Errorf("read what cluster %s serves: %w", m.Name, err)
	case err != nil:
		complete.Status, complete.Reason, complete.Message = metav1.ConditionFalse, "Partial", err.Error()
	}
	return sorted(lists), complete, nil
}

// sorted returns lists of resources in the form of the status.
func sorted(lists []*metav1.APIResourceList) []clusterv1alpha1.APIEnablement {
	var all []clusterv1alpha1.APIEnablement
	for _, list := range lists {
		e := clusterv1alpha1.APIEnablement{GroupVersion: list.GroupVersion}
		for _, r := range list.APIResources {
			if !strings.Contains(r.Name, "/") {
				e.Resources = append(e.Resources, clusterv1alpha1.APIResource{Name: r.Name, Kind: r.Kind})
			}
		}
		slices.SortFunc(e.Resources, func(a, b clusterv1alpha1.APIResource) int { return strings.Compare(a.Name, b.Name) })
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b clusterv1alpha1.APIEnablement) int { return strings.Compare(a.GroupVersion, b.GroupVersion) })
	return all
}
