// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"bufio"
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cost runs f and returns what it took.
func cost(f func()) Cost {
	debug.FreeOSMemory() // collects, so that nobody else's garbage is collected in f
	memory, began := startPeak(), CPU()
	f()
	return Cost{CPU: CPU() - began, Memory: max(0, peak()-memory)}
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
