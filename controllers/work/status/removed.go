// SPDX-License-Identifier: Apache-2.0

package status

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/memory"
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
	last memory.Parts[types.NamespacedName, identity, *unstructured.Unstructured]
}

func (r *removed) set(work types.NamespacedName, o *unstructured.Unstructured) {
	r.last.Set(work, identityOf(o), o)
}

func (r *removed) get(work types.NamespacedName, manifest *unstructured.Unstructured) (*unstructured.Unstructured, bool) {
	return r.last.Get(work, identityOf(manifest))
}

// done forgets an object whose status was written. One that was recorded in its place
// meanwhile stays.
func (r *removed) done(work types.NamespacedName, o *unstructured.Unstructured) {
	r.last.Update(work, identityOf(o), func(last *unstructured.Unstructured, ok bool) (*unstructured.Unstructured, bool) {
		return last, ok && last != o
	})
}

func (r *removed) forget(work types.NamespacedName) { r.last.ForgetAll(work) }

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
