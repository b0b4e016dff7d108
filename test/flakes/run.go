// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	// reportGrace is how much longer than the time limit of Ginkgo, which reports the spec
	// that was running, that of the test program is.
	reportGrace = 30 * time.Second
	// stopGrace is how long a program that is told to stop may take for its servers.
	stopGrace = 30 * time.Second
)

// job is a run of a package. Runs count from 1.
type job struct {
	pkg  pkg
	run  int
	seed int
}

// turns returns the jobs of n runs of each package: all packages, then all again.
func turns(packages []pkg, n int) []job {
	var all []job
	for run := range n {
		for _, p := range packages {
			all = append(all, job{p, run + 1, 1 + rand.IntN(1<<31-1)})
		}
	}
	return all
}

// all runs the packages until all runs are done, the time is over, or ctx is; it prints
// a line for each run that ended. Runs that ctx stopped are not counted.
func (o options) all(ctx context.Context, packages []pkg, r runner, t *tally) {
	var over <-chan time.Time
	if o.time > 0 {
		over = time.After(o.time)
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	free := make(chan struct{}, o.parallel)
	jobs := turns(packages, o.runs)
	for _, j := range jobs {
		select {
		case <-over:
			return
		case <-ctx.Done():
			return
		case free <- struct{}{}:
		}
		wg.Go(func() {
			defer func() { <-free }()
			start := time.Now()
			results, err := r.do(ctx, j)
			if ctx.Err() != nil {
				return
			}
			done, line := t.add(j, results, err)
			fmt.Printf("%d/%d %s in %s\n", done, len(jobs), line, time.Since(start).Round(time.Second))
		})
	}
}

// runner runs test programs.
type runner struct {
	// logs and reports are folders.
	logs, reports string
	timeout       time.Duration
}

// do runs the program of a job and returns what became of its tests. The error is one of
// running it; that tests failed is none. The log is removed if none failed.
func (r runner) do(ctx context.Context, j job) ([]result, error) {
	log, report := r.log(j), filepath.Join(r.reports, fmt.Sprintf("%s-%d.json", j.pkg.file(), j.run))
	out, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	ctx, cancel := context.WithTimeout(ctx, r.timeout+2*reportGrace)
	defer cancel()
	cmd := exec.CommandContext(ctx, j.pkg.program, r.arguments(j, report)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = j.pkg.dir, out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C reaches this program alone
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopGrace
	exit := cmd.Run()
	results, err := read(log, report)
	if err != nil {
		return nil, err
	}
	failed := len(failures(results)) > 0
	switch {
	case exit != nil && !failed:
		results = append(results, result{name: "(the run: " + exit.Error() + ")", failed: true, outside: true})
	case !failed:
		return results, os.Remove(log)
	}
	return results, nil
}

// log returns the file of the output of a job.
func (r runner) log(j job) string {
	return filepath.Join(r.logs, fmt.Sprintf("%s-%d.log", j.pkg.file(), j.run))
}

func (r runner) arguments(j job, report string) []string {
	args := []string{
		"-test.v=test2json", "-test.paniconexit0", fmt.Sprintf("-test.timeout=%s", r.timeout+reportGrace),
		fmt.Sprintf("-test.shuffle=%d", j.seed),
	}
	if j.pkg.ginkgo {
		args = append(args, fmt.Sprintf("--ginkgo.seed=%d", j.seed), "--ginkgo.timeout="+r.timeout.String(),
			"--ginkgo.json-report="+report, "--ginkgo.no-color")
	}
	return args
}

// read reads what a run printed, and the report of its specs if there is one.
func read(log, report string) ([]result, error) {
	printed, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	var specs []result
	text, err := os.ReadFile(report)
	if err == nil {
		specs, err = parseReport(text)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return append(specs, parseTests(string(printed), len(specs) > 0)...), nil
}
