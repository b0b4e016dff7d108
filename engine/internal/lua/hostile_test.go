// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-io/dragoman/engine/script"
)

// hostileSources are the forms in two sizes: the largest source, which may have too many
// tokens, and the largest that has not.
func hostileSources(name string) map[string]Script {
	form := hostileForms[name]
	size := hostileSize
	sources := map[string]Script{name: {File: "a.lua", Text: form(size)}}
	for n := countTokens(form(size)); n > maxTokens; n = countTokens(form(size)) {
		size = size * maxTokens / n * 99 / 100
	}
	if size < hostileSize {
		sources[name+", as many as may be"] = Script{File: "a.lua", Text: form(size)}
	}
	return sources
}

func countTokens(text string) int {
	s := scanner{text: text, line: 1}
	n := 0
	for t := s.next(); t.kind != tokenEnd; t = s.next() {
		if counts(t) {
			n++
		}
	}
	return n
}

// maxCompileMemory is what a compilation may allocate, garbage included.
const maxCompileMemory = 16 << 20

// TestHostileSources compiles each form, and asserts the memory that it allocates. The
// garbage of quadratic steps was 10 GiB.
func TestHostileSources(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and seconds under the race detector")
	}
	for _, name := range slices.Sorted(maps.Keys(hostileForms)) {
		for title, src := range hostileSources(name) {
			for _, src.Strict = range []bool{false, true} {
				if used := allocated(func() { _, _ = Compile(src, script.Limits{}) }); used > maxCompileMemory {
					t.Errorf("%s, strict %v: compiling allocates %d KiB; want at most %d", title, src.Strict, used>>10, maxCompileMemory>>10)
				}
			}
		}
	}
}

// allocated returns the bytes that f allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// BenchmarkHostile reports what compiling a form takes, in time of the processor: run
// it with GOMAXPROCS=1. The promise is 50 ms.
func BenchmarkHostile(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(hostileForms)) {
		for title, src := range hostileSources(name) {
			for _, src.Strict = range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/strict=%v", title, src.Strict), func(b *testing.B) {
					b.ReportAllocs()
					start := processTime()
					for b.Loop() {
						_, _ = Compile(src, script.Limits{})
					}
					b.ReportMetric(float64(processTime()-start)/float64(b.N)/1e6, "cpu-ms/op")
				})
			}
		}
	}
}

// processTime returns the time that this process took of its processors.
func processTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestCompilationIsBounded(t *testing.T) {
	captures := "local function f()" + manyLocals("a", 150) + strings.Repeat("return function()", 80) + "return " +
		strings.TrimSuffix(strings.TrimPrefix(manyLocals("a", 150), "local "), " ") + strings.Repeat(" end", 81)
	tests := map[string]struct{ source, want string }{
		"tokens at the bound":  {"x={" + strings.Repeat("-a,", maxTokens/2-1) + "}", ""},
		"tokens above it":      {"x={" + strings.Repeat("-a,", maxTokens/2-1) + "\na}", "a.lua:2:1: the script has more than 32768 names, numbers, strings, keywords and operators; divide it into several scripts"},
		"upvalues above":       {captures, "a.lua:1: the functions of the script use more than 10000 variables of the functions around them, counted once for each function"},
		"upvalues below it":    {strings.Replace(strings.Replace(captures, "return function()", "", 20), " end", "", 20), ""},
		"only the first error": {"break " + strings.Repeat("goto a ", 1000), "a.lua:1:7: syntax error near 'goto'"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if _, err := Compile(Script{File: "a.lua", Text: test.source}, script.Limits{}); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got %q; want %q", got, test.want)
			}
		})
	}
}
