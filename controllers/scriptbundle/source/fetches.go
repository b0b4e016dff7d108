// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/engine/script"
)

const (
	// fetchTimeout is how long it may take to read a bundle from a registry, all requests together:
	// a registry may send some bytes now and then for ever. It is less than what dragoman activate waits.
	fetchTimeout = 45 * time.Second
	// perRegistry is how many bundles are read from one registry at a time.
	perRegistry = 2
)

// fetches are the reads of registries. They run beside the workers of the controller, so that a
// registry that does not answer holds up nobody but who waits for it. It is safe for many goroutines.
type fetches struct {
	*waker
	timeout time.Duration

	mu sync.Mutex
	// running has at most one of each ScriptBundle, by name, until its answer was taken.
	running map[string]*fetch
	// registries has room for perRegistry elements each, by host.
	registries map[string]chan struct{}
}

// fetch is one read of a registry.
type fetch struct {
	of   question
	stop context.CancelFunc
	// answer is nil while it runs.
	answer *answer
}

// question names what a fetch is for: an answer about another one is dropped.
type question struct {
	uid        types.UID
	generation int64
	// annotations change when somebody has the source read now.
	annotations string
}

// answer is what a registry has.
type answer struct {
	// digest is "" if the registry could not be asked for it.
	digest string
	// settled means that the digest led to the status that is there, and found is empty.
	settled bool
	found   found
	err     error
}

func newFetches(w *waker) *fetches {
	return &fetches{waker: w, timeout: fetchTimeout, running: map[string]*fetch{}, registries: map[string]chan struct{}{}}
}

// take returns the answer to a question about a ScriptBundle, if there is one, and forgets it. While
// it returns nil for one that was begun, the ScriptBundle is enqueued once the answer is there.
func (f *fetches) take(bundle string, q question) (a *answer, running bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.running[bundle]
	if r == nil || r.of != q {
		return nil, false
	}
	if r.answer != nil {
		delete(f.running, bundle)
	}
	return r.answer, true
}

// begin asks a registry by read, in place of what is asked about the ScriptBundle.
func (f *fetches) begin(bundle string, q question, host string, read func(context.Context) answer) {
	parent := f.context()
	if parent == nil {
		return // nothing is reconciled before the controller starts
	}
	ctx, stop := context.WithCancel(parent)
	r := &fetch{of: q, stop: stop}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.end(bundle)
	f.running[bundle] = r
	room := f.registries[host]
	if room == nil {
		room = make(chan struct{}, perRegistry)
		f.registries[host] = room
	}
	go func() {
		defer stop()
		select {
		case room <- struct{}{}:
			defer func() { <-room }()
		case <-ctx.Done():
			return
		}
		a := f.read(ctx, host, read)
		f.mu.Lock()
		r.answer = &a
		f.mu.Unlock()
		if ctx.Err() == nil {
			f.wake(bundle)
		}
	}()
}

// read asks a registry, for as long as it may take. A panic is an error: no worker of the queue is there to
// recover it, and what a registry sends must not end the process.
func (f *fetches) read(ctx context.Context, host string, read func(context.Context) answer) (a answer) {
	defer func() {
		if stack := base.Stack(a.err); stack != nil {
			ctrl.LoggerFrom(ctx).Error(a.err, "reading a registry panicked", append(stack, "registry", host)...)
		}
	}()
	defer script.Recover(&a.err, script.Position{}, "reading from the registry "+host)
	limited, stop := context.WithTimeout(ctx, f.timeout)
	defer stop()
	a = read(limited)
	if a.err != nil && limited.Err() != nil {
		a.err = fmt.Errorf("the registry %s did not answer within %s: %w", host, f.timeout, a.err)
	}
	return a
}

// drop ends what is asked about a ScriptBundle; nothing is fine.
func (f *fetches) drop(bundle string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.end(bundle)
}

func (f *fetches) end(bundle string) {
	if r := f.running[bundle]; r != nil {
		r.stop()
		delete(f.running, bundle)
	}
}
