// SPDX-License-Identifier: Apache-2.0

package binding

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Departure describes a copy that is leaving a cluster, for people.
type Departure struct {
	Cluster, Reason, Message string
	PurgeMode                policyv1alpha1.PurgeMode
	// Since is when its timeout began; nil if it has not.
	Since *metav1.Time
	// Unconfirmed means that it stays until a user confirms the deletion.
	Unconfirmed bool
	// Replicas are those of the copy; 0 if it was placed whole, or that is not known.
	Replicas int32
}

// Departures returns the copies of a binding that are leaving clusters, in their order.
func Departures(spec *workv1alpha2.ResourceBindingSpec) []Departure {
	var all []Departure
	for i := range spec.GracefulEvictionTasks {
		t := &spec.GracefulEvictionTasks[i]
		all = append(all, Departure{
			Cluster: t.FromCluster, Reason: t.Reason, Message: t.Message, PurgeMode: t.PurgeMode,
			Since: t.CreationTimestamp, Unconfirmed: ptr.Deref(t.SuppressDeletion, false),
			Replicas: ptr.Deref(t.Replicas, 0),
		})
	}
	return all
}

// Dependents returns the bindings that depend on a binding. They must not be changed.
func Dependents(spec *workv1alpha2.ResourceBindingSpec) []workv1alpha2.BindingSnapshot {
	return spec.RequiredBy
}
