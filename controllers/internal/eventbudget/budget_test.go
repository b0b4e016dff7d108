// SPDX-License-Identifier: Apache-2.0

package eventbudget

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
)

func budget(t *testing.T, mode Mode) (*Budget, *clocktesting.FakePassiveClock, *prometheus.Registry) {
	t.Helper()
	clk, r := clocktesting.NewFakePassiveClock(time.Unix(1000, 0)), prometheus.NewRegistry()
	b, err := New(mode, clk, r)
	if err != nil {
		t.Fatal(err)
	}
	return b, clk, r
}

// about returns an event of its own about an object of a namespace.
func about(namespace string, n int) Event {
	return Event{Namespace: namespace, Object: Object{UID: types.UID(namespace + strconv.Itoa(n))}, Reason: "SyncWorkSucceed"}
}

// counted returns what the metric counts, by outcome.
func counted(t *testing.T, r *prometheus.Registry) map[Outcome]int {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[Outcome]int{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			counts[Outcome(m.GetLabel()[0].GetValue())] += int(m.GetCounter().GetValue())
		}
	}
	return counts
}

// TestBudget has events come in steps, and counts which of each step are written.
func TestBudget(t *testing.T) {
	type step struct {
		// after is how much time passes before it.
		after     time.Duration
		namespace string
		// events are how many come, and written how many of these are written.
		events, written int
	}
	for name, tc := range map[string]struct {
		reason string
		mode   Mode
		steps  []step
	}{
		"Quiet":     {"one template has all of its events", Some, []step{{0, "a", 12, 12}, {time.Minute, "a", 12, 12}}},
		"Burst":     {"what is over the share of a namespace is dropped", Some, []step{{0, "a", 1000, 30}}},
		"Refill":    {"a namespace gets one a second", Some, []step{{0, "a", 1000, 30}, {10 * time.Second, "a", 1000, 10}}},
		"Rest":      {"a share does not grow beyond its burst", Some, []step{{0, "a", 1000, 30}, {time.Hour, "a", 1000, 30}}},
		"Another":   {"a burst of one leaves another its share", Some, []step{{0, "a", 1000, 30}, {0, "b", 12, 12}}},
		"Many":      {"of many bursts each gets some, and one that was quiet still its template", Some, []step{{0, "a", 1000, 30}, {0, "b", 1000, 26}, {0, "c", 1000, 17}, {0, "d", 1000, 10}, {0, "e", 1000, 7}, {0, "f", 3, 3}}},
		"Sustained": {"a namespace that never stops gets one a second, and others theirs", Some, []step{{0, "a", 1000, 30}, {time.Second, "a", 100, 1}, {time.Second, "a", 100, 1}, {0, "b", 12, 12}}},
		"Clock":     {"a clock that is set back gives and takes nothing", Some, []step{{0, "a", 1000, 30}, {-time.Hour, "a", 10, 0}, {time.Second, "a", 10, 1}}},
		"Default":   {"the empty mode is some", "", []step{{0, "a", 1000, 30}}},
		"All":       {"all are written, however few namespaces they are of", All, []step{{0, "a", 1000, 1000}, {10 * time.Second, "a", 1000, 1000}}},
		"Flood":     {"all are no more than the recorder can hold", All, []step{{0, "a", 5000, 1000}, {time.Second, "a", 5000, 100}}},
		"None":      {"none is written", None, []step{{0, "a", 12, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			b, clk, r := budget(t, tc.mode)
			n, all := 0, 0
			for i, s := range tc.steps {
				clk.SetTime(clk.Now().Add(s.after))
				written := 0
				for range s.events {
					if n++; b.Admit(about(s.namespace, n), false) == Written {
						written++
					}
				}
				if all += written; written != s.written {
					t.Errorf("%s: in step %d %d of %d events were written, want %d", tc.reason, i, written, s.events, s.written)
				}
			}
			if tc.mode == None {
				n, all = 0, 0 // nobody misses them
			}
			counts := counted(t, r)
			for outcome, want := range map[Outcome]int{Written: all, OverBudget: n - all} {
				if got := counts[outcome]; got != want {
					t.Errorf("the metric counts %d as %s, want %d", got, outcome, want)
				}
			}
		})
	}
}

func TestRepeats(t *testing.T) {
	b, clk, _ := budget(t, Some)
	first, again := about("a", 1), about("a", 1)
	other := again
	other.Reason = "AggregateStatusSucceed"
	unnamed := func(name string) Event {
		return Event{Object: Object{Kind: "Cluster", NamespacedName: types.NamespacedName{Name: name}}, Reason: "TaintClusterSucceed"}
	}
	for i, tc := range []struct {
		reason string
		after  time.Duration
		event  Event
		want   Outcome
	}{
		{"the first", 0, first, Written},
		{"the same again", time.Second, again, Repeated},
		{"another reason", 0, other, Written},
		{"another object", 0, about("a", 2), Written},
		{"an object without a UID", 0, unnamed("one"), Written},
		{"another one", 0, unnamed("two"), Written},
		{"the one again", 0, unnamed("one"), Repeated},
		{"repeats do not put off the next one", 5 * time.Minute, again, Written},
	} {
		clk.SetTime(clk.Now().Add(tc.after))
		if got := b.Admit(tc.event, false); got != tc.want {
			t.Errorf("%d, %s: got %s, want %s", i, tc.reason, got, tc.want)
		}
	}
	all, _, _ := budget(t, All)
	for range 2 {
		if got := all.Admit(first, true); got != Written {
			t.Errorf("of all: got %s", got)
		}
	}
	if got := (*Budget)(nil).Admit(first, false); got != OverBudget {
		t.Errorf("without a budget: got %s", got)
	}
}

func TestBacklog(t *testing.T) {
	b, _, _ := budget(t, Some)
	written := 0
	for i := range 1000 {
		if b.Admit(about(strconv.Itoa(i), i), true) == Written {
			written++
		}
	}
	if written != 50 {
		t.Errorf("%d events of a backlog of 1000 were written, want the first 50", written)
	}
	dropped := about("999", 999)
	if got := b.Admit(dropped, false); got != Written {
		t.Errorf("what a user changes is written beside the backlog, and what was dropped is no repeat: got %s", got)
	}
}

// TestMemory has more namespaces and objects than are remembered.
func TestMemory(t *testing.T) {
	b, clk, _ := budget(t, Some)
	for i := range 3 * maxEvents {
		clk.SetTime(clk.Now().Add(time.Second))
		if got := b.Admit(about(fmt.Sprint(i%(2*maxNamespaces)), i), false); got != Written {
			t.Fatalf("event %d: got %s", i, got)
		}
	}
	if b.namespaces.Len() > maxNamespaces || b.last.Len() > maxEvents {
		t.Errorf("%d namespaces and %d events are remembered", b.namespaces.Len(), b.last.Len())
	}
}

func TestMode(t *testing.T) {
	m := Some
	if err := m.Set("few"); err == nil || m != Some || m.String() != "some" {
		t.Errorf("got %v and %s", err, m)
	}
	if err := m.Set("none"); err != nil || m != None {
		t.Errorf("got %v and %s", err, m)
	}
}
