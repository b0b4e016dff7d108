// SPDX-License-Identifier: Apache-2.0

// Package informers observes the informers of a cache: which kinds it has not listed yet, and the
// last error of their lists and watches. A manager starts no controller before all are listed, and
// a list may hang, be forbidden, or have an object that cannot be decoded. It knows no kind.
package informers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Tracker records the informers that it creates. It is safe for many goroutines; nil has none.
type Tracker struct {
	// Away returns why no request for a list is made at present; nil if they are. It may be nil, and
	// is set before the first informer runs.
	Away func() error

	scheme *runtime.Scheme

	mu  sync.Mutex
	all []*informer
}

// informer is one that was created.
type informer struct {
	kind schema.GroupVersionKind
	// since is when it was created.
	since           time.Time
	synced, stopped func() bool
	// report is when it is reported next, reported how often it was. One goroutine uses both.
	report   time.Time
	reported int

	mu  sync.Mutex
	err error
}

// New returns a tracker of kinds of a scheme.
func New(scheme *runtime.Scheme) *Tracker { return &Tracker{scheme: scheme} }

// NewInformer creates an informer, for the options of a cache.
func (t *Tracker) NewInformer(lw toolscache.ListerWatcher, example runtime.Object, resync time.Duration, indexers toolscache.Indexers) toolscache.SharedIndexInformer {
	created := toolscache.NewSharedIndexInformer(lw, example, resync, indexers)
	kind, err := apiutil.GVKForObject(example, t.scheme)
	if err != nil {
		kind = schema.GroupVersionKind{Kind: fmt.Sprintf("%T", example)}
	}
	i := &informer{kind: kind, synced: created.HasSynced, stopped: created.IsStopped}
	// It fails for an informer that has started, which this one has not.
	_ = created.SetWatchErrorHandlerWithContext(func(ctx context.Context, r *toolscache.Reflector, err error) {
		i.failed(err)
		toolscache.DefaultWatchErrorHandler(ctx, r, err)
	})
	t.add(i)
	return created
}

func (t *Tracker) add(i *informer) {
	i.since = time.Now()
	i.report = i.since.Add(firstReport)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, i)
}

func (i *informer) failed(err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.err = err
}

func (i *informer) lastError() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.err
}

// name is the kind as group/version/kind.
func (i *informer) name() string {
	return strings.TrimPrefix(fmt.Sprintf("%s/%s/%s", i.kind.Group, i.kind.Version, i.kind.Kind), "/")
}

// waiting returns the informers that have not listed their kind yet, by its name. Those that have
// are forgotten, and those that were removed.
func (t *Tracker) waiting() []*informer {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = slices.DeleteFunc(t.all, func(i *informer) bool { return i.stopped() || i.synced() })
	all := slices.Clone(t.all)
	slices.SortFunc(all, func(a, b *informer) int { return cmp.Compare(a.name(), b.name()) })
	return all
}

// Err returns an error that names the kinds that are not listed yet, each with the last error of
// its list or watch where there was one; nil where all are.
func (t *Tracker) Err() error {
	if t == nil {
		return nil
	}
	waiting := t.waiting()
	if len(waiting) == 0 {
		return nil
	}
	kinds := make([]string, len(waiting))
	for n, i := range waiting {
		kinds[n] = i.name()
		if err := i.lastError(); err != nil {
			kinds[n] += " (" + err.Error() + ")"
		}
	}
	text := "not listed yet: " + strings.Join(kinds, ", ")
	if t.Away != nil {
		if err := t.Away(); err != nil {
			return fmt.Errorf("%s; the control plane does not answer: %w", text, err)
		}
	}
	return errors.New(text)
}

const (
	// firstReport is how long a kind may take before it is reported.
	firstReport = 10 * time.Second
	// tick is the time between two looks.
	tick = 5 * time.Second
	// maxErrors is how many errors are reported at once: where the API server does not answer each
	// kind has one.
	maxErrors = 5
)

// again returns the time to the next report of an informer that was reported so often.
func again(reported int) time.Duration {
	if reported < 2 {
		return time.Minute
	}
	return 5 * time.Minute
}

// Report logs the kinds that are not listed after firstReport, and again ever more rarely, until
// ctx ends.
func (t *Tracker) Report(ctx context.Context, log logr.Logger) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	reported := false
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			waiting := t.waiting()
			switch {
			case due(waiting, now):
				report(log, waiting, now)
				reported = true
			case reported && len(waiting) == 0:
				log.Info("listed all kinds")
				reported = false
			}
		}
	}
}

// due reports whether one of the informers is to be reported, and notes that it is.
func due(waiting []*informer, now time.Time) bool {
	found := false
	for _, i := range waiting {
		if !now.Before(i.report) {
			found = true
			i.reported++
			i.report = now.Add(again(i.reported))
		}
	}
	return found
}

// report logs all kinds in one line, and the errors of some.
func report(log logr.Logger, waiting []*informer, now time.Time) {
	kinds, oldest, errs := make([]string, len(waiting)), now, 0
	for n, i := range waiting {
		kinds[n] = i.name()
		if i.since.Before(oldest) {
			oldest = i.since
		}
	}
	log.Info("waited for kinds to be listed", "kinds", kinds, "waited", now.Sub(oldest).Round(time.Second).String())
	for _, i := range waiting {
		err := i.lastError()
		if err == nil || errs == maxErrors {
			continue
		}
		errs++
		log.Error(err, "could not list or watch a kind", "kind", i.name())
	}
}
