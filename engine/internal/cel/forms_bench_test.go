// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"maps"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/dragoman-io/dragoman/engine/script"
)

// BenchmarkForms compiles each function, operator and macro, repeated in each arrangement
// up to 64 KB, and reports the compilation that takes longest and the one that allocates
// most. The machine must be idle.
func BenchmarkForms(b *testing.B) {
	c := compiler(b)
	forms := append(slices.Clone(operations), callForms(c)...)
	for _, name := range slices.Sorted(maps.Keys(arrangements)) {
		b.Run(name, func(b *testing.B) {
			var (
				longest, largest  float64
				slowForm, bigForm string
			)
			for b.Loop() {
				for _, form := range forms {
					took, made := compilation(c, arrangements[name](form, 64_000))
					if took > longest {
						longest, slowForm = took, form
					}
					if made > largest {
						largest, bigForm = made, form
					}
				}
			}
			b.ReportMetric(longest, "ms-max")
			b.ReportMetric(largest, "MiB-max")
			b.Logf("%s takes longest, %s allocates most", slowForm, bigForm)
		})
	}
}

// compilation returns the milliseconds of a compilation, the least of two, and the MiB that
// it allocates.
func compilation(c *Compiler, source string) (took, made float64) {
	var before, after runtime.MemStats
	took = 1e9
	for range 2 {
		runtime.ReadMemStats(&before)
		start := time.Now()
		_, _ = c.Compile("bench.cel", source, dyn("a"), script.Limits{})
		took = min(took, float64(time.Since(start).Microseconds())/1000)
		runtime.ReadMemStats(&after)
	}
	return took, float64(after.TotalAlloc-before.TotalAlloc) / (1 << 20)
}
