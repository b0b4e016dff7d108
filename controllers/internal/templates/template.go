// SPDX-License-Identifier: Apache-2.0

// Package templates reads the users' objects of the control plane: the templates
// that are propagated. It watches a kind from the first time that it is read, and
// notifies of changes that matter to propagation. It decides nothing.
package templates

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/objects"
)

// Key names a template.
type Key struct {
	schema.GroupVersionKind
	types.NamespacedName
}

// String returns the key for logs.
func (k Key) String() string {
	return k.GroupVersionKind.GroupKind().String() + "/" + k.NamespacedName.String()
}

// KeyOf returns the key of an object.
func KeyOf(o *unstructured.Unstructured) Key {
	return Key{o.GroupVersionKind(), types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}}
}

// Templates are the watched kinds. It is safe for many goroutines.
type Templates struct {
	cache cache.Cache

	mu      sync.Mutex
	watched map[schema.GroupVersionKind]cache.Informer
	// waited are the kinds that were not listed within syncTimeout.
	waited    map[schema.GroupVersionKind]bool
	listeners []func(Key)
	// pending are the keys that came before there was a listener.
	pending map[Key]bool
}

// New returns templates that are read through a cache.
func New(c cache.Cache) *Templates {
	return &Templates{cache: c, watched: map[schema.GroupVersionKind]cache.Informer{}, waited: map[schema.GroupVersionKind]bool{}}
}

// syncTimeout is how long a read waits until a kind was listed for the first time. A
// kind that cannot be listed must not delay the reads of others.
const syncTimeout = 5 * time.Second

// Listen registers f to be called for each template that is new or whose content changed,
// but not for a change of its status alone, and for those that are enqueued. The first
// listener also gets the templates from before. f must not block.
func (t *Templates) Listen(f func(Key)) {
	t.mu.Lock()
	t.listeners = append(t.listeners, f)
	pending := t.pending
	t.pending = nil
	t.mu.Unlock()
	for k := range pending {
		f(k)
	}
}

// Enqueue calls the listeners for templates that did not change.
func (t *Templates) Enqueue(keys ...Key) {
	for _, k := range keys {
		t.notify(k)
	}
}

func (t *Templates) notify(k Key) {
	t.mu.Lock()
	listeners := t.listeners
	if len(listeners) == 0 {
		if t.pending == nil {
			t.pending = map[Key]bool{}
		}
		t.pending[k] = true
	}
	t.mu.Unlock()
	for _, f := range listeners {
		f(k)
	}
}

// Watch starts watching a kind; for a watched kind it does nothing. If the API server
// does not serve the kind, its error is returned.
func (t *Templates) Watch(ctx context.Context, kind schema.GroupVersionKind) error {
	_, err := t.informer(ctx, kind)
	return err
}

// Watched reports whether a kind is watched and was listed, so that all its templates can
// be read at once.
func (t *Templates) Watched(kind schema.GroupVersionKind) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	informer := t.watched[kind]
	return informer != nil && informer.HasSynced()
}

func (t *Templates) informer(ctx context.Context, kind schema.GroupVersionKind) (cache.Informer, error) {
	t.mu.Lock()
	watched := t.watched[kind]
	t.mu.Unlock()
	if watched != nil {
		return watched, nil
	}
	// Without the lock: this may ask the API server what it serves.
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	informer, err := t.cache.GetInformer(ctx, object, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", kind, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.watched[kind] != nil {
		return t.watched[kind], nil
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) {
			if object, ok := o.(*unstructured.Unstructured); ok {
				t.notify(KeyOf(object))
			}
		},
		UpdateFunc: func(before, after any) {
			b, _ := before.(*unstructured.Unstructured)
			a, _ := after.(*unstructured.Unstructured)
			if a != nil && b != nil && changed(b, a) {
				t.notify(KeyOf(a))
			}
		},
	})
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", kind, err)
	}
	t.watched[kind] = informer
	return informer, nil
}

// changed reports whether the second of two versions matters to propagation: its content
// is different, or it is another object of the same name.
func changed(before, after *unstructured.Unstructured) bool {
	return before.GetUID() != after.GetUID() || !objects.Same(before, after)
}

// synced watches a kind and waits until it was listed; a kind that was not listed in time
// is not waited for again.
func (t *Templates) synced(ctx context.Context, kind schema.GroupVersionKind) error {
	informer, err := t.informer(ctx, kind)
	if err != nil || informer.HasSynced() {
		return err
	}
	t.mu.Lock()
	waited := t.waited[kind]
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	if !waited && toolscache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return nil
	}
	t.mu.Lock()
	t.waited[kind] = true
	t.mu.Unlock()
	return fmt.Errorf("watch %s: the API server has not listed it within %s", kind, syncTimeout)
}

// Get reads a template; it must not be changed.
func (t *Templates) Get(ctx context.Context, key Key) (*unstructured.Unstructured, error) {
	if err := t.synced(ctx, key.GroupVersionKind); err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(key.GroupVersionKind)
	if err := t.cache.Get(ctx, key.NamespacedName, object, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	return object, nil
}

// List reads all templates of a kind, in one namespace where it is not empty; they
// must not be changed.
func (t *Templates) List(ctx context.Context, kind schema.GroupVersionKind, namespace string) ([]unstructured.Unstructured, error) {
	if err := t.synced(ctx, kind); err != nil {
		return nil, err
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err := t.cache.List(ctx, list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	return list.Items, nil
}

// Fingerprint is a hash of an object's content: equal for two versions that differ
// only in status and in what the API server keeps.
func Fingerprint(o *unstructured.Unstructured) (string, error) {
	raw, err := utiljson.Marshal(objects.Of(o))
	if err != nil {
		return "", fmt.Errorf("hash %s: %w", KeyOf(o), err)
	}
	h := fnv.New64a()
	_, _ = h.Write(raw)
	return strconv.FormatUint(h.Sum64(), 36), nil
}

// KeyOfReference returns the key of the template that a binding refers to.
func KeyOfReference(r *workv1alpha2.ObjectReference) Key {
	return Key{schema.FromAPIVersionAndKind(r.APIVersion, r.Kind), types.NamespacedName{Namespace: r.Namespace, Name: r.Name}}
}
