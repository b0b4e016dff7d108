// SPDX-License-Identifier: Apache-2.0

package bindings

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Of reads the binding of a template. If there is none it returns false, and an empty
// binding with the name that it must get.
func Of(ctx context.Context, c client.Reader, template *unstructured.Unstructured) (workv1alpha2.Binding, bool, error) {
	var free workv1alpha2.Binding
	for _, taken := range []bool{true, false} {
		b := Empty(template.GetNamespace(), nameFor(template, taken))
		err := c.Get(ctx, client.ObjectKeyFromObject(b), b)
		switch {
		case apierrors.IsNotFound(err):
			free = b
		case err != nil:
			return nil, false, fmt.Errorf("read binding %s: %w", b.GetName(), err)
		case isFor(b, template):
			return b, true, nil
		}
	}
	if free == nil {
		return nil, false, fmt.Errorf("the names of the binding are taken by other objects, also %s", nameFor(template, true))
	}
	return free, false, nil
}

// nameFor returns the name of a template's binding: without the group, as users of
// the published control plane know it, or with a hash of group and name if an object
// of another group, or with a name of the same letters, has taken that name already.
func nameFor(template *unstructured.Unstructured, taken bool) string {
	name := names.Binding(template.GetKind(), template.GetName())
	if !taken {
		return name
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(template.GroupVersionKind().Group + "/" + template.GetName()))
	return name + "-" + names.SafeEncode(strconv.FormatUint(uint64(h.Sum32()), 10))
}

// WorkName returns the name of the Works of a binding, without the group unless the name of
// the binding has a hash of it.
func WorkName(b workv1alpha2.Binding) string {
	r := &b.GetSpec().Resource
	kind := r.Kind
	if b.GetName() != names.Binding(kind, r.Name) {
		kind += "." + schema.FromAPIVersionAndKind(r.APIVersion, r.Kind).Group
	}
	return names.Work(kind, r.Namespace, r.Name)
}

// isFor reports whether a binding is for this template and not for one that would have
// a binding of the same name.
func isFor(b workv1alpha2.Binding, template *unstructured.Unstructured) bool {
	r := &b.GetSpec().Resource
	gvk := schema.FromAPIVersionAndKind(r.APIVersion, r.Kind)
	return gvk.GroupKind() == template.GroupVersionKind().GroupKind() && r.Name == template.GetName()
}

// Template returns the reference of a binding to its template as an object, for events
// about it.
func Template(b workv1alpha2.Binding) *metav1.PartialObjectMetadata {
	r := &b.GetSpec().Resource
	return &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: r.APIVersion, Kind: r.Kind},
		ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Name, UID: r.UID},
	}
}
