// SPDX-License-Identifier: Apache-2.0

package scope

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// NewBinding returns an empty binding of type B.
func NewBinding[B workv1alpha2.Binding]() B {
	var b B
	switch any(b).(type) {
	case *workv1alpha2.ClusterResourceBinding:
		return any(&workv1alpha2.ClusterResourceBinding{}).(B)
	default:
		return any(&workv1alpha2.ResourceBinding{}).(B)
	}
}

// IsWideBinding reports whether B is the cluster-wide kind.
func IsWideBinding[B workv1alpha2.Binding]() bool {
	_, wide := any(NewBinding[B]()).(*workv1alpha2.ClusterResourceBinding)
	return wide
}

// BindingController returns the name of a controller for B: that of the controller, with a prefix
// for the cluster-wide kind.
func BindingController[B workv1alpha2.Binding](controller string) string {
	if !IsWideBinding[B]() {
		return controller
	}
	before, after, found := strings.Cut(controller, ".")
	if found {
		return before + ".cluster" + after
	}
	return "cluster" + controller
}

// EmptyBinding returns the empty binding of a name: cluster-wide where the namespace is empty.
func EmptyBinding(namespace, name string) workv1alpha2.Binding {
	if namespace == "" {
		return &workv1alpha2.ClusterResourceBinding{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	return &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// Bindings returns an empty binding of each kind.
func Bindings() []workv1alpha2.Binding {
	return []workv1alpha2.Binding{&workv1alpha2.ResourceBinding{}, &workv1alpha2.ClusterResourceBinding{}}
}

// BindingIDLabel returns the label that holds the permanent id of a binding.
func BindingIDLabel(b workv1alpha2.Binding) string {
	if b.GetNamespace() == "" {
		return workv1alpha2.ClusterResourceBindingPermanentIDLabel
	}
	return workv1alpha2.ResourceBindingPermanentIDLabel
}

// BindingFinalizer returns the finalizer of a binding.
func BindingFinalizer(b workv1alpha2.Binding) string {
	if b.GetNamespace() == "" {
		return workv1alpha2.ClusterBindingFinalizer
	}
	return workv1alpha2.BindingFinalizer
}

// EvictionProducer returns the name under which application failover evicts.
func EvictionProducer(b workv1alpha2.Binding) string {
	if b.GetNamespace() == "" {
		return workv1alpha2.EvictionProducerClusterApplicationFailover
	}
	return workv1alpha2.EvictionProducerApplicationFailover
}
