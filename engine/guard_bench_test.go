// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine/internal/watchdog"
)

// BenchmarkDeadline asks for the health of an object with and without a deadline and a
// bound of memory, and while another object is in quarantine; the difference is what they
// cost each run.
func BenchmarkDeadline(b *testing.B) {
	object, c := site(map[string]any{"state": "RUNNING"}), dispatchCases["health"]
	for _, o := range []struct {
		name string
		Options
	}{
		{"without", Options{}},
		{"with", Options{Deadline: 2 * time.Second}},
		{"memory", Options{Deadline: 2 * time.Second, Memory: 1 << 30}},
		{"quarantine", Options{Deadline: 2 * time.Second, Memory: 1 << 30}},
	} {
		i := NewInterpreter(o.Options)
		if o.name == "quarantine" {
			i.settings.guard.change(func(q *watchdog.Quarantine) { q.Violated(watchdog.Pair{}, time.Now()) })
		}
		set(i, Embedded, sourceOf("site", c.operation, luaRule(b, c.operation, c.lua)))
		b.Run(o.name+"/serial", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.ask(i.Snapshot(), object); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(o.name+"/parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					if err := c.ask(i.Snapshot(), object); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// BenchmarkInnocent asks about an object while 200 goroutines of another namespace ask about
// objects whose script runs into its bound of gas.
func BenchmarkInnocent(b *testing.B) {
	i := NewInterpreter(Options{Deadline: 2 * time.Second, Memory: 256 << 20})
	set(i, Embedded, sourceOf("site", InterpretHealth, luaRule(b, InterpretHealth,
		"function InterpretHealth(o)\n  while o.metadata.namespace == 'hostile' do end\n  return true\nend")))
	object := func(namespace string) *unstructured.Unstructured {
		o := site(map[string]any{})
		o.SetNamespace(namespace)
		return o
	}
	stop := make(chan struct{})
	var hostile sync.WaitGroup
	for range 200 {
		hostile.Go(func() {
			for o := object("hostile"); ; {
				select {
				case <-stop:
					return
				default:
					_, _ = i.Snapshot().Health(o)
				}
			}
		})
	}
	time.Sleep(time.Second) // until they all wait; with -benchtime 100x, for the first answers say little of the others
	o := object("innocent")
	for b.Loop() {
		if _, err := i.Snapshot().Health(o); err != nil {
			b.Fatal(err)
		}
	}
	close(stop)
	hostile.Wait()
}
