// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"hash/fnv"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// NameFor returns the name of a template's binding: without the group, as users of
// the published control plane know it, or with a hash of group and name if an object
// of another group, or with a name of the same letters, has taken that name already.
func NameFor(template *unstructured.Unstructured, taken bool) string {
	name := names.Binding(template.GetKind(), template.GetName())
	if !taken {
		return name
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(template.GroupVersionKind().Group + "/" + template.GetName()))
	return name + "-" + names.SafeEncode(strconv.FormatUint(uint64(h.Sum32()), 10))
}

// IsFor reports whether a binding is for this template and not for one that would have
// a binding of the same name.
func IsFor(b workv1alpha2.Binding, template *unstructured.Unstructured) bool {
	r := &b.GetSpec().Resource
	gvk := schema.FromAPIVersionAndKind(r.APIVersion, r.Kind)
	return gvk.GroupKind() == template.GroupVersionKind().GroupKind() && r.Name == template.GetName()
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

// Template returns the reference of a binding to its template as an object, for events
// about it.
func Template(b workv1alpha2.Binding) *metav1.PartialObjectMetadata {
	r := &b.GetSpec().Resource
	return &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: r.APIVersion, Kind: r.Kind},
		ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Name, UID: r.UID},
	}
}
