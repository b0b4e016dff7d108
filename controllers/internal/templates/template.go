// SPDX-License-Identifier: Apache-2.0

// Package templates reads the users' objects of the control plane: the templates that are
// propagated. It watches the kinds that somebody wants, as long as somebody wants them,
// and notifies of changes that matter to propagation. It decides nothing.
package templates

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Key names a template.
type Key struct {
	schema.GroupVersionKind
	types.NamespacedName
}

// Tenant is the namespace, whose templates take turns with those of others.
func (k Key) Tenant() string { return k.Namespace }

// String returns the key for logs.
func (k Key) String() string {
	return k.GroupVersionKind.GroupKind().String() + "/" + k.NamespacedName.String()
}

// KeyOf returns the key of an object.
func KeyOf(o *unstructured.Unstructured) Key {
	return Key{o.GroupVersionKind(), types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}}
}

// KeyOfReference returns the key of the template that a binding refers to.
func KeyOfReference(r *workv1alpha2.ObjectReference) Key {
	return Key{schema.FromAPIVersionAndKind(r.APIVersion, r.Kind), types.NamespacedName{Namespace: r.Namespace, Name: r.Name}}
}

// Templates are the watched kinds. It is safe for many goroutines.
type Templates struct {
	// Live reads the templates of kinds that nobody wants from the API server, and reports
	// whether a kind is served before it is watched. Without it a kind is watched from the
	// first time that it is read, and for good. It must not be changed once the templates
	// are used.
	Live client.Reader

	cache cache.Cache
	// starting is held by whoever starts watches, so that no kind is started twice.
	starting sync.Mutex

	mu sync.RWMutex
	// owners are those who want a kind, by their names; a kind that nobody wants has none.
	owners map[schema.GroupVersionKind]map[string]bool
	// wanted are the kinds that an owner wants.
	wanted map[string][]schema.GroupVersionKind
	// watches are the wanted kinds that the API server serves.
	watches map[schema.GroupVersionKind]*watch
	// unserved are the wanted kinds that it did not serve when asked last.
	unserved  map[schema.GroupVersionKind]bool
	listeners []func(Key, Cause)
	// onUnserved is called with the groups of kinds that are not served; it may be nil.
	onUnserved func(group string)
	// pending are the keys that came before there was a listener.
	pending map[Key]Cause
	// expected is how many are about to want kinds, see Expect; announced is closed when
	// there is none, and nil if there never was one.
	expected  int
	announced chan struct{}
	// started is closed when the kinds that were wanted by then are listed; see Started.
	started chan struct{}
}

// New returns templates that are read through a cache.
func New(c cache.Cache) *Templates {
	return &Templates{
		cache:  c,
		owners: map[schema.GroupVersionKind]map[string]bool{}, wanted: map[string][]schema.GroupVersionKind{},
		watches: map[schema.GroupVersionKind]*watch{}, unserved: map[schema.GroupVersionKind]bool{},
	}
}
