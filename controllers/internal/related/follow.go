// SPDX-License-Identifier: Apache-2.0

package related

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
	ctrl "sigs.k8s.io/controller-runtime"
)

const (
	// relist is the least time between two lists of a kind that are made for objects which
	// were dropped.
	relist = 30 * time.Second
	// watchTimeout is how long the server keeps a watch open, in seconds.
	watchTimeout = int64(7 * 60)
)

// errAgain ends a watch after which the objects are listed again.
var errAgain = errors.New("list again")

// run lists and watches until ctx ends. Objects are read in pages, and what is not kept of them
// is in memory for a page only.
func (w *watch) run(ctx context.Context, objects toolscache.ListerWatcherWithContext) {
	failures := 0
	for ctx.Err() == nil {
		version, err := w.list(ctx, objects)
		if err == nil {
			failures = 0
			err = w.follow(ctx, objects, version)
		}
		if errors.Is(err, errAgain) {
			continue
		}
		if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
			ctrl.LoggerFrom(ctx).V(1).Info("could not read related objects", "reason", err.Error())
			w.set(true)
		}
		wait(ctx, nil, min(time.Second<<failures, retry))
		failures = min(failures+1, 5)
	}
}

// list lists all objects, replaces what is kept by what they show, and returns the version of
// the list.
func (w *watch) list(ctx context.Context, objects toolscache.ListerWatcherWithContext) (string, error) {
	w.mu.Lock()
	w.next = newKept(w.declared.Most, w.wants)
	clear(w.missed)
	w.mu.Unlock()
	version := ""
	p := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		page, err := objects.ListWithContext(ctx, o)
		if err != nil {
			return nil, err
		}
		list, err := meta.ListAccessor(page)
		if err != nil {
			return nil, err
		}
		version = list.GetResourceVersion()
		return page, nil
	})
	p.PageBufferSize = 1
	err := p.EachListItem(ctx, metav1.ListOptions{}, func(o runtime.Object) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.put(w.next, o, false)
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("list %s: %w", w.declared.Kind, err)
	}
	w.replace()
	return version, nil
}

// replace replaces what is kept by what was listed.
func (w *watch) replace() {
	w.mu.Lock()
	w.kept, w.next = w.next, nil
	w.unknown, w.missed = w.missed, map[reference]struct{}{}
	w.mu.Unlock()
	w.missing.Store(false)
	w.known()
}

// put puts an object into what is kept, or removes one that is gone.
func (w *watch) put(k *kept, o runtime.Object, gone bool) (changed []reference, short bool) {
	u, ok := o.(*unstructured.Unstructured)
	if !ok {
		return nil, false
	}
	name := types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}
	if gone {
		return k.set(name, nil)
	}
	read := w.declared.Read(u)
	return k.set(name, &read)
}

// follow watches from a version on. It returns errAgain, or why it cannot go on.
func (w *watch) follow(ctx context.Context, objects toolscache.ListerWatcherWithContext, version string) error {
	listed := time.Now()
	for ctx.Err() == nil {
		timeout, begun := watchTimeout, time.Now()
		events, err := objects.WatchWithContext(ctx, metav1.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true, TimeoutSeconds: &timeout})
		if err != nil {
			return fmt.Errorf("watch %s: %w", w.declared.Kind, err)
		}
		version, err = w.receive(ctx, events, version, listed)
		events.Stop()
		if err != nil {
			return err
		}
		if time.Since(begun) < time.Second {
			wait(ctx, nil, time.Second)
		}
	}
	return ctx.Err()
}

// receive takes events until a watch ends, and returns the version of the last one.
func (w *watch) receive(ctx context.Context, events apiwatch.Interface, version string, listed time.Time) (string, error) {
	again := w.again
	var due <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return version, ctx.Err()
		case <-again:
			again, due = nil, time.After(max(0, w.rest-time.Since(listed)))
		case <-due:
			return version, errAgain
		case e, open := <-events.ResultChan():
			if !open {
				if due != nil {
					w.listAgain()
				}
				return version, nil
			}
			if e.Type == apiwatch.Error {
				return version, apierrors.FromObject(e.Object)
			}
			if o, err := meta.Accessor(e.Object); err == nil {
				version = o.GetResourceVersion()
			}
			w.event(e)
		}
	}
}

// event makes one change, and notifies of what scripts can see of it.
func (w *watch) event(e apiwatch.Event) {
	if e.Type == apiwatch.Bookmark {
		return
	}
	w.mu.Lock()
	references, short := w.put(w.kept, e.Object, e.Type == apiwatch.Deleted)
	w.mu.Unlock()
	if short {
		w.listAgain()
	}
	var workloads []types.NamespacedName
	for _, r := range references {
		workloads = append(workloads, types.NamespacedName{Namespace: r.namespace, Name: r.Name})
	}
	if len(workloads) > 0 {
		w.changed(workloads)
	}
}
