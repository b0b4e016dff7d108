// SPDX-License-Identifier: Apache-2.0

package watchdog

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// bubble runs f with a fake clock that advances while all goroutines wait, until the
// goroutines of its watchdogs have ended.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f(t)
		time.Sleep(time.Hour)
	})
}

// task is a Task that is a function.
type task func()

func (f task) Do() { f() }

// stuck is a task that ends when it is released.
type stuck chan struct{}

func (s stuck) Do() { <-s }

func TestATaskThatEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, sum := New(time.Second), 0
		for i := range 100 {
			if out := d.Run(task(func() { sum += i }), time.Second); out.Abandoned != nil || out.Panic != nil {
				t.Fatalf("task %d ended with %+v", i, out)
			}
		}
		if sum != 4950 || d.created != 1 {
			t.Errorf("got the sum %d by %d workers, want 4950 by 1", sum, d.created)
		}
	})
}

func TestATaskThatDoesNotEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, release, begin := New(2*time.Second), make(stuck), time.Now()
		out := d.Run(release, 2*time.Second)
		if out.Abandoned == nil {
			t.Fatal("the task was not abandoned")
		}
		if took := time.Since(begin); took < 2*time.Second || took > 2300*time.Millisecond {
			t.Errorf("it was abandoned after %v, want 2 to 2.3 s", took)
		}
		if stack := out.Abandoned.Stack(); len(stack) == 0 || !strings.Contains(stack[len(stack)-1].Function, "worker).loop") {
			t.Errorf("got the stack %v, want that of the worker", stack)
		}
		select {
		case <-out.Abandoned.Ended():
			t.Error("the task has ended before it was released")
		default:
		}
		if out := d.Run(task(func() {}), time.Second); out.Abandoned != nil {
			t.Error("another task was abandoned")
		}
		close(release)
		<-out.Abandoned.Ended()
		if stack := out.Abandoned.Stack(); stack != nil {
			t.Errorf("a task that has ended has the stack %v", stack)
		}
	})
}

// A task that takes long is not abandoned where its own bound allows it.
func TestABoundIsThatOfItsTask(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := New(2 * time.Second)
		if out := d.Run(task(func() { time.Sleep(time.Minute) }), time.Minute); out.Abandoned != nil {
			t.Error("a task of a minute was abandoned within its bound")
		}
		if out := d.Run(task(func() { time.Sleep(time.Minute) }), 50*time.Second); out.Abandoned == nil {
			t.Error("a task of a minute was not abandoned after 50 s")
		}
	})
}

func TestATaskThatPanics(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := New(time.Second)
		out := d.Run(task(func() { panic("broken") }), time.Second)
		if out.Panic != "broken" || len(out.Stack) == 0 || !strings.Contains(out.Stack[0].Function, "TestATaskThatPanics") {
			t.Errorf("got %q at %+v, want the panic with where it came from first", out.Panic, out.Stack)
		}
		if out := d.Run(task(func() {}), time.Second); out.Panic != nil || d.created != 1 {
			t.Errorf("the next task ended with %+v on worker %d, want worker 1", out, d.created)
		}
	})
}

// TestIdleGoroutinesEnd, which bubble would wait for, and others begin with the next task.
func TestIdleGoroutinesEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := New(time.Second)
		for range 2 {
			d.Run(task(func() {}), time.Second)
			time.Sleep(time.Minute)
			synctest.Wait()
			if len(d.workers) > 0 || d.beating {
				t.Error("a watchdog without tasks keeps goroutines")
			}
		}
		// One task after the other keeps the worker.
		for range 100 {
			d.Run(task(func() {}), time.Second)
			time.Sleep(time.Second)
		}
		if d.created != 3 {
			t.Errorf("%d workers were created, want 3", d.created)
		}
	})
}

// TestManyTasks runs tasks that end and some that do not at once.
func TestManyTasks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, release := New(time.Second), make(stuck)
		var all sync.WaitGroup
		for n := range 8 {
			all.Go(func() {
				for i := range 200 {
					got := 0
					if out := d.Run(task(func() { got = i }), time.Second); out.Abandoned != nil || got != i {
						t.Errorf("task %d of %d gave %d", i, n, got)
					}
				}
				if out := d.Run(release, time.Second); out.Abandoned == nil {
					t.Errorf("the stuck task of %d was not abandoned", n)
				}
			})
		}
		all.Wait()
		close(release)
	})
}

func TestShare(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct{ elapsed, late, want time.Duration }{
		"on time":           {100 * ms, 0, 100 * ms},
		"early":             {99 * ms, -ms, 99 * ms},
		"two busy for one":  {110 * ms, 10 * ms, 55 * ms},
		"ten busy for one":  {190 * ms, 90 * ms, 19 * ms},
		"suspended an hour": {time.Hour + 100*ms, time.Hour, 10 * ms},
	} {
		if got := share(c.elapsed, c.late).Round(ms); got != c.want {
			t.Errorf("%s: %v of %v count, want %v", name, got, c.elapsed, c.want)
		}
	}
}

// A run is not abandoned for time in which the process was suspended.
func TestStarvationIsNoViolation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, release := New(2*time.Second), make(stuck)
		done := make(chan Outcome)
		go func() { done <- d.Run(release, 2*time.Second) }()
		synctest.Wait()
		for range 100 {
			d.beat(share(time.Minute, time.Minute-d.interval))
		}
		close(release)
		if out := <-done; out.Abandoned != nil {
			t.Error("a task was abandoned for time in which nothing ran")
		}
	})
}

func BenchmarkRun(b *testing.B) {
	d, nothing := New(2*time.Second), task(func() {})
	b.Run("serial", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d.Run(nothing, time.Second)
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				d.Run(nothing, time.Second)
			}
		})
	})
}
