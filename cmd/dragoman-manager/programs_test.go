// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		flag quantity
		heap int64
		want int64
	}{
		{heap: 0, want: 256},
		{heap: 1024, want: 256},
		{heap: 600, want: 200},
		{heap: 100, want: 64},
		{flag: 128 << 20, heap: 1024, want: 128},
	} {
		f := &flags{programMemory: c.flag}
		if got := f.programs(c.heap << 20); got != c.want<<20 {
			t.Errorf("with a heap of %d MiB and the flag %q: got %d MiB, want %d", c.heap, f.programMemory.String(), got>>20, c.want)
		}
	}
}

func TestProgramMemoryFlag(t *testing.T) {
	for text, want := range map[string]quantity{"128Mi": 128 << 20, "1G": 1_000_000_000} {
		f := &flags{}
		if err := f.programMemory.Set(text); err != nil || f.programMemory != want {
			t.Errorf("--program-memory=%s: got %d, error %v; want %d", text, f.programMemory, err, want)
		}
	}
	for _, text := range []string{"-1Mi", "0", "much"} {
		cmd := newCommand(nil, prometheus.NewRegistry())
		if err := cmd.ParseFlags([]string{"--program-memory=" + text}); err == nil || !strings.Contains(err.Error(), "program-memory") {
			t.Errorf("--program-memory=%s: got error %v; want one that names the flag", text, err)
		}
	}
}
