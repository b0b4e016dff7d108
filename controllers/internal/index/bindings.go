// SPDX-License-Identifier: Apache-2.0

package index

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
)

// BindingFor reads the binding of a template. If there is none it returns false, and an empty
// binding with the name that it must get.
func BindingFor(ctx context.Context, c client.Reader, template *unstructured.Unstructured) (workv1alpha2.Binding, bool, error) {
	var free workv1alpha2.Binding
	for _, taken := range []bool{true, false} {
		b := scope.EmptyBinding(template.GetNamespace(), reference.NameFor(template, taken))
		err := c.Get(ctx, client.ObjectKeyFromObject(b), b)
		switch {
		case apierrors.IsNotFound(err):
			free = b
		case err != nil:
			return nil, false, fmt.Errorf("read binding %s: %w", b.GetName(), err)
		case reference.IsFor(b, template):
			return b, true, nil
		}
	}
	if free == nil {
		return nil, false, fmt.Errorf("the names of the binding are taken by other objects, also %s", reference.NameFor(template, true))
	}
	return free, false, nil
}

// ListBindings reads all bindings of type B; they must not be changed.
func ListBindings[B workv1alpha2.Binding](ctx context.Context, c client.Reader, options ...client.ListOption) ([]B, error) {
	if scope.IsWideBinding[B]() {
		return List[B](ctx, c, &workv1alpha2.ClusterResourceBindingList{}, options...)
	}
	return List[B](ctx, c, &workv1alpha2.ResourceBindingList{}, options...)
}

// AllBindings reads all bindings of both kinds, the namespaced ones first; they must not be
// changed.
func AllBindings(ctx context.Context, c client.Reader, options ...client.ListOption) ([]workv1alpha2.Binding, error) {
	spaced, err := List[workv1alpha2.Binding](ctx, c, &workv1alpha2.ResourceBindingList{}, options...)
	if err != nil {
		return nil, err
	}
	wide, err := List[workv1alpha2.Binding](ctx, c, &workv1alpha2.ClusterResourceBindingList{}, options...)
	return append(spaced, wide...), err
}

// BindingRequests returns requests for the keys that are of kind B: a ClusterResourceBinding
// has no namespace.
func BindingRequests[B workv1alpha2.Binding](keys ...types.NamespacedName) []reconcile.Request {
	var requests []reconcile.Request
	for _, k := range keys {
		if (k.Namespace == "") == scope.IsWideBinding[B]() {
			requests = append(requests, reconcile.Request{NamespacedName: k})
		}
	}
	return requests
}
