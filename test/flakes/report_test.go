// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTally(t *testing.T) {
	a, b := pkg{path: module + "controllers/a"}, pkg{path: module + "controllers/b"}
	one, two := result{name: "one"}, result{name: "two"}
	lost := func(r result) result { r.failed = true; return r }
	start := result{name: "[BeforeSuite]", outside: true}
	tally := newTally()
	var lines []string
	for _, run := range []struct {
		job     job
		results []result
		err     error
	}{
		{job{a, 1, 11}, []result{start, one, two}, nil},
		{job{b, 1, 12}, []result{lost(one)}, nil},
		{job{a, 2, 21}, []result{start, one, lost(two)}, nil},
		{job{b, 2, 22}, nil, errors.New("no space")},
		{job{a, 3, 31}, []result{start, lost(one), lost(two)}, nil},
		{job{a, 4, 41}, []result{lost(start)}, nil},
	} {
		ended, line := tally.add(run.job, run.results, run.err)
		lines = append(lines, line)
		if ended != len(lines) {
			t.Errorf("run %d: got %d that have ended", len(lines), ended)
		}
	}
	wantLines := []string{
		"controllers/a run 1, seed 11: 2 specs passed",
		"controllers/b run 1, seed 12: FAILED one",
		"controllers/a run 2, seed 21: FAILED two",
		"controllers/b run 2, seed 22: FAILED (the run: no space)",
		"controllers/a run 3, seed 31: FAILED one; two",
		"controllers/a run 4, seed 41: FAILED [BeforeSuite]",
	}
	if d := cmp.Diff(wantLines, lines); d != "" {
		t.Errorf("lines (-want +got):\n%s", d)
	}
	want := `
controllers/a: two
	failed 2 of 3
	seed 21, bin/flakes/controllers-a-2.log
	seed 31, bin/flakes/controllers-a-3.log

controllers/a: [BeforeSuite]
	failed 1 of 4
	seed 41, bin/flakes/controllers-a-4.log

controllers/a: one
	failed 1 of 3
	seed 31, bin/flakes/controllers-a-3.log

controllers/b: (the run: no space)
	failed 1 of 1
	seed 22, bin/flakes/controllers-b-2.log

controllers/b: one
	failed 1 of 1
	seed 12, bin/flakes/controllers-b-1.log

2 packages, 6 runs, 5 failed (83.3 %); 7 specs, 4 failed (57.1 %)
`
	if d := cmp.Diff(want, tally.report()); d != "" {
		t.Errorf("report (-want +got):\n%s", d)
	}
}

func TestReportOfNothing(t *testing.T) {
	want := "\n0 packages, 0 runs, 0 failed (nothing ran); 0 specs, 0 failed (nothing ran)\n"
	if got := newTally().report(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
