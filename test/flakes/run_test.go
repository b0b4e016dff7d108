// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTurns(t *testing.T) {
	var got []string
	seeds := map[int]bool{}
	for _, j := range turns([]pkg{{path: "a"}, {path: "b"}}, 2) {
		got = append(got, j.pkg.path)
		seeds[j.seed] = true
	}
	if d := cmp.Diff([]string{"a", "b", "a", "b"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if len(seeds) != 4 {
		t.Errorf("got the seeds %v, want another for each run", seeds)
	}
}

// script returns a package whose test program is a shell script.
func script(t *testing.T, text string) pkg {
	p := pkg{path: module + "controllers/a", dir: t.TempDir(), ginkgo: true}
	p.program = filepath.Join(p.dir, "a.test")
	if err := os.WriteFile(p.program, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

// writeReport is the part of a script that writes the report of one spec.
const writeReport = `for a; do case $a in --ginkgo.json-report=*) file=${a#*=};; esac; done
echo '[{"SpecReports": [{"LeafNodeType": "It", "LeafNodeText": "one", "State": "'$state'"}]}]' > $file
`

func TestDo(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   []string
		kept   bool
	}{
		"a run that passes":            {"state=passed\n" + writeReport, []string{"passed one"}, false},
		"a run with a failed spec":     {"state=failed\n" + writeReport + "exit 1", []string{"failed one"}, true},
		"a run that fails beside them": {"state=passed\n" + writeReport + "exit 1", []string{"passed one", "failed outside (the run: exit status 1)"}, true},
		"a run without a report":       {"exit 2", []string{"failed outside (the run: exit status 2)"}, true},
		"a run in another folder":      {"state=passed\n[ -f a.test ] || exit 1\n" + writeReport, []string{"passed one"}, false},
	} {
		p := script(t, c.script)
		r := runner{logs: t.TempDir(), reports: t.TempDir(), timeout: time.Minute}
		j := job{p, 1, 7}
		got, err := r.do(t.Context(), j)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(c.want, parsed(got)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if _, err := os.Stat(r.log(j)); errors.Is(err, fs.ErrNotExist) == c.kept {
			t.Errorf("%s: got %v for the log, want it kept: %v", name, err, c.kept)
		}
	}
}

func TestArguments(t *testing.T) {
	r := runner{timeout: time.Minute}
	for isGinkgo, want := range map[bool]string{
		false: "-test.v=test2json -test.paniconexit0 -test.timeout=1m30s -test.shuffle=7",
		true: "-test.v=test2json -test.paniconexit0 -test.timeout=1m30s -test.shuffle=7 " +
			"--ginkgo.seed=7 --ginkgo.timeout=1m0s --ginkgo.json-report=r.json --ginkgo.no-color",
	} {
		got := strings.Join(r.arguments(job{pkg{ginkgo: isGinkgo}, 1, 7}, "r.json"), " ")
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAllRunsEachPackageEachTime(t *testing.T) {
	p := script(t, "state=passed\n"+writeReport)
	tally := newTally()
	r := runner{logs: t.TempDir(), reports: t.TempDir(), timeout: time.Minute}
	options{runs: 5, parallel: 3}.all(t.Context(), []pkg{p}, r, tally)
	if tally.runs != 5 || tally.specs != 5 || tally.failedRuns != 0 {
		t.Errorf("got\n%swant 5 runs and 5 specs that passed", tally.report())
	}
}

// TestAllStops checks that a run which is stopped is told so, and is not counted.
func TestAllStops(t *testing.T) {
	p := script(t, "trap 'touch stopped; exit 1' INT\ntouch started\nwhile :; do sleep 0.01; done\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(p.dir, "started")); err == nil {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	tally := newTally()
	r := runner{logs: t.TempDir(), reports: t.TempDir(), timeout: time.Minute}
	options{runs: 5, parallel: 1}.all(ctx, []pkg{p}, r, tally)
	if tally.runs != 0 {
		t.Errorf("got %d runs, want none", tally.runs)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "stopped")); err != nil {
		t.Errorf("the program was not told to stop: %v", err)
	}
}
