// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine/internal/watchdog"
	"github.com/dragoman-io/dragoman/engine/script"
)

// blocking is a program that the limits do not end: it runs until it is released.
type blocking struct{ release chan struct{} }

func newBlocking() *Rule {
	return &Rule{Program: blocking{make(chan struct{})}, Origin: "bundle site"}
}

func (p blocking) Run(_ *script.Call, d script.Decoder) (script.Usage, error) {
	<-p.release
	return script.Usage{Gas: 1}, d.Decode([]any{true}, nil)
}

func (p blocking) Size() int64 { return 0 }

// release ends the runs of a rule of newBlocking, also those to come.
func release(r *Rule) { close(r.Program.(blocking).release) }

// guarded is an interpreter with a deadline of 2 s by a fake clock, and what it reported.
type guarded struct {
	*testing.T
	*Interpreter
	mu        sync.Mutex
	runs      []Run
	abandoned []AbandonedRun
	ended     int
}

// withGuard calls f with an interpreter and its rule for the health of Sites, made by
// newRule. The clock of f advances while all goroutines wait.
func withGuard(t *testing.T, newRule func() *Rule, f func(g *guarded, rule *Rule)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		g := &guarded{T: t}
		g.Interpreter = NewInterpreter(Options{
			Deadline: 2 * time.Second,
			Observe: func(r Run) {
				g.mu.Lock()
				defer g.mu.Unlock()
				g.runs = append(g.runs, r)
			},
			Abandoned: func(r AbandonedRun) (ended func()) {
				g.mu.Lock()
				defer g.mu.Unlock()
				g.abandoned = append(g.abandoned, r)
				return func() {
					g.mu.Lock()
					defer g.mu.Unlock()
					g.ended++
				}
			},
		})
		rule := newRule()
		g.use(rule)
		f(g, rule)
		time.Sleep(24 * time.Hour) // until the goroutines of the guard end
	})
}

func (g *guarded) use(rule *Rule) {
	set(g.Interpreter, Embedded, sourceOf("site", InterpretHealth, rule))
}

// siteIn returns a Site in a namespace; "" is none.
func siteIn(namespace string) *unstructured.Unstructured {
	object := site(map[string]any{"state": "RUNNING"})
	object.SetNamespace(namespace)
	return object
}

// health asks for the health of the Site of a namespace, and returns the message of the
// error, which must be of the code Deadline.
func (g *guarded) health(namespace string) string {
	g.Helper()
	_, err := g.Snapshot().Health(siteIn(namespace))
	var failure *script.Error
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &failure) || failure.Code != script.Deadline:
		g.Errorf("got %v, want an error of code Deadline", err)
	}
	return err.Error()
}

// fails asserts that the health of the Site of a namespace is an error with this text.
func (g *guarded) fails(namespace, want string) {
	g.Helper()
	if got := g.health(namespace); want == "" && got != "" || !strings.Contains(got, want) {
		g.Errorf("the health of the Site of %q ended with %q, want %q", namespace, got, want)
	}
}

const tookLonger = "InterpretHealth by bundle site: the run for Site web/home took longer than 2s and was abandoned; this is a defect of the engine"

func TestRunPastItsDeadline(t *testing.T) {
	withGuard(t, newBlocking, func(g *guarded, rule *Rule) {
		begin := g.settings.Clock.Now()
		g.fails("web", tookLonger)
		if took := g.settings.Clock.Since(begin); took < 2*time.Second || took > 2300*time.Millisecond {
			t.Errorf("the caller waited %v, want 2 to 2.3 s", took)
		}
		if len(g.runs) != 1 || g.runs[0].Err == nil || g.runs[0].Rule != rule {
			t.Errorf("observed %+v, want the run with its error", g.runs)
		}
		if len(g.abandoned) != 1 {
			t.Fatalf("reported %+v, want one run", g.abandoned)
		}
		got := g.abandoned[0]
		want := AbandonedRun{Operation: InterpretHealth, Kind: siteKind, Rule: rule, Entry: "InterpretHealth", Namespace: "web", Name: "home", Err: got.Err}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b *Rule) bool { return a == b })); diff != "" {
			t.Errorf("the report (-want +got):\n%s", diff)
		}
		if !strings.Contains(got.Err.Backtrace(), "guard_test.go:") || !strings.Contains(got.Err.Backtrace(), "engine.blocking.Run") {
			t.Errorf("got the stack\n%swant that of the run", got.Err.Backtrace())
		}

		g.fails("web", "not run for the Site of namespace web, because a run that was abandoned at its deadline has not ended")
		release(rule)
		synctest.Wait()
		if len(g.runs) != 2 || g.ended != 1 {
			t.Errorf("observed %d runs and %d ends, want 2 and 1: the late result is dropped", len(g.runs), g.ended)
		}
		g.fails("web", "")
	})
}

func TestRulesAreQuarantined(t *testing.T) {
	withGuard(t, newBlocking, func(g *guarded, rule *Rule) {
		violate := func() {
			g.fails("web", tookLonger)
			release(rule)
			synctest.Wait()
			rule.Program = newBlocking().Program
		}
		for range 3 {
			violate()
		}
		begin := g.settings.Clock.Now()
		g.fails("web", "quarantined until "+begin.Add(time.Minute-100*time.Millisecond).UTC().Format("2006-01-02T15:04"))
		if took := g.settings.Clock.Since(begin); took != 0 {
			t.Errorf("the refusal took %v, want that it comes at once", took)
		}
		release(rule)
		g.fails("mail", "")
		g.fails("", "")
		time.Sleep(time.Minute)
		g.fails("web", "")

		rule.Program = newBlocking().Program
		violate()
		g.fails("web", "quarantined until")
		next := newBlocking()
		release(next)
		g.use(next)
		g.fails("web", "")
	})
}

func TestObjectsWithoutNamespaceAreQuarantinedByName(t *testing.T) {
	withGuard(t, newBlocking, func(g *guarded, rule *Rule) {
		g.fails("", "the run for Site home took longer than 2s")
		g.fails("", "not run for the Site of name home")
		release(rule)
		other := siteIn("")
		other.SetName("other")
		if _, err := g.Snapshot().Health(other); err != nil {
			t.Errorf("another Site without a namespace: %v", err)
		}
	})
}

func TestRulesWithViolationsAreRefusedUnderSaturation(t *testing.T) {
	withGuard(t, newBlocking, func(g *guarded, rule *Rule) {
		g.settings.guard.quarantine = watchdog.NewQuarantine(2)
		g.fails("a", "took longer than 2s")
		g.fails("b", "took longer than 2s")
		g.fails("c", "not run, because too many runs that were abandoned at their deadline have not ended, of this script or others of bundle site")
		other := newBlocking()
		other.Origin = "bundle other"
		release(other)
		g.use(other)
		g.fails("c", "")

		release(rule)
		synctest.Wait()
		g.use(rule)
		g.fails("c", "")
	})
}

// A run has time for its gas, which grows with the status items.
func TestTheDeadlineGrowsWithGas(t *testing.T) {
	slow := func() *Rule { return &Rule{Origin: "bundle site", Program: sleeping(5 * time.Second)} }
	withGuard(t, slow, func(g *guarded, slow *Rule) {
		set(g.Interpreter, Embedded, sourceOf("aggregate", AggregateStatus, slow))
		items := make([]any, 5_000)
		for i := range items {
			items[i] = map[string]any{"clusterName": "c"}
		}
		if _, err := g.Snapshot().Aggregate(siteIn("web"), items); err != nil {
			t.Errorf("5 s for 5.2 million units of gas ended with %v", err)
		}
		g.fails("web", tookLonger)
	})
}

// sleeping is a program that takes so long.
type sleeping time.Duration

func (p sleeping) Run(c *script.Call, d script.Decoder) (script.Usage, error) {
	time.Sleep(time.Duration(p))
	return script.Usage{}, d.Decode([]any{c.Args[0]}, nil)
}

func (p sleeping) Size() int64 { return 0 }

// panicking is a program with a defect that it does not contain.
type panicking struct{}

func (panicking) Run(*script.Call, script.Decoder) (script.Usage, error) { panic("broken") }

func (panicking) Size() int64 { return 0 }

func TestPanicsAreContained(t *testing.T) {
	broken := func() *Rule { return &Rule{Origin: "bundle site", Program: panicking{}} }
	withGuard(t, broken, func(g *guarded, _ *Rule) {
		_, err := g.Snapshot().Health(siteIn("web"))
		var failure *script.Error
		if !errors.As(err, &failure) || failure.Code != script.Internal || !strings.Contains(failure.Backtrace(), "engine.panicking.Run") {
			t.Errorf("got %v, want an error of code Internal with its stack", err)
		}
	})
}

// Each run returns its own answer, whatever was abandoned before.
func TestRunsDoNotShareAnything(t *testing.T) {
	withGuard(t, newBlocking, func(g *guarded, stuck *Rule) {
		set(g.Interpreter, Embedded, sourceOf("replicas", InterpretReplica, luaRule(t, InterpretReplica, "function GetReplicas(o) return o.spec.replicas end")))
		var all sync.WaitGroup
		for n := range 8 {
			all.Go(func() {
				if n%2 == 0 {
					g.health("web")
				}
				for i := range int64(200) {
					got, err := g.Snapshot().Replicas(site(map[string]any{"replicas": i}))
					if err != nil || int64(got.Count) != i {
						t.Errorf("got %+v, %v; want %d", got, err, i)
					}
				}
			})
		}
		all.Wait()
		release(stuck)
	})
}

// Runs wait while those under way may take all memory.
func TestMemoryOfRunsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rule := newBlocking()
		i := NewInterpreter(Options{Memory: 2*script.DefaultLimits().Memory + 1})
		set(i, Embedded, sourceOf("site", InterpretHealth, rule))
		var all sync.WaitGroup
		var ended atomic.Int32
		for range 3 {
			all.Go(func() {
				if _, err := i.Snapshot().Health(siteIn("web")); err != nil {
					t.Error(err)
				}
				ended.Add(1)
			})
		}
		synctest.Wait()
		if i.settings.guard.memory.TryAcquire(1 + 1) {
			t.Error("two runs do not take their memory")
		}
		release(rule)
		all.Wait()
		if ended.Load() != 3 || !i.settings.guard.memory.TryAcquire(2*script.DefaultLimits().Memory+1) {
			t.Errorf("%d runs ended, want 3, and none to keep memory", ended.Load())
		}
	})
}
