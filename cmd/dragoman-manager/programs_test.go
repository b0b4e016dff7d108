// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestProgramsWithin(t *testing.T) {
	for limit, want := range map[int64]int64{
		math.MaxInt64: 256 << 20,
		1 << 30:       256 << 20,
		600 << 20:     200 << 20,
		100 << 20:     64 << 20,
	} {
		if got := programsWithin(limit); got != want {
			t.Errorf("with a limit of %d MiB: got %d MiB, want %d", limit>>20, got>>20, want>>20)
		}
	}
}

func TestProgramMemoryFlag(t *testing.T) {
	for text, want := range map[string]int64{"128Mi": 128 << 20, "1G": 1_000_000_000} {
		f := &flags{}
		if err := f.programMemory.Set(text); err != nil {
			t.Fatal(err)
		}
		if got, err := f.programs(); got != want || err != nil {
			t.Errorf("--program-memory=%s: got %d, error %v; want %d", text, got, err, want)
		}
	}
	f := &flags{}
	if err := f.programMemory.Set("-1Mi"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.programs(); err == nil || !strings.Contains(err.Error(), "--program-memory: want a positive quantity such as 256Mi, got -1Mi") {
		t.Errorf("got error %v", err)
	}
	cmd := newCommand(nil, prometheus.NewRegistry())
	if err := cmd.ParseFlags([]string{"--program-memory=much"}); err == nil || !strings.Contains(err.Error(), "program-memory") {
		t.Errorf("got error %v; want one that names the flag", err)
	}
}
