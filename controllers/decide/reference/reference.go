// SPDX-License-Identifier: Apache-2.0

// Package reference is how a binding refers to its template: what it is called after it, what its
// Works are called, and whether the reference may be followed. It takes values and returns values.
package reference

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/skip"
)

// Error is why the reference of a binding to its template is not followed. The
// controllers read templates with rights of their own, so a binding, which a user of its
// namespace may write, reaches only the object that it is the binding of.
type Error struct {
	// Foreign means that the object is none of the binding's namespace, so that no
	// controller has written this reference: what was made by it has to go. Otherwise what
	// is there stays, since the object or the configuration may have changed.
	Foreign bool
	message string
}

// Error names the field of the binding.
func (e *Error) Error() string { return e.message }

// Check returns a *Error if a binding is not that of the object that it
// refers to, by their names; skipped is what is never propagated.
func Check(b workv1alpha2.Binding, skipped *skip.Rules) error {
	r := &b.GetSpec().Resource
	kind := schema.FromAPIVersionAndKind(r.APIVersion, r.Kind)
	switch {
	case r.Namespace != b.GetNamespace() && b.GetNamespace() == "":
		return &Error{true, fmt.Sprintf("spec.resource.namespace: a ClusterResourceBinding is that of an object without a namespace, not of one in %q", r.Namespace)}
	case r.Namespace != b.GetNamespace():
		return &Error{true, fmt.Sprintf("spec.resource.namespace: the object must be in the namespace of the binding, not in %q", r.Namespace)}
	case skipped.Object(kind, r.Namespace, r.Name):
		return &Error{false, fmt.Sprintf("spec.resource: %s %s is never propagated", r.Kind, r.Name)}
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	object.SetName(r.Name)
	if name := b.GetName(); name != NameFor(object, false) && name != NameFor(object, true) {
		return &Error{false, fmt.Sprintf("metadata.name: the binding of %s %s is called %s", r.Kind, r.Name, NameFor(object, false))}
	}
	return nil
}

// CheckTemplate returns a *Error if a binding whose reference was checked is not
// that of the object that was found by it.
func CheckTemplate(b workv1alpha2.Binding, template *unstructured.Unstructured) error {
	r := &b.GetSpec().Resource
	switch {
	case template.GetNamespace() != b.GetNamespace():
		return &Error{true, fmt.Sprintf("spec.resource: a %s has no namespace, so its binding is a ClusterResourceBinding", r.Kind)}
	case template.GetUID() != r.UID:
		return &Error{false, fmt.Sprintf("spec.resource.uid: %s %s has the UID %q, not %q", r.Kind, r.Name, template.GetUID(), r.UID)}
	}
	return nil
}
