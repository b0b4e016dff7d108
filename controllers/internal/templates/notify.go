// SPDX-License-Identifier: Apache-2.0

package templates

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/content"
)

// Cause is why a template is reconciled, the more urgent the higher.
type Cause int

const (
	// Listed: its kind was listed, or something else has many templates reconciled that no
	// user waits for.
	Listed Cause = iota
	// Related: a user changed an object that matters to it, such as its policy.
	Related
	// Claimed: nothing of it changed but its claim.
	Claimed
	// Edited: it is new or its content changed.
	Edited
)

// Listen registers f to be called for each template that is new or whose content changed,
// but not for a change of its status alone, for all templates of a kind once it was
// listed, and for those that are enqueued. The first listener also gets the templates from
// before, and a later one those of the kinds that were listed by then: the controllers start
// at once, in any order. f must not block.
func (t *Templates) Listen(f func(Key, Cause)) {
	t.mu.Lock()
	var listed []schema.GroupVersionKind
	for kind, w := range t.watches {
		if len(t.listeners) > 0 && closed(w.listed) {
			listed = append(listed, kind)
		}
	}
	t.listeners = append(t.listeners, f)
	pending := t.pending
	t.pending = nil
	t.mu.Unlock()
	for k, cause := range pending {
		f(k, cause)
	}
	for _, kind := range listed {
		keys, _ := t.list(context.Background(), kind, "", nil) // a watch that has ended has none
		for _, k := range keys {
			f(k, Listed)
		}
	}
}

// Enqueue calls the listeners for templates that did not change.
func (t *Templates) Enqueue(cause Cause, keys ...Key) {
	for _, k := range keys {
		t.notify(k, cause)
	}
}

func (t *Templates) notify(k Key, cause Cause) {
	t.mu.Lock()
	listeners := t.listeners
	if len(listeners) == 0 {
		if t.pending == nil {
			t.pending = map[Key]Cause{}
		}
		t.pending[k] = max(cause, t.pending[k])
	}
	t.mu.Unlock()
	for _, f := range listeners {
		f(k, cause)
	}
}

// added notifies of a new template. Those of the first list are notified of together.
func (t *Templates) added(o any, listed bool) {
	if object, ok := o.(*unstructured.Unstructured); ok && !listed {
		t.notify(KeyOf(object), Edited)
	}
}

// updated notifies of a template whose content changed.
func (t *Templates) updated(before, after any) {
	b, _ := before.(*unstructured.Unstructured)
	a, _ := after.(*unstructured.Unstructured)
	if a == nil || b == nil {
		return
	}
	if cause, changed := difference(b, a); changed {
		t.notify(KeyOf(a), cause)
	}
}

// difference reports whether the second of two versions matters to propagation, and how
// they differ: another object of the same name counts as edited.
func difference(before, after *unstructured.Unstructured) (Cause, bool) {
	switch {
	case before.GetUID() != after.GetUID():
		return Edited, true
	case content.Same(before, after):
		return 0, false
	case equality.Semantic.DeepEqual(claim.Content(before), claim.Content(after)):
		return Claimed, true
	}
	return Edited, true
}
