// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"

	"github.com/dragoman-io/dragoman/controllers"
)

// lead is what a process knows of its lease. A leader that stood still (its processor was taken
// away, its machine was paused) goes on with what it had queued before it finds out that
// another leads by now, and what it writes then is a second copy of what has moved meanwhile.
// So each write asks here first. It is safe for many goroutines.
type lead struct {
	clock clock.PassiveClock
	// limit is for how long a renewal holds: less than others wait, for what is on its way.
	limit time.Duration

	mu sync.Mutex
	// renewed is when the last request that renewed the lease began; zero before the first.
	renewed time.Time
	// ended means that the lease was given up.
	ended bool
	// term is what this process wrote into the lease last.
	term controllers.Term
	// formers are the terms before it; until this process has the lease, those before the one
	// that it would begin.
	formers []controllers.Term
}

// Term returns the term of this process as it is in the lease.
func (l *lead) Term() controllers.Term {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.term
}

// Formers returns the terms before it, newest first.
func (l *lead) Formers() []controllers.Term {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.formers
}

// follow records the terms before the one that this process would begin, as the lease was read.
func (l *lead) follow(terms []controllers.Term) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.term.Holder == "" {
		l.formers = terms
	}
}

// write records that the lease was written.
func (l *lead) write(record resourcelock.LeaderElectionRecord) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.term = termOf(&record)
}

// termOf returns the term that a lease says.
func termOf(r *resourcelock.LeaderElectionRecord) controllers.Term {
	return controllers.Term{Holder: r.HolderIdentity, Acquired: r.AcquireTime.Time, Renewed: r.RenewTime.Time}
}

// mayWrite returns why nothing may be written. A process that never led may: the controllers that
// need no lead are all that it runs.
func (l *lead) mayWrite() error {
	now := l.clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	// A clock that stops with the machine is not enough, and one that is set neither.
	since := max(now.Sub(l.renewed), now.Round(0).Sub(l.renewed.Round(0)))
	switch {
	case l.renewed.IsZero():
		return nil
	case l.ended:
		return fmt.Errorf("nothing is written: this manager has given up its lease, and another one may lead")
	case since >= l.limit:
		return fmt.Errorf("nothing is written: the lease was not renewed for %s, and another manager may lead", since.Round(time.Millisecond))
	}
	return nil
}

// set records that the lease was renewed by a request that began then.
func (l *lead) set(began time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewed = began
}

func (l *lead) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
}

// guard has requests that write ask whether they may, at the last moment.
func (l *lead) guard(next http.RoundTripper) http.RoundTripper { return guarded{l, next} }

// guarded is a transport whose writes need the lead.
type guarded struct {
	lead *lead
	next http.RoundTripper
}

// RoundTrip refuses a request that writes once the lead was lost.
func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	switch r.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions:
	default:
		if err := g.lead.mayWrite(); err != nil {
			if r.Body != nil {
				_ = r.Body.Close()
			}
			return nil, err
		}
	}
	return g.next.RoundTrip(r)
}

// WrappedRoundTripper returns the transport that makes the requests.
func (g guarded) WrappedRoundTripper() http.RoundTripper { return g.next }

// lock returns the lease of an election, whose renewals are recorded in l.
func (l *lead) lock(e *election, config *rest.Config, scheme *runtime.Scheme) (resourcelock.Interface, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("name this manager: %w", err)
	}
	id := host + "_" + string(uuid.NewUUID())
	// One request that hangs must not lose the lead. It is for the lease alone: it would end each
	// watch, too.
	config = rest.AddUserAgent(rest.CopyConfig(config), "leader-election")
	config.Timeout = max(e.renew/2, time.Second)
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("reach the control plane: %w", err)
	}
	events := record.NewBroadcaster() // until the process ends
	events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: clients.CoreV1().Events(e.namespace)})
	return l.lockOf(clients.CoordinationV1(), e.namespace, resourcelock.ResourceLockConfig{
		Identity: id, EventRecorder: events.NewRecorder(scheme, corev1.EventSource{Component: id}),
	}), nil
}

// lockOf returns the lease in a namespace.
func (l *lead) lockOf(client coordinationv1client.LeasesGetter, namespace string, config resourcelock.ResourceLockConfig) *recordedLock {
	return &recordedLock{lead: l, Interface: &resourcelock.LeaseLock{
		LeaseMeta: metav1.ObjectMeta{Namespace: namespace, Name: leaseName}, LockConfig: config,
		Client: termLeases{client, l, config.Identity},
	}}
}

// recordedLock records when the lease was renewed.
type recordedLock struct {
	resourcelock.Interface
	lead *lead
}

// Create creates the lease.
func (r *recordedLock) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return r.write(ctx, record, r.Interface.Create)
}

// Update takes, renews or gives up the lease.
func (r *recordedLock) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return r.write(ctx, record, r.Interface.Update)
}

func (r *recordedLock) write(ctx context.Context, record resourcelock.LeaderElectionRecord, write func(context.Context, resourcelock.LeaderElectionRecord) error) error {
	if record.HolderIdentity != r.Identity() {
		r.lead.end()
		// Who leads next knows by it whose term has ended: the name of the holder goes.
		record.AcquireTime.Time = r.lead.Term().Acquired
		return write(ctx, record)
	}
	began := r.lead.clock.Now()
	err := write(ctx, record)
	if err == nil {
		r.lead.set(began)
		r.lead.write(record)
	}
	return err
}
