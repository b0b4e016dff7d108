// SPDX-License-Identifier: Apache-2.0

package templates

import (
	"context"
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
		t.announced = make(chan struct{})
	}
	t.expected++
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.expected--; t.expected == 0 {
			close(t.announced)
		}
	})
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
