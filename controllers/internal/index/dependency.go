// SPDX-License-Identifier: Apache-2.0

package index

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// Dependents lists the bindings whose objects depend on an object, which has its labels;
// they must not be changed. The cost grows with the bindings that name the object, or a
// label of it, and not with all bindings. It does not wait for writes in flight: their
// events enqueue what depends on them.
func Dependents(ctx context.Context, c client.Reader, object *unstructured.Unstructured) ([]workv1alpha2.Binding, error) {
	var all []workv1alpha2.Binding
	seen := map[types.NamespacedName]bool{}
	for _, key := range binding.LookupKeys(object) {
		found, err := AllBindings(ctx, c, client.MatchingFields{bindingDependency: key}, client.DisableReadYourWritesConsistency)
		if err != nil {
			return nil, fmt.Errorf("list the bindings that depend on %s: %w", key, err)
		}
		for _, b := range found {
			if k := client.ObjectKeyFromObject(b); !seen[k] && binding.DependsOn(b, object) {
				seen[k] = true
				all = append(all, b)
			}
		}
	}
	return all, nil
}

// AnyDependent reports whether the object of some binding depends on objects of a kind.
func AnyDependent(ctx context.Context, c client.Reader, kind schema.GroupKind) (bool, error) {
	found, err := AllBindings(ctx, c, client.MatchingFields{bindingDependency: binding.KindKey(kind)}, client.Limit(1), client.DisableReadYourWritesConsistency)
	return len(found) > 0, err
}

// DependentsOfKind lists the keys of the bindings whose objects depend on objects of a kind, in any
// version of it.
func DependentsOfKind(ctx context.Context, c client.Reader, kind schema.GroupKind) ([]types.NamespacedName, error) {
	return bindingKeys(ctx, c, client.MatchingFields{bindingDependency: binding.KindKey(kind)})
}

// MayBeNeeded reports whether some binding may depend on an object, or has done so and is
// named by the object's own binding still. Its cost does not depend on what exists.
func MayBeNeeded(ctx context.Context, c client.Reader, kind schema.GroupKind, name types.NamespacedName) (bool, error) {
	matches := []client.MatchingFields{{bindingParent: attachedKey(kind, name.Namespace, name.Name)}}
	for _, key := range binding.NameKeys(kind, name.Namespace, name.Name) {
		matches = append(matches, client.MatchingFields{bindingDependency: key})
	}
	for _, match := range matches {
		found, err := AllBindings(ctx, c, match, client.Limit(1))
		if err != nil {
			return false, fmt.Errorf("list the bindings that depend on %s %s: %w", kind, name, err)
		}
		if len(found) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// Attached lists the bindings that name another one as a parent; they must not be changed.
func Attached(ctx context.Context, c client.Reader, parent types.NamespacedName) ([]workv1alpha2.Binding, error) {
	return AllBindings(ctx, c, client.MatchingFields{bindingParent: parent.String()})
}

func dependenciesOf(o client.Object) []string {
	return binding.DependencyKeys(o.(workv1alpha2.Binding))
}

func parentsOf(o client.Object) []string {
	b := o.(workv1alpha2.Binding)
	if !binding.IsAttached(b) {
		return nil
	}
	r := &b.GetSpec().Resource
	keys := []string{attachedKey(schema.FromAPIVersionAndKind(r.APIVersion, r.Kind).GroupKind(), r.Namespace, r.Name)}
	for _, parent := range binding.ParentsOf(b) {
		keys = append(keys, parent.String())
	}
	return keys
}

// attachedKey is the index key of the attached binding of an object.
func attachedKey(kind schema.GroupKind, namespace, name string) string {
	return "of " + kind.String() + "/" + namespace + "/" + name
}
