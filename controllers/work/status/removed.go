// SPDX-License-Identifier: Apache-2.0

package status

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

// identity names an object of a Work.
type identity struct {
	kind   schema.GroupVersionKind
	object types.NamespacedName
}

func identityOf(o *unstructured.Unstructured) identity {
	return identity{o.GroupVersionKind(), client.ObjectKeyFromObject(o)}
}

// removed holds the objects that were removed in a terminal state, as a watch showed them
// last, until their status was written: an object may be gone before its Work is
// reconciled, and its last status would be lost. It is safe for many goroutines; the zero
// value is ready.
type removed struct {
	mu   sync.Mutex
	last map[types.NamespacedName]map[identity]*unstructured.Unstructured
}

func (r *removed) set(work types.NamespacedName, o *unstructured.Unstructured) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil {
		r.last = map[types.NamespacedName]map[identity]*unstructured.Unstructured{}
	}
	if r.last[work] == nil {
		r.last[work] = map[identity]*unstructured.Unstructured{}
	}
	r.last[work][identityOf(o)] = o
}

func (r *removed) get(work types.NamespacedName, manifest *unstructured.Unstructured) (*unstructured.Unstructured, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o, ok := r.last[work][identityOf(manifest)]
	return o, ok
}

// done forgets an object whose status was written. One that was recorded in its place
// meanwhile stays.
func (r *removed) done(work types.NamespacedName, o *unstructured.Unstructured) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last[work][identityOf(o)] != o {
		return
	}
	delete(r.last[work], identityOf(o))
	if len(r.last[work]) == 0 {
		delete(r.last, work)
	}
}

func (r *removed) forget(work types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.last, work)
}

// observe records or drops the object of an event, and reports whether its Work has
// anything to reflect.
func (c *Controller) observe(e member.Event) bool {
	if e.New != nil {
		c.removed.forget(e.Work)
		return true
	}
	if e.Old == nil {
		return false
	}
	// As long as nobody knows whether it finished, its last status is kept.
	if finished, err := base.Finished(c.Interpreter.Snapshot(), e.Old); !finished && err == nil {
		return false
	}
	c.removed.set(e.Work, e.Old)
	return true
}
