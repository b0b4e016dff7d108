// SPDX-License-Identifier: Apache-2.0

package templates

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// watch is one watched kind.
type watch struct {
	// listed is closed once all templates of the kind are in the cache.
	listed <-chan struct{}
	// late is closed listTimeout after the watch began; ended when it has ended.
	late, ended chan struct{}
}

// listTimeout is how long after the begin of a watch a read waits until the kind was
// listed. After that the template is read from the API server.
const listTimeout = 5 * time.Second

// Want has an owner want these kinds, in place of those that it wanted before. A kind is
// watched while somebody wants it and the API server serves it. It returns those that are
// not served; Check has them watched once they are. An error is that of a kind that cannot
// be watched; the others are.
func (t *Templates) Want(ctx context.Context, owner string, kinds ...schema.GroupVersionKind) ([]schema.GroupVersionKind, error) {
	t.own(owner, kinds)
	if t.allWatched(kinds) {
		return nil, nil
	}
	t.starting.Lock()
	defer t.starting.Unlock()
	var (
		unserved []schema.GroupVersionKind
		failed   []error
	)
	for _, kind := range kinds {
		served, err := false, error(nil)
		if !t.knownUnserved(kind) {
			served, err = t.start(ctx, kind)
		}
		switch {
		case err != nil:
			failed = append(failed, err)
		case !served:
			t.note(kind, false)
			unserved = append(unserved, kind)
		}
	}
	t.notifyUnserved(unserved)
	return unserved, errors.Join(failed...)
}

// ListenUnserved registers f to be called with the groups of kinds that somebody wants and
// that are not served. An API server serves a kind a little after its CRD is established,
// which no event reports: f should have the group checked soon. f must not block.
func (t *Templates) ListenUnserved(f func(group string)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.onUnserved = f
}

func (t *Templates) notifyUnserved(kinds []schema.GroupVersionKind) {
	t.mu.RLock()
	f := t.onUnserved
	t.mu.RUnlock()
	if f == nil {
		return
	}
	for _, kind := range kinds {
		f(kind.Group)
	}
}

// Drop has an owner want nothing.
func (t *Templates) Drop(owner string) { t.own(owner, nil) }

// Wanted returns the kinds that an owner wants.
func (t *Templates) Wanted(owner string) []schema.GroupVersionKind {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.wanted[owner]
}

// Check watches the kinds of a group that somebody wants and that are served by now, and
// ends the watches of those that are served no longer. It returns those that somebody
// wants and that are not served.
func (t *Templates) Check(ctx context.Context, group string) ([]schema.GroupVersionKind, error) {
	t.mu.RLock()
	var kinds []schema.GroupVersionKind
	for kind := range t.owners {
		if kind.Group == group {
			kinds = append(kinds, kind)
		}
	}
	t.mu.RUnlock()
	t.starting.Lock()
	defer t.starting.Unlock()
	var (
		unserved []schema.GroupVersionKind
		failed   []error
	)
	for _, kind := range kinds {
		served, err := t.serves(ctx, kind)
		if err == nil && served {
			served, err = t.start(ctx, kind)
		}
		switch {
		case err != nil:
			failed = append(failed, err)
		default:
			t.note(kind, served)
			if !served {
				unserved = append(unserved, kind)
			}
		}
	}
	return unserved, errors.Join(failed...)
}

// Watched reports whether a kind is watched and was listed, so that all its templates can
// be read at once.
func (t *Templates) Watched(kind schema.GroupVersionKind) bool {
	t.mu.RLock()
	w := t.watches[kind]
	t.mu.RUnlock()
	return w != nil && closed(w.listed)
}

// own notes what an owner wants, and ends the watches that nobody wants any more.
func (t *Templates) own(owner string, kinds []schema.GroupVersionKind) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.wanted[owner]
	delete(t.wanted, owner)
	if len(kinds) > 0 {
		t.wanted[owner] = kinds
	}
	for _, kind := range kinds {
		if t.owners[kind] == nil {
			t.owners[kind] = map[string]bool{}
		}
		t.owners[kind][owner] = true
	}
	for _, kind := range before {
		if slices.Contains(kinds, kind) {
			continue
		}
		delete(t.owners[kind], owner)
		if len(t.owners[kind]) == 0 {
			delete(t.owners, kind)
			delete(t.unserved, kind)
			t.end(kind)
		}
	}
}

func (t *Templates) allWatched(kinds []schema.GroupVersionKind) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return !slices.ContainsFunc(kinds, func(kind schema.GroupVersionKind) bool { return t.watches[kind] == nil })
}

// note remembers whether a kind that somebody wants is served. One that is not has no
// watch.
func (t *Templates) note(kind schema.GroupVersionKind, served bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.unserved, kind)
	if !served && len(t.owners[kind]) > 0 {
		t.unserved[kind] = true
		t.end(kind)
	}
}

func (t *Templates) knownUnserved(kind schema.GroupVersionKind) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.unserved[kind]
}

// end ends the watch of a kind, if there is one. The caller holds mu.
func (t *Templates) end(kind schema.GroupVersionKind) {
	w := t.watches[kind]
	if w == nil {
		return
	}
	delete(t.watches, kind)
	close(w.ended)
	_ = t.cache.RemoveInformer(context.Background(), of(kind)) // fails for a type without a kind
}

// start watches a kind that somebody wants, unless it is watched already. It returns false
// if the API server does not serve the kind. The caller holds starting.
func (t *Templates) start(ctx context.Context, kind schema.GroupVersionKind) (bool, error) {
	if t.allWatched([]schema.GroupVersionKind{kind}) {
		return true, nil
	}
	if served, err := t.serves(ctx, kind); err != nil || !served {
		return false, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.owners[kind]) == 0 {
		return true, nil // dropped meanwhile
	}
	w, err := t.begin(ctx, kind)
	if meta.IsNoMatchError(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("watch %s: %w", kind, err)
	}
	t.watches[kind] = w
	return true, nil
}

// begin watches a kind. The caller holds mu.
func (t *Templates) begin(ctx context.Context, kind schema.GroupVersionKind) (*watch, error) {
	informer, err := t.cache.GetInformer(ctx, of(kind), cache.BlockUntilSynced(false))
	if err != nil {
		return nil, err
	}
	if err := t.addIndexes(ctx, kind, informer); err != nil {
		return nil, err
	}
	registration, err := informer.AddEventHandler(toolscache.ResourceEventHandlerDetailedFuncs{AddFunc: t.added, UpdateFunc: t.updated})
	if err != nil {
		return nil, err
	}
	w := &watch{listed: registration.HasSyncedChecker().Done(), late: make(chan struct{}), ended: make(chan struct{})}
	go t.announce(kind, w)
	return w, nil
}

// announce notifies of all templates of a kind once it was listed.
func (t *Templates) announce(kind schema.GroupVersionKind, w *watch) {
	timer := time.AfterFunc(listTimeout, func() { close(w.late) })
	defer timer.Stop()
	select {
	case <-w.ended:
	case <-w.listed:
		keys, err := t.list(context.Background(), kind, "", nil)
		if err == nil {
			t.Enqueue(Listed, keys...)
		}
	}
}

// serves reports whether the API server lists the objects of a kind. The error is that of
// a kind that cannot be listed.
func (t *Templates) serves(ctx context.Context, kind schema.GroupVersionKind) (bool, error) {
	if t.Live == nil {
		return true, nil
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind)
	err := t.Live.List(ctx, list, client.Limit(1))
	switch {
	case err == nil:
		return true, nil
	case meta.IsNoMatchError(err), apierrors.IsNotFound(err), apierrors.IsMethodNotSupported(err):
		return false, nil
	}
	return false, fmt.Errorf("list %s: %w", kind, err)
}

// of returns an empty object of a kind.
func of(kind schema.GroupVersionKind) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kind)
	return o
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
