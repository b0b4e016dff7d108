// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// marks are what an object has of whoever wrote it.
type marks struct {
	managed bool
	// owner names the control plane; the peer writes none.
	owner string
	work  types.NamespacedName
}

func marksOf(o *unstructured.Unstructured) marks {
	a := o.GetAnnotations()
	return marks{
		managed: o.GetLabels()[workv1alpha2.ManagedLabel] == workv1alpha2.ManagedLabelValue,
		owner:   a[workv1alpha2.OwnerAnnotation],
		work:    types.NamespacedName{Namespace: a[workv1alpha2.WorkNamespaceAnnotation], Name: a[workv1alpha2.WorkNameAnnotation]},
	}
}

// verdict is whether an object may be written.
type verdict int

const (
	// mine is an object that was written for this Work.
	mine verdict = iota
	// foreign is an object that nobody manages.
	foreign
	// ofOwner is an object of another control plane.
	ofOwner
	// ofWork is an object of another Work, if that exists.
	ofWork
)

// judge decides by the marks of an object whose it is; ours are those that the Work wants
// it to have. A control plane that writes no owner may be this one.
func judge(ours, found marks) verdict {
	switch {
	case found.owner != "" && found.owner != ours.owner:
		return ofOwner
	case found.work == ours.work && found.work.Name != "":
		return mine
	case found.work.Name != "":
		return ofWork
	case found.managed:
		return mine // of before the annotations
	}
	return foreign
}

// mayWrite returns why an object must not be written; nil if it may. One of another Work
// or another control plane is never taken from it, whatever the conflict resolution is:
// two that overwrite each other do so forever.
func (c *Controller) mayWrite(ctx context.Context, desired, observed *unstructured.Unstructured, cluster string) error {
	ours, found := marksOf(desired), marksOf(observed)
	overwrite := desired.GetAnnotations()[workv1alpha2.ConflictResolutionAnnotation] == workv1alpha2.ConflictResolutionOverwrite
	switch judge(ours, found) {
	case ofOwner:
		return fmt.Errorf("%s in cluster %s belongs to control plane %s, by work %s, and this is %s; let it go there, by deleting its template with preserveResourcesOnDeletion; if that control plane is gone for good, start this one with --cluster-owner=%s to take over all that it wrote, or remove the annotation %s from this object",
			describe(desired), cluster, found.owner, found.work, ours.owner, found.owner, workv1alpha2.OwnerAnnotation)
	case ofWork:
		return c.mayTake(ctx, desired, found, cluster, overwrite)
	case foreign:
		if !overwrite {
			return fmt.Errorf("%s is in cluster %s already and is not managed from here; to take it over, set spec.conflictResolution: Overwrite in the policy, or the annotation %s: overwrite on the template",
				describe(desired), cluster, workv1alpha2.ConflictResolutionAnnotation)
		}
	}
	return nil
}

// mayTake returns why an object must not be taken from another Work. One that was written
// here for a Work that is gone may; one that the peer wrote, if the Work overwrites.
func (c *Controller) mayTake(ctx context.Context, desired *unstructured.Unstructured, found marks, cluster string, overwrite bool) error {
	if other, ok := names.Cluster(found.work.Namespace); ok {
		err := c.Client.Get(ctx, found.work, &workv1alpha1.Work{})
		if err == nil {
			return fmt.Errorf("%s in cluster %s belongs to work %s; %s", describe(desired), cluster, found.work, adviseTwo(c.cluster(ctx, cluster), c.cluster(ctx, other)))
		}
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("read work %s: %w", found.work, err)
		}
	}
	if found.owner != "" || overwrite {
		return nil
	}
	return fmt.Errorf("%s in cluster %s belongs to work %s, which is not here; to take it over, set spec.conflictResolution: Overwrite in the policy, or the annotation %s: overwrite on the template",
		describe(desired), cluster, found.work, workv1alpha2.ConflictResolutionAnnotation)
}

// cluster returns a cluster of the cache, which must not be changed; one that cannot be read is
// empty.
func (c *Controller) cluster(ctx context.Context, name string) *clusterv1alpha1.Cluster {
	cluster := &clusterv1alpha1.Cluster{}
	if err := c.Client.Get(ctx, types.NamespacedName{Name: name}, cluster, client.UnsafeDisableDeepCopy); err != nil {
		return &clusterv1alpha1.Cluster{}
	}
	return cluster
}

// adviseTwo returns what to do where a Work of each of two clusters wants one object: they are
// one cluster under two names, or one twice.
func adviseTwo(a, b *clusterv1alpha1.Cluster) string {
	if a.Name != b.Name && a.Status.ID != "" && a.Status.ID == b.Status.ID {
		return fmt.Sprintf("%s and %s are one cluster, which has the id %s: place the template in one of them, or delete the Cluster that is too many", a.Name, b.Name, a.Status.ID)
	}
	return "two works must not write one object: delete the template of one, or give it another name"
}
