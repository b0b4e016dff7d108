// SPDX-License-Identifier: Apache-2.0

// Package quotas admits what controllers are about to write into bindings, so that
// FederatedResourceQuotas are kept whatever else is being written: one ledger for each process
// knows the writes that the cache does not have yet, and what was refused and waits.
//
// In go a binding as it was read and as it is to be written, out comes a reservation or
// an error that names the quota. What is used is counted from the bindings of the namespace in
// the cache each time, so that there is no sum that could drift. Package quota decides.
package quotas

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/quota"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// Ledger admits changes of bindings. It is safe for many goroutines; nil admits everything.
// Decisions are made one after the other.
type Ledger struct {
	reader  client.Reader
	clock   clock.PassiveClock
	metrics *metrics
	// later calls a function after a time.
	later func(time.Duration, func())

	mu     sync.Mutex
	spaces map[string]*space
	// consumers are those of which a request has ever waited.
	consumers map[string]bool
	// freed are the namespaces in which something was freed; wake has an item if there are any.
	freed map[string]bool
	wake  chan struct{}
}

// space is what is in progress in a namespace.
type space struct {
	reserved map[types.NamespacedName][]*Reservation
	// waiting are the refused requests, by consumer and binding.
	waiting map[waiterKey]*waiter
}

type waiterKey struct {
	consumer string
	binding  types.NamespacedName
}

// waiter is a refused request.
type waiter struct {
	// uid is that of the binding.
	uid    types.UID
	ask    quota.Ask
	notify func()
}

// Request is what a controller is about to write.
type Request struct {
	// Consumer is the name of the controller. It has one request of a binding at a time.
	Consumer string
	// Binding is the version that is changed. The write must fail if there is a later one.
	Binding workv1alpha2.Binding
	// After is what is to be written.
	After workv1alpha2.Binding
	// Since is when the request was first refused, if the binding has that; zero is now.
	Since time.Time
	// Notify has the controller reconcile again, once there is room for what is refused now.
	Notify func()
}

func (r *Request) key() waiterKey {
	return waiterKey{consumer: r.Consumer, binding: client.ObjectKeyFromObject(r.Binding)}
}

// Admit reserves what a write adds to the usage of its namespace. It returns a
// *quota.ExceededError if some quota has too little left: then the request waits, and Notify is
// called when it fits. The reservation must be ended by Done; it is nil where nothing is reserved.
func (l *Ledger) Admit(ctx context.Context, r Request) (*Reservation, error) {
	if l == nil || r.Binding.GetNamespace() == "" {
		return nil, nil
	}
	before, after := quota.Admitted(r.Binding), quota.Admitted(r.After)
	if len(quota.Growth(before, after)) == 0 {
		l.Leave(r.Consumer, client.ObjectKeyFromObject(r.Binding))
		return nil, nil
	}
	start := l.clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	limits, err := l.limits(ctx, r.Binding.GetNamespace())
	if err != nil {
		return nil, err
	}
	if len(limits) == 0 {
		l.leave(r.key())
		return nil, nil
	}
	of, err := l.bindings(ctx, r.Binding.GetNamespace())
	if err != nil {
		return nil, err
	}
	// Of this binding at most one of the writes in progress succeeds, each from its own version.
	of.used[r.key().binding] = before
	l.dropGone(r.Binding.GetNamespace(), of)
	err = l.decide(r, limits, of.used, before, after)
	l.metrics.decided(r.Consumer, err, l.clock.Now().Sub(start))
	if err != nil {
		return nil, err
	}
	return l.reserve(r, quota.Usage(r.After)), nil
}

// decide decides about a request, and has it wait if it is refused.
func (l *Ledger) decide(r Request, limits []quota.Limit, of usages, before, after corev1.ResourceList) error {
	s, key := l.space(r.Binding.GetNamespace()), r.key()
	ask := quota.Ask{Name: name(key), Since: r.Since, Before: before, After: after}
	if p := r.Binding.GetSpec().SchedulePriority; p != nil {
		ask.Priority = p.Priority
	}
	if ask.Since.IsZero() {
		ask.Since = l.clock.Now()
	}
	known := s.waiting[key]
	if known != nil {
		ask.Since = known.ask.Since
	}
	if err := quota.DecideBehind(limits, of.sum(), ask, s.asks(of)); err != nil {
		l.consumers[r.Consumer] = true
		s.waiting[key] = &waiter{uid: r.Binding.GetUID(), ask: ask, notify: r.Notify}
		l.metrics.waits(l.spaces)
		if known != nil && !equality.Semantic.DeepEqual(known.ask.After, after) {
			l.notice(r.Binding.GetNamespace()) // others may have waited for what it asks for no more
		}
		return err
	}
	return nil
}

// Leave ends the wait of a request that is not made any more.
func (l *Ledger) Leave(consumer string, binding types.NamespacedName) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leave(waiterKey{consumer: consumer, binding: binding})
}

// leave ends a wait. What comes behind it may be admitted by that.
func (l *Ledger) leave(key waiterKey) {
	s := l.spaces[key.binding.Namespace]
	if s == nil || s.waiting[key] == nil {
		return
	}
	delete(s.waiting, key)
	l.metrics.waits(l.spaces)
	l.notice(key.binding.Namespace)
}

// limits returns the quotas of a namespace, sorted by name.
func (l *Ledger) limits(ctx context.Context, namespace string) ([]quota.Limit, error) {
	all, err := index.List[*policyv1alpha1.FederatedResourceQuota](ctx, l.reader, &policyv1alpha1.FederatedResourceQuotaList{},
		client.InNamespace(namespace), client.DisableReadYourWritesConsistency)
	if err != nil {
		return nil, fmt.Errorf("list the quotas of namespace %s: %w", namespace, err)
	}
	var limits []quota.Limit
	for _, q := range all {
		if q.DeletionTimestamp == nil {
			limits = append(limits, quota.Limit{Name: client.ObjectKeyFromObject(q).String(), Hard: q.Spec.Overall})
		}
	}
	slices.SortFunc(limits, func(a, b quota.Limit) int { return strings.Compare(a.Name, b.Name) })
	return limits, nil
}

// usages are what the bindings of a namespace use, with what is reserved for them.
type usages map[types.NamespacedName]corev1.ResourceList

func (u usages) sum() corev1.ResourceList {
	sum := corev1.ResourceList{}
	for _, list := range u {
		quota.Add(sum, list)
	}
	return sum
}

// bindings are those of a namespace in the cache: which may wait, and what they use.
type bindings struct {
	// waiting are the uids of those that are not being deleted.
	waiting map[types.NamespacedName]types.UID
	used    usages
}

// bindings counts what the bindings of a namespace use. Of a binding with a write in progress
// it is the larger of both versions.
func (l *Ledger) bindings(ctx context.Context, namespace string) (*bindings, error) {
	// A list of the client would wait for the writes in progress, which are reserved.
	all, err := index.List[*workv1alpha2.ResourceBinding](ctx, l.reader, &workv1alpha2.ResourceBindingList{},
		client.InNamespace(namespace), client.DisableReadYourWritesConsistency)
	if err != nil {
		return nil, fmt.Errorf("list the bindings of namespace %s: %w", namespace, err)
	}
	of := &bindings{waiting: make(map[types.NamespacedName]types.UID, len(all)), used: make(usages, len(all))}
	s := l.spaces[namespace]
	for _, b := range all {
		key, used := client.ObjectKeyFromObject(b), quota.Usage(b)
		if b.DeletionTimestamp == nil {
			of.waiting[key] = b.UID
		}
		if s != nil {
			for _, r := range s.current(key, b, l.clock.Now()) {
				used = quota.Most(used, r.after)
			}
		}
		if len(used) > 0 {
			of.used[key] = used
		}
	}
	return of, nil
}

// dropGone ends the waits of bindings that are gone, are being deleted, or were made again: a request
// that was read before its binding was deleted may come after the event of that.
func (l *Ledger) dropGone(namespace string, of *bindings) {
	s := l.spaces[namespace]
	if s == nil {
		return
	}
	n := len(s.waiting)
	maps.DeleteFunc(s.waiting, func(k waiterKey, w *waiter) bool {
		uid, is := of.waiting[k.binding]
		return !is || uid != w.uid
	})
	if len(s.waiting) < n {
		l.metrics.waits(l.spaces)
		l.notice(namespace)
	}
}

// current returns the reservations of a binding that the cache does not show yet, and drops the
// others.
func (s *space) current(key types.NamespacedName, b *workv1alpha2.ResourceBinding, now time.Time) []*Reservation {
	left := slices.DeleteFunc(s.reserved[key], func(r *Reservation) bool { return r.shownBy(b, now) })
	if len(left) == 0 {
		delete(s.reserved, key)
		return nil
	}
	s.reserved[key] = left
	return left
}

// asks returns what waits, with what each binding uses by now.
func (s *space) asks(of usages) []quota.Ask {
	asks := make([]quota.Ask, 0, len(s.waiting))
	for key, w := range s.waiting {
		ask := w.ask
		ask.Before = of[key.binding]
		asks = append(asks, ask)
	}
	return asks
}

// space returns what is in progress in a namespace.
func (l *Ledger) space(namespace string) *space {
	s := l.spaces[namespace]
	if s == nil {
		s = &space{reserved: map[types.NamespacedName][]*Reservation{}, waiting: map[waiterKey]*waiter{}}
		l.spaces[namespace] = s
	}
	return s
}

// forget drops what is in progress for a binding that is gone.
func (l *Ledger) forget(binding types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.spaces[binding.Namespace]
	if s == nil {
		return
	}
	delete(s.reserved, binding)
	maps.DeleteFunc(s.waiting, func(k waiterKey, _ *waiter) bool { return k.binding == binding })
	l.metrics.waits(l.spaces)
	l.notice(binding.Namespace)
}
