// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"
	"time"

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
