// SPDX-License-Identifier: Apache-2.0

package shadow

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// live reads the workloads of a control plane as its controllers see them: from caches.
type live struct{ base.Deps }

// workloads are the Workloads of the control plane.
func (l live) workloads(ctx context.Context, kind schema.GroupVersionKind, f func(Workload) error) error {
	keys, err := index.BindingsOfKind(ctx, l.Client, kind)
	if err != nil {
		return err
	}
	for _, key := range keys {
		b, err := l.binding(ctx, key)
		if err == nil {
			err = l.one(ctx, b, f)
		}
		if err != nil && !apierrors.IsNotFound(err) { // it is gone by now
			return err
		}
	}
	return nil
}

// binding reads a binding, which has no namespace if it is that of an object without one.
func (l live) binding(ctx context.Context, key types.NamespacedName) (workv1alpha2.Binding, error) {
	var b workv1alpha2.Binding = &workv1alpha2.ResourceBinding{}
	if key.Namespace == "" {
		b = &workv1alpha2.ClusterResourceBinding{}
	}
	return b, l.Client.Get(ctx, key, b)
}

// one reads what there is of the template of a binding.
func (l live) one(ctx context.Context, b workv1alpha2.Binding, f func(Workload) error) error {
	template, err := l.TemplateOf(ctx, b)
	if err != nil {
		return err
	}
	w := Workload{Template: template, Binding: b}
	works, err := index.Works(ctx, l.Client, client.ObjectKeyFromObject(b), client.UnsafeDisableDeepCopy)
	if err != nil {
		return err
	}
	for i := range works {
		l.copies(&works[i], &w)
	}
	return f(w)
}

// copies reads the copies that a Work is about.
func (l live) copies(work *workv1alpha1.Work, into *Workload) {
	cluster, ok := names.Cluster(work.Namespace)
	if !ok {
		return
	}
	m, connected := l.Members.Get(cluster)
	if !connected {
		into.unread(cluster, "it is not connected")
		return
	}
	for _, raw := range work.Spec.Workload.Manifests {
		desired := &unstructured.Unstructured{}
		if err := desired.UnmarshalJSON(raw.Raw); err != nil || desired.GetKind() != into.Template.GetKind() {
			continue // what is no object is not applied
		}
		observed, err := m.Get(desired.GroupVersionKind(), client.ObjectKeyFromObject(desired))
		switch {
		case err == nil:
			into.Copies = append(into.Copies, Copy{cluster, desired, observed})
		case !apierrors.IsNotFound(err):
			into.unread(cluster, err.Error())
		}
	}
}
