// SPDX-License-Identifier: Apache-2.0

// Command flakes runs the tests of packages many times on a busy machine, and reports
// which of them fail sometimes. Without arguments it runs the packages whose tests need
// Kubernetes binaries, which are those that test/packages leaves out of its list short.
//
//	go run ./test/flakes -n 20 -for 40m ./controllers/...
//
// Each package is compiled once. Its program runs in the folder of the package, with the
// environment of this one, and with a random seed for each run. Packages take turns, so
// that all have run about equally often when the time is over or after Ctrl-C. Meanwhile
// processes of this program keep the processors busy. The output of a run that fails is
// kept in bin/flakes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"time"
)

// logs is the folder of the output of runs that failed.
const logs = "bin/flakes"

func main() {
	if len(os.Args) == 2 && os.Args[1] == spinArgument {
		spin(os.Stdin)
		os.Exit(0)
	}
	o := options{}
	flag.IntVar(&o.runs, "n", 20, "runs of each package")
	flag.IntVar(&o.parallel, "parallel", 3, "runs beside each other")
	flag.DurationVar(&o.time, "for", 0, "begin no further run after this time (default no limit)")
	flag.IntVar(&o.load, "load", runtime.NumCPU(), "processes that keep a processor busy each")
	flag.DurationVar(&o.timeout, "timeout", 15*time.Minute, "longest time of a run")
	pattern := flag.String("run", "", "only packages whose path matches this expression")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if o.only, err = regexp.Compile(*pattern); err == nil {
		err = o.run(ctx, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	runs, parallel, load int
	time, timeout        time.Duration
	only                 *regexp.Regexp
}

// run runs the tests of the packages that match the patterns of go list. It returns an
// error if one failed.
func (o options) run(ctx context.Context, patterns []string) error {
	if o.runs < 1 || o.parallel < 1 || o.load < 0 || o.timeout <= 0 {
		return errors.New("-n, -parallel and -timeout must be above zero, and -load not below")
	}
	packages, err := choose(ctx, patterns, o.only)
	if err != nil {
		return err
	}
	programs, err := os.MkdirTemp("", "flakes")
	if err != nil {
		return err
	}
	defer os.RemoveAll(programs)
	for i := range packages {
		fmt.Printf("compile %s\n", packages[i].name())
		if err := packages[i].compile(ctx, programs); err != nil {
			return err
		}
	}
	folder, err := filepath.Abs(logs)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	free, err := burden(o.load)
	if err != nil {
		return err
	}
	defer free()
	t := newTally()
	o.all(ctx, packages, runner{logs: folder, reports: programs, timeout: o.timeout}, t)
	fmt.Print(t.report())
	switch {
	case t.failedRuns > 0:
		return fmt.Errorf("%d of %d runs failed", t.failedRuns, t.runs)
	case t.runs == 0:
		return errors.New("no run has ended")
	}
	return nil
}
