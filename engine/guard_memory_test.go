// SPDX-License-Identifier: Apache-2.0

//go:build !race

package engine

import (
	"errors"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// greedy keeps all that it may take, and prints when it has 31 of its 34 MiB.
const greedy = `function AggregateStatus(o, items)
	local t = {}
	for i = 1, 1e9 do
		if i == 325 then print("full") end
		t[i] = string.rep("x", 1e5)
	end
end`

// TestRunsAtOnceFitIntoTheProcess runs 64 aggregations of 5,000 clusters in a process of
// 1 GiB of its own memory, and has all that are under way wait for each other when they
// are full. Without a bound these are all 64, and the process does not survive it.
func TestRunsAtOnceFitIntoTheProcess(t *testing.T) {
	const variable, heap = "DRAGOMAN_TEST_RUNS_AT_ONCE", int64(1<<30) / 10 * 9
	switch os.Getenv(variable) {
	case "bounded":
		debug.SetMemoryLimit(heap)
		runAtOnce(t, Options{Memory: heap / 6, Print: meeting(4)})
		return
	case "unbounded":
		debug.SetMemoryLimit(heap)
		runAtOnce(t, Options{Print: meeting(64)})
		return
	}
	for _, mode := range []string{"bounded", "unbounded"} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -d 1048576 && exec "$@"`, "sh", os.Args[0], "-test.run", "^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), variable+"="+mode)
		out, err := cmd.CombinedOutput()
		if survived := err == nil; survived != (mode == "bounded") {
			t.Errorf("the process with runs that are %s ended with %v:\n%.2000s", mode, err, out)
		}
		if mode == "unbounded" && !strings.Contains(string(out), "out of memory") && !strings.Contains(string(out), "cannot allocate memory") {
			t.Errorf("the process with runs that are unbounded ended for another reason:\n%.2000s", out)
		}
	}
}

func runAtOnce(t *testing.T, o Options) {
	i := NewInterpreter(o)
	set(i, Embedded, sourceOf("site", AggregateStatus, luaRule(t, AggregateStatus, greedy)))
	items := make([]any, 5_000)
	for k := range items {
		items[k] = map[string]any{"clusterName": "c"}
	}
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			_, err := i.Snapshot().Aggregate(siteIn("web"), items)
			var failure *script.Error
			if !errors.As(err, &failure) || failure.Code != script.Memory {
				t.Errorf("got %v, want an error of code Memory", err)
			}
		})
	}
	all.Wait()
}

// meeting returns a function whose calls wait until there are n.
func meeting(n int) func(script.Position, string) {
	var mu sync.Mutex
	next, waiting := make(chan struct{}), 0
	return func(script.Position, string) {
		mu.Lock()
		all := next
		if waiting++; waiting == n {
			close(next)
			next, waiting = make(chan struct{}), 0
		}
		mu.Unlock()
		<-all
	}
}
