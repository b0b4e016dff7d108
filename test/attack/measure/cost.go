// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"bufio"
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dragoman-io/dragoman/test/attack"
)

// cost runs f and returns what it took.
func cost(f func()) Cost {
	debug.FreeOSMemory() // collects, so that nobody else's garbage is collected in f
	memory, began := startPeak(), CPU()
	f()
	return Cost{CPU: CPU() - began, Memory: max(0, peak()-memory)}
}

// settled runs f once more, in the memory that it took before, and returns its time. The
// first time has to take each page from the system, which cost gave back to see the growth:
// 2,000 to 3,000 faults of 10 microseconds, several times that beside others, and a
// program that runs scripts all day has its pages.
func settled(f func()) time.Duration {
	runtime.GC()
	began := CPU()
	f()
	return CPU() - began
}

// allocated runs f and returns what was allocated meanwhile, on the heap and for the stack
// of this goroutine, which stays as large as f made it until a collection. A stack that
// was large before hides that of f.
func allocated(f func()) Cost {
	before, began := stacks(), CPU()
	heap := attack.Heap(f)
	return Cost{CPU: CPU() - began, Memory: int64(heap) + max(0, stacks()-before)}
}

// stacks returns how many bytes the stacks of all goroutines have.
func stacks() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.StackInuse)
}

// CPU returns the time that all threads of this process took.
func CPU() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// startPeak begins to look for the most memory that this process holds, and returns what
// it holds. Where the kernel cannot begin again it is the most so far.
func startPeak() int64 {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o200)
	return peak()
}

// peak returns the most memory that this process held, in bytes.
func peak() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n << 10
		}
	}
	return 0
}
