// SPDX-License-Identifier: Apache-2.0

// Package bindings holds what the controllers of the two kinds of binding share: the
// namespaced ResourceBinding and the cluster-wide ClusterResourceBinding. It is the only
// package that distinguishes them, and the only one that knows the name of a template's
// binding.
package bindings

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/objects"
)

// FingerprintAnnotation holds the hash of the template's content that a binding was
// made from, so that a status write on the template does not change the binding.
const FingerprintAnnotation = "propagation.dragoman.io/template-fingerprint"

// DeferredPolicyAnnotation is on a binding whose policy has lazy activation and differs
// from what the binding has: the generation of the policy that waits for the next change
// of the template.
const DeferredPolicyAnnotation = "propagation.dragoman.io/deferred-policy-generation"

// PreemptionPolicyAnnotation is on a binding whose PriorityClass has a preemptionPolicy that is not
// the default: the policy.
const PreemptionPolicyAnnotation = "scheduling.dragoman.io/preemption-policy"

// NamespaceAnnotation is on a Work that creates a namespace in a cluster for what is
// propagated there; its value is the name of the namespace.
const NamespaceAnnotation = "propagation.dragoman.io/namespace"

// New returns an empty binding of type B.
func New[B workv1alpha2.Binding]() B {
	var b B
	switch any(b).(type) {
	case *workv1alpha2.ClusterResourceBinding:
		return any(&workv1alpha2.ClusterResourceBinding{}).(B)
	default:
		return any(&workv1alpha2.ResourceBinding{}).(B)
	}
}

// Wide reports whether B is the cluster-wide kind.
func Wide[B workv1alpha2.Binding]() bool {
	_, wide := any(New[B]()).(*workv1alpha2.ClusterResourceBinding)
	return wide
}

// Name returns the name of a controller for B: that of the controller, with a prefix
// for the cluster-wide kind.
func Name[B workv1alpha2.Binding](controller string) string {
	if !Wide[B]() {
		return controller
	}
	before, after, found := strings.Cut(controller, ".")
	if found {
		return before + ".cluster" + after
	}
	return "cluster" + controller
}

// Empty returns the empty binding of a name: cluster-wide where the namespace is empty.
func Empty(namespace, name string) workv1alpha2.Binding {
	if namespace == "" {
		return &workv1alpha2.ClusterResourceBinding{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	return &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// Kinds returns an empty binding of each kind.
func Kinds() []workv1alpha2.Binding {
	return []workv1alpha2.Binding{&workv1alpha2.ResourceBinding{}, &workv1alpha2.ClusterResourceBinding{}}
}

// List reads all bindings of type B; they must not be changed.
func List[B workv1alpha2.Binding](ctx context.Context, c client.Reader, options ...client.ListOption) ([]B, error) {
	if Wide[B]() {
		return objects.List[B](ctx, c, &workv1alpha2.ClusterResourceBindingList{}, options...)
	}
	return objects.List[B](ctx, c, &workv1alpha2.ResourceBindingList{}, options...)
}

// ListAll reads all bindings of both kinds, the namespaced ones first; they must not be
// changed.
func ListAll(ctx context.Context, c client.Reader, options ...client.ListOption) ([]workv1alpha2.Binding, error) {
	spaced, err := objects.List[workv1alpha2.Binding](ctx, c, &workv1alpha2.ResourceBindingList{}, options...)
	if err != nil {
		return nil, err
	}
	wide, err := objects.List[workv1alpha2.Binding](ctx, c, &workv1alpha2.ClusterResourceBindingList{}, options...)
	return append(spaced, wide...), err
}

// Requests returns requests for the keys that are of kind B: a ClusterResourceBinding
// has no namespace.
func Requests[B workv1alpha2.Binding](keys ...types.NamespacedName) []reconcile.Request {
	var requests []reconcile.Request
	for _, k := range keys {
		if (k.Namespace == "") == Wide[B]() {
			requests = append(requests, reconcile.Request{NamespacedName: k})
		}
	}
	return requests
}

// PermanentIDLabel returns the label that holds the permanent id of a binding.
func PermanentIDLabel(b workv1alpha2.Binding) string {
	if b.GetNamespace() == "" {
		return workv1alpha2.ClusterResourceBindingPermanentIDLabel
	}
	return workv1alpha2.ResourceBindingPermanentIDLabel
}

// Finalizer returns the finalizer of a binding.
func Finalizer(b workv1alpha2.Binding) string {
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
