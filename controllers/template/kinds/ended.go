// SPDX-License-Identifier: Apache-2.0

package kinds

import (
	"context"
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// endIfGone ends the bindings of a CRD that was deleted.
func (c *Controller) endIfGone(ctx context.Context, crd types.NamespacedName, group string) error {
	cached := &metav1.PartialObjectMetadata{}
	cached.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	if err := c.Client.Get(ctx, crd, cached); !apierrors.IsNotFound(err) {
		return err
	}
	return c.endBindings(ctx, group)
}

// endBindings deletes the bindings of a group whose kind no CRD defines any more. The API server
// has deleted their templates with the CRD. The garbage collector, which ends bindings
// otherwise, does not: it cannot ask for an owner of a kind that is not served.
func (c *Controller) endBindings(ctx context.Context, group string) error {
	all, err := index.AllBindings(ctx, base.Cached{Reader: c.Client})
	if err != nil {
		return fmt.Errorf("list the bindings: %w", err)
	}
	var (
		defined map[string]bool
		failed  []error
	)
	for _, b := range all {
		kind := schema.FromAPIVersionAndKind(b.GetSpec().Resource.APIVersion, b.GetSpec().Resource.Kind)
		if kind.Group != group || b.GetDeletionTimestamp() != nil || !ownedBy(b, kind) {
			continue
		}
		if defined == nil {
			if defined, err = c.defined(ctx, group); err != nil {
				return err
			}
		}
		if !defined[kind.Kind] {
			failed = append(failed, c.end(ctx, b, kind))
		}
	}
	return errors.Join(failed...)
}

// ownedBy reports whether the template of a binding owns it. Who deletes a template and leaves
// what it owns has the binding stay.
func ownedBy(b workv1alpha2.Binding, kind schema.GroupVersionKind) bool {
	for _, owner := range b.GetOwnerReferences() {
		if owner.Kind == kind.Kind && owner.Name == b.GetSpec().Resource.Name && owner.APIVersion == b.GetSpec().Resource.APIVersion {
			return true
		}
	}
	return false
}

// defined returns the kinds of a group that CRDs define, as they are in the store.
func (c *Controller) defined(ctx context.Context, group string) (map[string]bool, error) {
	var list apiextensionsv1.CustomResourceDefinitionList
	if err := c.Reader.List(ctx, &list); err != nil {
		return nil, fmt.Errorf("list the CRDs: %w", err)
	}
	kinds := map[string]bool{}
	for i := range list.Items {
		if list.Items[i].Spec.Group == group {
			kinds[list.Items[i].Spec.Names.Kind] = true
		}
	}
	return kinds, nil
}

// end deletes a binding if its template is not there.
func (c *Controller) end(ctx context.Context, b workv1alpha2.Binding, kind schema.GroupVersionKind) error {
	template := &metav1.PartialObjectMetadata{}
	template.SetGroupVersionKind(kind)
	key := client.ObjectKey{Namespace: b.GetSpec().Resource.Namespace, Name: b.GetSpec().Resource.Name}
	if err := c.Reader.Get(ctx, key, template); !apierrors.IsNotFound(err) && !meta.IsNoMatchError(err) {
		if err != nil {
			return fmt.Errorf("read %s %s: %w", kind.Kind, key, err)
		}
		return nil // another API serves the kind
	}
	uid := b.GetUID()
	if err := c.Client.Delete(ctx, b, client.Preconditions{UID: &uid}); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete binding %s: %w", client.ObjectKeyFromObject(b), err)
	}
	ctrl.LoggerFrom(ctx).Info("deleted the binding of a template whose CRD is gone", "binding", client.ObjectKeyFromObject(b))
	return nil
}
