// SPDX-License-Identifier: Apache-2.0

// Package eventbudget decides which events of success are written.
//
// An event is a request to the control plane. One that says that something went as it should is worth
// that request while there are few. It is given the namespace, the object and the reason of an event,
// and returns what becomes of it; it writes nothing, keeps no event for later, and knows no controller.
package eventbudget

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"k8s.io/utils/lru"

	"github.com/dragoman-io/dragoman/controllers/internal/metric"
)

// Mode is which events of success are written. It is the value of a flag.
type Mode string

// The modes.
const (
	// All are all, as long as they are no more than 100 a second.
	All Mode = "all"
	// Some are those for which there is room in the budget; the default.
	Some Mode = "some"
	// None is none.
	None Mode = "none"
)

var modes = []string{string(All), string(Some), string(None)}

// String returns the mode.
func (m *Mode) String() string { return string(*m) }

// Set takes the text of a flag.
func (m *Mode) Set(text string) error {
	if !slices.Contains(modes, text) {
		return fmt.Errorf("%q is none of %s", text, strings.Join(modes, ", "))
	}
	*m = Mode(text)
	return nil
}

// Type names the kind of value in help.
func (m *Mode) Type() string { return "mode" }

// Outcome is what becomes of an event, as a label of the metric.
type Outcome string

// The outcomes. An event that is not Written is dropped for good.
const (
	Written Outcome = "written"
	// OverBudget is that of an event beyond what is written of its namespace, or of all.
	OverBudget Outcome = "over_budget"
	// Repeated is that of an event whose object had one of the same reason a short time before.
	Repeated Outcome = "repeated"
)

const (
	// A template with two members has about ten events, so that thirty of them in a namespace are three
	// templates at once.
	namespaceRate, namespaceBurst = 1.0, 30.0
	// Five requests a second are a fortieth of --kube-api-qps.
	totalRate, totalBurst = 5.0, 100.0
	// reserve is how much of the total is left to namespaces that had few events, and by the backlog to
	// what users change.
	reserve = 50.0
	// allRate and allBurst bound what the recorder keeps in memory while the API server is slow.
	allRate, allBurst = 100.0, 1000.0

	// repeatsAfter is for how long an object has no second event of the same reason.
	repeatsAfter = 5 * time.Minute
	// maxNamespaces and maxEvents are how many namespaces and events are remembered. A namespace that
	// was forgotten begins with a full share.
	maxNamespaces, maxEvents = 1024, 8192
)

// Event is an event of success.
type Event struct {
	// Namespace is whose event it is; empty for what has none.
	Namespace string
	// Object is what it is about.
	Object Object
	Reason string
}

// Object identifies an object: by its UID, or by kind and name where that is not known.
type Object struct {
	UID  types.UID
	Kind string
	types.NamespacedName
}

// key is what is remembered of an event.
type key struct {
	object Object
	reason string
}

// Budget decides about the events of a process. It is safe for many goroutines, which it never has wait;
// nil admits none.
type Budget struct {
	mode     Mode
	clock    clock.PassiveClock
	outcomes *prometheus.CounterVec

	mu         sync.Mutex
	total      bucket
	namespaces *lru.Cache // of *bucket by name
	last       *lru.Cache // of time.Time by key
}

// New returns a budget whose metric is in a registry, or nowhere if that is nil. The empty mode is Some.
func New(mode Mode, clk clock.PassiveClock, r prometheus.Registerer) (*Budget, error) {
	outcomes, err := metric.Shared(r, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "dragoman_success_events_total", Help: "Events that say that something went as it should, by what became of them.",
	}, []string{"outcome"}))
	b := &Budget{mode: mode, clock: clk, outcomes: outcomes, namespaces: lru.New(maxNamespaces), last: lru.New(maxEvents)}
	now := clk.Now()
	b.total = bucket{tokens: totalBurst, at: now}
	if mode == All {
		b.total.tokens = allBurst
	}
	return b, err
}

// Admit returns what becomes of an event; the caller writes it if that is Written. backlog is whether
// it is of what a start, a new connection or a change of scripts caused, and not of what a user changed.
func (b *Budget) Admit(e Event, backlog bool) Outcome {
	if b == nil || b.mode == None {
		return OverBudget
	}
	outcome := b.decide(e, backlog)
	b.outcomes.WithLabelValues(string(outcome)).Inc()
	return outcome
}

func (b *Budget) decide(e Event, backlog bool) Outcome {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.Now()
	if b.mode == All {
		if b.total.refill(now, allRate, allBurst); !b.total.take() {
			return OverBudget
		}
		return Written
	}
	k := key{e.Object, e.Reason}
	if last, known := b.last.Get(k); known && now.Sub(last.(time.Time)) < repeatsAfter {
		return Repeated
	}
	own := b.namespace(e.Namespace, now)
	own.refill(now, namespaceRate, namespaceBurst)
	b.total.refill(now, totalRate, totalBurst)
	if b.total.tokens < 1+left(own.tokens, backlog) || !own.take() {
		return OverBudget
	}
	b.total.take()
	b.last.Add(k, now)
	return Written
}

// left returns how much of the total an event leaves to others: nothing while its namespace has its
// whole share, and the more the less it has left of it. So one that had many events does not take what
// one that had none would need. The backlog leaves the whole reserve.
func left(own float64, backlog bool) float64 {
	if backlog {
		return reserve
	}
	return reserve * (1 - own/namespaceBurst)
}

// namespace returns the share of a namespace.
func (b *Budget) namespace(name string, now time.Time) *bucket {
	if found, known := b.namespaces.Get(name); known {
		return found.(*bucket)
	}
	own := &bucket{tokens: namespaceBurst, at: now}
	b.namespaces.Add(name, own)
	return own
}

// bucket is a token bucket: it had so many tokens then.
type bucket struct {
	tokens float64
	at     time.Time
}

// refill adds what has come since, a second and at most.
func (b *bucket) refill(now time.Time, rate, most float64) {
	b.tokens = min(b.tokens+max(now.Sub(b.at).Seconds(), 0)*rate, most)
	b.at = now
}

// take takes one token, and reports whether there was one.
func (b *bucket) take() bool {
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}
