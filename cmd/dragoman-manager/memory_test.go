// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

const mebibyte = 1 << 20

// limiting returns a source with a limit or an error.
func limiting(name string, limit int64, err error) source {
	return source{name, func() (int64, error) { return limit, err }}
}

func TestMemoryLimit(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		reason   string
		flag     quantity
		variable string
		sources  []source
		want     memory
		err      string
	}{
		"None":      {reason: "nothing limits it", want: memory{0, "none"}},
		"Unlimited": {reason: "no source limits it", sources: []source{limiting("cgroup", 0, memlimit.ErrNoLimit)}, want: memory{0, "none"}},
		"Least": {
			reason:  "the least limit counts",
			sources: []source{limiting("cgroup", 1000*mebibyte, nil), limiting("RLIMIT_DATA", 500*mebibyte, nil), limiting("RLIMIT_AS", 2000*mebibyte, nil)},
			want:    memory{450 * mebibyte, "RLIMIT_DATA"},
		},
		"Flag": {
			reason: "the flag replaces what was found", flag: 200 * mebibyte, variable: "100MiB",
			sources: []source{limiting("cgroup", 100*mebibyte, nil)}, want: memory{180 * mebibyte, "--memory-limit"},
		},
		"Variable": {
			reason: "Go took GOMEMLIMIT when the process started", variable: "100MiB",
			sources: []source{limiting("cgroup", 1, nil)}, want: memory{100 * mebibyte, "GOMEMLIMIT"},
		},
		"Unread": {
			reason:  "a source that cannot be read does not count",
			sources: []source{limiting("cgroup", 0, broken), limiting("RLIMIT_AS", 1000*mebibyte, nil)},
			want:    memory{900 * mebibyte, "RLIMIT_AS"}, err: "read the memory limit of cgroup: broken",
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := debug.SetMemoryLimit(-1)
			t.Cleanup(func() { debug.SetMemoryLimit(before) })
			t.Setenv("GOMEMLIMIT", c.variable)
			atStart := int64(math.MaxInt64)
			if c.variable != "" {
				atStart = 100 * mebibyte
			}
			debug.SetMemoryLimit(atStart)
			got, err := limitMemory(c.flag, c.sources...)
			if got != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
				t.Errorf("%s: got %+v, %v; want %+v, %q", c.reason, got, err, c.want, c.err)
			}
			limit := c.want.limit
			if limit == 0 {
				limit = math.MaxInt64
			}
			if set := debug.SetMemoryLimit(-1); set != limit {
				t.Errorf("%s: the heap is limited to %d bytes, want %d", c.reason, set, limit)
			}
		})
	}
}

// TestMemorySources reads what limits this process, whatever that is.
func TestMemorySources(t *testing.T) {
	for _, s := range memorySources() {
		limit, err := s.read()
		if err != nil && !errors.Is(err, memlimit.ErrNoLimit) || err == nil && limit <= 0 {
			t.Errorf("%s: got %d, %v; want a limit or none", s.name, limit, err)
		}
	}
}

func TestQuantity(t *testing.T) {
	for text, want := range map[string]quantity{"512Mi": 512 * mebibyte, "1000000": 1000000, "1G": 1e9, "0": 0, "-1": 0, "many": 0, "": 0} {
		var q quantity
		err := q.Set(text)
		if q != want || (err == nil) != (want > 0) {
			t.Errorf("%q: got %d, %v; want %d", text, q, err, want)
		}
		if err == nil {
			var again quantity
			if err := again.Set(q.String()); err != nil || again != q {
				t.Errorf("%q: %s reads as %d, %v", text, q.String(), again, err)
			}
		}
	}
}

// TestALimitOfAddresses counts only those that the process has not reserved already.
func TestALimitOfAddresses(t *testing.T) {
	const variable = "DRAGOMAN_TEST_LIMIT_OF_ADDRESSES"
	if os.Getenv(variable) != "" {
		m, err := leastOf(memorySources())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("source=%s below 1 GiB=%v", m.source, m.limit < 1<<30)
		return
	}
	out := runLimited(t, "ulimit -v 2000000", variable)
	if !strings.Contains(out, "source=RLIMIT_AS below 1 GiB=true") {
		t.Errorf("of 2 GB of addresses, of which a Go program reserves more than 1 GB at its start, got\n%s", out)
	}
}

// runLimited runs the calling test in a process of its own with a limit and a variable set,
// and returns what it prints.
func runLimited(t *testing.T, limit, variable string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", limit+` && exec "$@"`, "sh", os.Args[0], "-test.v", "-test.run", "^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), variable+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	return string(out)
}
