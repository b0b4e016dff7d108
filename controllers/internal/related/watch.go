// SPDX-License-Identifier: Apache-2.0

package related

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/engine"
)

const (
	// retry is how long a member that answers with an error is left alone before it is asked
	// again which kinds it serves.
	retry = 30 * time.Second
	// firstTry is how long after a CRD of the group has changed the member is asked again:
	// it serves a kind a moment after the last change. The time doubles with each further
	// try; after maxTries, half a minute, the next change is waited for.
	firstTry = 250 * time.Millisecond
	maxTries = 7
)

// watch is the watch of one declaration in one member.
type watch struct {
	declared engine.Related
	// uses is guarded by the Watches.
	uses int
	stop context.CancelFunc
	// changed is called with the workloads whose objects changed, known once it is known which
	// objects there are.
	changed func(workloads []types.NamespacedName)
	known   func()
	// missing is true while the cluster does not serve the kind, or forbids to read it: then
	// there are no related objects.
	missing atomic.Bool
	// again has a value when the objects are to be listed again, because some that were dropped
	// are needed.
	again chan struct{}
	// rest is the least time between two lists for that.
	rest time.Duration

	mu sync.RWMutex
	// wants counts the uses of each reference to a workload.
	wants map[reference]int
	// kept is nil until the objects were listed; next is what is being listed.
	kept, next *kept
	// unknown are wanted references of which objects may have been dropped before; missed are
	// those of next.
	unknown, missed map[reference]struct{}
}

// start begins a watch. It makes no request itself.
func start(m *member.Member, r engine.Related, changed func([]types.NamespacedName), known func()) *watch {
	ctx, stop := context.WithCancel(m.Context())
	w := newWatch(r, changed, known)
	w.stop = stop
	go w.begin(ctx, m)
	return w
}

// newWatch returns a watch that does not run.
func newWatch(r engine.Related, changed func([]types.NamespacedName), known func()) *watch {
	return &watch{
		declared: r, changed: changed, known: known, again: make(chan struct{}, 1), rest: relist,
		wants: map[reference]int{}, unknown: map[reference]struct{}{}, missed: map[reference]struct{}{},
	}
}

// begin begins to list and watch as soon as the member serves the kind.
func (w *watch) begin(ctx context.Context, m *member.Member) {
	served := make(chan struct{}, 1)
	var once sync.Once
	tries := 0
	for ctx.Err() == nil {
		objects, err := m.Objects(w.declared.Kind, w.declared.Refers.Label)
		if err == nil {
			log := ctrl.LoggerFrom(ctx).WithValues("cluster", m.Name, "kind", w.declared.Kind.String())
			w.run(ctrl.LoggerInto(ctx, log), objects)
			return
		}
		if !meta.IsNoMatchError(err) {
			if m.Unavailable() == nil {
				wait(ctx, nil, retry)
			}
			_ = m.AwaitAnswer(ctx) // ends with ctx, as the loop does
			continue
		}
		once.Do(func() {
			w.set(true)
			context.AfterFunc(ctx, m.AwaitServed(w.declared.Kind.Group, func() {
				select {
				case served <- struct{}{}:
				default:
				}
			}))
		})
		if tries < maxTries {
			if wait(ctx, served, firstTry<<tries) {
				tries = 0
			}
			tries++
			continue
		}
		wait(ctx, served, 0)
		tries = 0
	}
}

// wait returns when a channel has a value, and true, or when some time has passed, of which 0
// is without end, or when ctx ends.
func wait(ctx context.Context, c <-chan struct{}, d time.Duration) bool {
	var after <-chan time.Time
	if d > 0 {
		after = time.After(d)
	}
	select {
	case <-c:
		return true
	case <-after:
	case <-ctx.Done():
	}
	return false
}

// set records whether the kind is missing, and notifies if that is new.
func (w *watch) set(missing bool) {
	if w.missing.Swap(missing) != missing {
		w.known()
	}
}

// want counts a use of a workload.
func (w *watch) want(workload Workload) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range workload.references() {
		if w.wants[r]++; w.wants[r] > 1 {
			continue
		}
		w.look(w.kept, r, w.unknown)
		w.look(w.next, r, w.missed)
	}
}

// look notes a new want in what is kept, if there is something, and in unknown if it may not
// have the newest objects.
func (w *watch) look(k *kept, r reference, unknown map[reference]struct{}) {
	if k == nil {
		return
	}
	known, short := k.want(r)
	if !known {
		unknown[r] = struct{}{}
	}
	if !known || short {
		w.listAgain()
	}
}

// unwant ends a use of a workload.
func (w *watch) unwant(workload Workload) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range workload.references() {
		if w.wants[r]--; w.wants[r] > 0 {
			continue
		}
		delete(w.wants, r)
		delete(w.unknown, r)
		delete(w.missed, r)
		for _, k := range []*kept{w.kept, w.next} {
			if k != nil {
				k.unwant(r)
			}
		}
	}
}

// listAgain has the objects listed again.
func (w *watch) listAgain() {
	select {
	case w.again <- struct{}{}:
	default:
	}
}

// of returns the objects that may be related to a workload, in no order, and whether that is
// known: the newest of them are among those that are kept.
func (w *watch) of(workload Workload) ([]engine.RelatedObject, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.kept == nil {
		return nil, w.missing.Load()
	}
	for _, r := range workload.references() {
		if _, unknown := w.unknown[r]; unknown {
			return nil, false
		}
	}
	return w.kept.of(workload)
}
