// SPDX-License-Identifier: Apache-2.0

package quotas

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/equality"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/quota"
)

// New returns a ledger that reads bindings and quotas from a cache, and whose metrics the
// registry serves; nil serves none. Its Start must run for what waits to be notified.
func New(reader client.Reader, c clock.PassiveClock, registry prometheus.Registerer) (*Ledger, error) {
	m, err := newMetrics(registry)
	return &Ledger{
		reader: reader, clock: c, metrics: m, later: func(wait time.Duration, do func()) { time.AfterFunc(wait, do) },
		spaces: map[string]*space{}, consumers: map[string]bool{}, freed: map[string]bool{}, wake: make(chan struct{}, 1),
	}, err
}

// Runner returns what watches a cache for what frees something, and notifies what waits.
func (l *Ledger) Runner(informers cache.Informers) *Runner { return &Runner{l, informers} }

// Runner is a manager.Runnable.
type Runner struct {
	ledger    *Ledger
	informers cache.Informers
}

// Start watches until the context ends.
func (r *Runner) Start(ctx context.Context) error {
	for object, handler := range map[client.Object]toolscache.ResourceEventHandlerFuncs{
		&workv1alpha2.ResourceBinding{}:          r.ledger.onBinding(),
		&policyv1alpha1.FederatedResourceQuota{}: r.ledger.onQuota(),
	} {
		informer, err := r.informers.GetInformer(ctx, object)
		if err != nil {
			return fmt.Errorf("watch %T: %w", object, err)
		}
		if _, err := informer.AddEventHandler(handler); err != nil {
			return fmt.Errorf("watch %T: %w", object, err)
		}
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.ledger.wake:
			r.ledger.notifyFreed(ctx)
		}
	}
}

// onBinding notes what bindings free.
func (l *Ledger) onBinding() toolscache.ResourceEventHandlerFuncs {
	return toolscache.ResourceEventHandlerFuncs{
		UpdateFunc: func(before, after any) {
			was, is := before.(*workv1alpha2.ResourceBinding), after.(*workv1alpha2.ResourceBinding)
			ended := !slices.Equal(binding.Ended(was), binding.Ended(is))
			if was.Generation == is.Generation && was.UID == is.UID && !ended || !l.show(is) {
				return
			}
			if len(quota.Growth(quota.Usage(is), quota.Usage(was))) > 0 {
				l.free(is.Namespace)
			}
			l.again(is, ended)
		},
		DeleteFunc: func(o any) {
			if b, is := last(o).(*workv1alpha2.ResourceBinding); is {
				l.forget(client.ObjectKeyFromObject(b))
			}
		},
	}
}

// onQuota notes that a quota was changed or is gone; a new one frees nothing.
func (l *Ledger) onQuota() toolscache.ResourceEventHandlerFuncs {
	return toolscache.ResourceEventHandlerFuncs{
		UpdateFunc: func(before, after any) {
			was, is := before.(*policyv1alpha1.FederatedResourceQuota), after.(*policyv1alpha1.FederatedResourceQuota)
			if !equality.Semantic.DeepEqual(was.Spec, is.Spec) || was.DeletionTimestamp.IsZero() != is.DeletionTimestamp.IsZero() {
				l.free(is.Namespace)
			}
		},
		DeleteFunc: func(o any) {
			if q, is := last(o).(*policyv1alpha1.FederatedResourceQuota); is {
				l.free(q.Namespace)
			}
		},
	}
}

// last returns the last known version of an object whose deletion was missed.
func last(o any) any {
	if unknown, is := o.(toolscache.DeletedFinalStateUnknown); is {
		return unknown.Obj
	}
	return o
}

// show drops the reservations that a version of a binding shows, and reports whether something
// waits in its namespace.
func (l *Ledger) show(b *workv1alpha2.ResourceBinding) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.spaces[b.Namespace]
	if s == nil {
		return false
	}
	s.current(client.ObjectKeyFromObject(b), b, l.clock.Now())
	if len(s.reserved) == 0 && len(s.waiting) == 0 {
		delete(l.spaces, b.Namespace)
		return false
	}
	return len(s.waiting) > 0
}

// again notifies what waits of a binding and asks for something else than it asked for: of which a copy
// has ended, or runs again; or which has by now what it asked for, since it was refused by a version
// from before its own write.
func (l *Ledger) again(b *workv1alpha2.ResourceBinding, ended bool) {
	for _, notify := range l.waitersOf(b, ended) {
		notify()
	}
}

func (l *Ledger) waitersOf(b *workv1alpha2.ResourceBinding, ended bool) []func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.spaces[b.Namespace]
	if s == nil {
		return nil
	}
	var all []func()
	for consumer := range l.consumers {
		w := s.waiting[waiterKey{consumer: consumer, binding: client.ObjectKeyFromObject(b)}]
		if w != nil && (ended || len(quota.Growth(quota.Usage(b), w.ask.After)) == 0) {
			all = append(all, w.notify)
		}
	}
	return all
}

func (l *Ledger) free(namespace string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notice(namespace)
}

// notice notes that something was freed in a namespace, if somebody waits there.
func (l *Ledger) notice(namespace string) {
	s := l.spaces[namespace]
	if s == nil {
		return
	}
	if len(s.waiting) == 0 {
		if len(s.reserved) == 0 {
			delete(l.spaces, namespace)
		}
		return
	}
	l.freed[namespace] = true
	select {
	case l.wake <- struct{}{}:
	default: // it is going to be looked at
	}
}

// notifyFreed notifies what fits by now in the namespaces in which something was freed.
func (l *Ledger) notifyFreed(ctx context.Context) {
	for _, notify := range l.admissible(ctx) {
		notify()
	}
}

// listAgain is the time after which a namespace that could not be counted is counted again.
const listAgain = time.Second

// admissible returns how to notify the requests that fit by now, in their order.
func (l *Ledger) admissible(ctx context.Context) []func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []func()
	freed := l.freed
	l.freed = map[string]bool{}
	for namespace := range freed {
		s := l.spaces[namespace]
		if s == nil || len(s.waiting) == 0 {
			continue
		}
		limits, err := l.limits(ctx, namespace)
		of, failed := l.bindings(ctx, namespace)
		if err := errors.Join(err, failed); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "could not count what a namespace uses", "namespace", namespace)
			l.later(listAgain, func() { l.free(namespace) })
			continue
		}
		l.dropGone(namespace, of)
		byName := make(map[string]*waiter, len(s.waiting))
		for key, w := range s.waiting {
			byName[name(key)] = w
		}
		for _, ask := range quota.Admissible(limits, of.used.sum(), s.asks(of.used)) {
			all = append(all, byName[ask.Name].notify)
		}
	}
	return all
}

// name returns the name of the ask of a waiter.
func name(k waiterKey) string { return k.binding.String() + "/" + k.consumer }
