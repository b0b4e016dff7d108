// SPDX-License-Identifier: Apache-2.0

package templates

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Expect has reads of kinds that nobody wants wait until done is called: the caller is about
// to want kinds, and bindings are reconciled before that when the program starts. Without it
// their templates would be read from the API server, one by one. done may be called more than
// once.
func (t *Templates) Expect() (done func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.expected == 0 {
		t.announced, t.started = make(chan struct{}), make(chan struct{})
	}
	t.expected++
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.expected--; t.expected == 0 {
			close(t.announced)
			go awaitLists(slices.Collect(maps.Values(t.watches)), t.started)
		}
	})
}

// startTimeout is how long a start waits for lists: one of a kind may never end.
const startTimeout = time.Minute

// Started returns a channel that is closed once the templates of all kinds were listed that were wanted
// when the last of those who are expected had announced theirs, or could not be listed for a minute. It is
// nil if nobody was expected.
func (t *Templates) Started() <-chan struct{} {
	if t == nil {
		return nil
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.started
}

// awaitLists closes started once the kinds of some watches were listed.
func awaitLists(watches []*watch, started chan<- struct{}) {
	defer close(started)
	timer := time.NewTimer(startTimeout)
	defer timer.Stop()
	for _, w := range watches {
		select {
		case <-w.listed:
		case <-w.ended:
		case <-timer.C:
			return
		}
	}
}

// watchOf returns the watch of a kind; nil if it has none. While somebody is about to want
// kinds it waits for that, as long as a read waits for a list.
func (t *Templates) watchOf(ctx context.Context, kind schema.GroupVersionKind) (*watch, error) {
	t.mu.RLock()
	w, announced := t.watches[kind], t.announced
	t.mu.RUnlock()
	if w != nil || announced == nil || closed(announced) {
		return w, nil
	}
	timer := time.NewTimer(listTimeout)
	defer timer.Stop()
	select {
	case <-announced:
	case <-timer.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.watches[kind], nil
}
