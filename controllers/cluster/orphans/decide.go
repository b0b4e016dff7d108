// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// Reason is why an object is an orphan; empty means that it is none.
type Reason string

// The reasons. The first two are no decision of anybody: a template may not have been applied
// yet, or not been placed.
const (
	// NoBinding means that the control plane has no binding of the object.
	NoBinding Reason = "NoBinding"
	// NotPlaced means that its binding names no cluster at all.
	NotPlaced Reason = "NotPlaced"
	// PlacedElsewhere means that its binding names other clusters.
	PlacedElsewhere Reason = "PlacedElsewhere"
)

// workOf returns the Work that an object was written for; the name is empty where it has no
// mark of one.
func workOf(o metav1.Object) types.NamespacedName {
	a := o.GetAnnotations()
	return types.NamespacedName{Namespace: a[workv1alpha2.WorkNamespaceAnnotation], Name: a[workv1alpha2.WorkNameAnnotation]}
}

// isOf reports whether an object that is not going was written for a Work of a cluster.
func isOf(o metav1.Object, cluster string) bool {
	work := workOf(o)
	return work.Name != "" && work.Namespace == names.ExecutionSpace(cluster) && o.GetDeletionTimestamp() == nil
}

// decide returns why an object of a cluster is an orphan of a control plane, which has its Work
// or not, and its binding, nil if there is none.
func decide(o metav1.Object, cluster, owner string, hasWork bool, b workv1alpha2.Binding) Reason {
	if owner == "" || o.GetAnnotations()[workv1alpha2.OwnerAnnotation] != owner || !isOf(o, cluster) || hasWork {
		return ""
	}
	if b == nil {
		return NoBinding
	}
	clusters := binding.Clusters(b.GetSpec())
	switch {
	case slices.Contains(clusters, cluster):
		return ""
	case len(clusters) == 0:
		return NotPlaced
	}
	return PlacedElsewhere
}
