// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/engine"
)

// errUnshown is the error of an object that its cluster does not have any more, before a
// watch has shown how it ended.
var errUnshown = errors.New("how the object ended has not been shown yet")

// present are the objects of kinds that can finish which execution created or read, or a watch
// showed, and whose end no watch has shown yet. Whether such an object had finished is not
// known until then. It is safe for many goroutines; the zero value is ready.
type present struct {
	mu    sync.Mutex
	works map[types.NamespacedName]map[identity]*presence
}

// presence is what is known of one object.
type presence struct {
	// uid is that of the object; "" is that of one that is being created.
	uid types.UID
	// creating holds while a creation has no answer yet; ended are the objects whose end
	// was shown meanwhile.
	creating bool
	ended    []types.UID
	// shown holds for an object that a watch showed.
	shown bool
	// gone is when the member was first found without the object.
	gone time.Time
}

// of returns the presence of an object, a new one where there is none; the lock is held.
func (p *present) of(work types.NamespacedName, id identity) *presence {
	if p.works == nil {
		p.works = map[types.NamespacedName]map[identity]*presence{}
	}
	if p.works[work] == nil {
		p.works[work] = map[identity]*presence{}
	}
	if p.works[work][id] == nil {
		p.works[work][id] = &presence{}
	}
	return p.works[work][id]
}

// drop forgets an object; the lock is held.
func (p *present) drop(work types.NamespacedName, id identity) {
	delete(p.works[work], id)
	if len(p.works[work]) == 0 {
		delete(p.works, work)
	}
}

// creates records that an object is being created. What is returned records the answer: the
// UID of the object, "" for one that was not created.
func (p *present) creates(work types.NamespacedName, id identity) (answered func(types.UID)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of(work, id).creating = true
	return func(uid types.UID) {
		p.mu.Lock()
		defer p.mu.Unlock()
		o := p.of(work, id)
		if uid != "" && uid != o.uid {
			o.uid, o.shown = uid, false
		}
		if slices.Contains(o.ended, o.uid) {
			o.uid = "" // the watch was faster than the answer
		}
		o.creating, o.ended, o.gone = false, nil, time.Time{}
		if o.uid == "" {
			p.drop(work, id)
		}
	}
}

// reads records an object that was read from its member since no watch shows it yet: it may be gone
// before one does.
func (p *present) reads(work types.NamespacedName, id identity, uid types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o := p.of(work, id); !o.creating {
		o.uid, o.gone = uid, time.Time{}
	}
}

// shows records what a watch shows.
func (p *present) shows(e member.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.New == nil || !marksOf(e.New).managed || marksOf(e.New).work != e.Work {
		p.ends(e.Work, e.Old)
		return
	}
	switch o := p.of(e.Work, identityOf(e.New)); {
	case o.uid == e.New.GetUID(), o.uid == "" && !o.creating, o.shown:
		o.uid, o.shown, o.gone = e.New.GetUID(), true, time.Time{}
	}
}

// ends records that a watch showed the end of an object; the lock is held.
func (p *present) ends(work types.NamespacedName, last *unstructured.Unstructured) {
	if last == nil {
		return
	}
	id := identityOf(last)
	o := p.works[work][id]
	if o == nil {
		return
	}
	if o.creating {
		o.ended = append(o.ended, last.GetUID())
	}
	if o.uid != last.GetUID() {
		return
	}
	if o.uid = ""; !o.creating {
		p.drop(work, id)
	}
}

// unshown returns whether the end of an object, which its member does not have, is still to
// be shown. A watch that began again may never show it: after waitForEnd it is forgotten.
func (p *present) unshown(work types.NamespacedName, id identity, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := p.works[work][id]
	if o == nil {
		return false
	}
	if o.gone.IsZero() {
		o.gone = now
	}
	if now.Sub(o.gone) < waitForEnd {
		return true
	}
	p.drop(work, id)
	return false
}

// has reports whether an object is known whose end was not shown.
func (p *present) has(work types.NamespacedName, id identity) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.works[work][id] != nil
}

// forget forgets the objects of a Work.
func (p *present) forget(work types.NamespacedName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.works, work)
}

// forgetAll forgets the objects of all Works of a namespace, whose watches begin again.
func (p *present) forgetAll(namespace string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.works, func(work types.NamespacedName, _ map[identity]*presence) bool { return work.Namespace == namespace })
}

// observePresent records that a watch showed an object, or its end. It follows
// observeFinished: whoever finds no presence any more finds whether the object had finished.
func (c *Controller) observePresent(e member.Event) {
	if e.New == nil || c.Interpreter.Snapshot().Supports(e.New.GroupVersionKind(), engine.InterpretFinished) {
		c.present.shows(e)
	}
}

// finishes reports whether objects of the kind can finish: a job that had must not run again.
func (a *application) finishes() bool {
	return a.Interpreter.Snapshot().Supports(a.kind(), engine.InterpretFinished)
}

// unseen returns the object where no watch shows it; nil where it is not there, or not
// managed. The error is errUnshown for one that is gone and may have finished, which the
// event of its end reports.
func (a *application) unseen(ctx context.Context) (*unstructured.Unstructured, error) {
	if !a.present.has(a.key(), identityOf(a.desired)) {
		return nil, nil
	}
	return a.unshown(a.live(ctx, a.desired))
}

// unshown returns what was read of the object. The error is errUnshown where nothing was,
// and how the object ended is not known yet.
func (a *application) unshown(observed *unstructured.Unstructured, err error) (*unstructured.Unstructured, error) {
	switch id := identityOf(a.desired); {
	case err != nil:
	case observed == nil && a.present.unshown(a.key(), id, a.Clock.Now()):
		err = fmt.Errorf("%w: %s in cluster %s", errUnshown, describe(a.desired), a.member.Name)
	case observed != nil && a.finishes() && marksOf(observed).managed && marksOf(observed).work == a.key():
		a.present.reads(a.key(), id, observed.GetUID())
	}
	return observed, err
}
