// SPDX-License-Identifier: Apache-2.0

// Package bindings holds what every controller of the two kinds of binding shares: the
// namespaced ResourceBinding and the cluster-wide ClusterResourceBinding. It is the
// one place that tells them apart.
package bindings

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

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

// List reads all bindings of type B; they must not be changed.
func List[B workv1alpha2.Binding](ctx context.Context, c client.Reader, options ...client.ListOption) ([]B, error) {
	options = append(options, client.UnsafeDisableDeepCopy)
	var all []B
	if Wide[B]() {
		var list workv1alpha2.ClusterResourceBindingList
		err := c.List(ctx, &list, options...)
		for i := range list.Items {
			all = append(all, any(&list.Items[i]).(B))
		}
		return all, err
	}
	var list workv1alpha2.ResourceBindingList
	err := c.List(ctx, &list, options...)
	for i := range list.Items {
		all = append(all, any(&list.Items[i]).(B))
	}
	return all, err
}

// Requests makes requests for the keys that are of kind B: a ClusterResourceBinding
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
