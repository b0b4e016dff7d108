// SPDX-License-Identifier: Apache-2.0

// Command chaos moves applications between the members of a fleet again and again, while
// both managers, the API servers of the control plane and of the members, and etcd are killed
// and stopped at random moments. A checker reads the store of all clusters, write by write,
// and knows nothing of the managers. The command fails if a state or a copy was lost, or if
// two copies were there at once where one must go first.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/scenario"
)

func main() {
	o := options{}
	flag.IntVar(&o.applications, "applications", 20, "applications; half of them move Directly, the others Gracefully")
	flag.IntVar(&o.failovers, "failovers", 5, "how often each application moves")
	flag.DurationVar(&o.limit, "limit", 20*time.Minute, "how long all may take once the fleet runs")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the faults and of what the applications do")
	flag.Parse()
	ctrllog.SetLogger(logr.Discard()) // of the clients
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	applications, failovers int
	limit                   time.Duration
	seed                    uint64
	// flags are those of the managers, beside those that each needs.
	flags []string
}

// members is how many members there are.
const members = 3

func (o options) run(ctx context.Context) error {
	return scenario.RunLab(ctx, "chaos", members, fleet.StartAPIServers, func(lab scenario.Lab) error {
		r, run, err := o.chaos(ctx, lab)
		r.print(os.Stdout, run)
		return err
	})
}

// chaos runs all applications and the faults, and returns what was seen. The error names the
// seed and the folder of the logs; without an error nothing went wrong.
func (o options) chaos(ctx context.Context, lab scenario.Lab) (summary, circumstances, error) {
	ctx, cancel := context.WithTimeout(ctx, o.limit)
	defer cancel()
	run := circumstances{seed: o.seed}
	s, err := newSite(lab, o.flags)
	if err != nil {
		return summary{}, run, err
	}
	began := time.Now()
	err = s.setUp(ctx)
	if err == nil {
		err = s.suffering(ctx, o, &run)
	}
	s.stop()
	err = errors.Join(err, s.panics())
	r := s.ledger.summarize()
	run.took = time.Since(began)
	if n := r.violations(); n > 0 {
		err = errors.Join(err, fmt.Errorf("%d violations", n))
	}
	if err != nil {
		err = fmt.Errorf("seed %d: %w; logs are in %s", o.seed, err, s.logs)
	}
	return r, run, err
}

// suffering moves the applications while faults happen, and waits until all are well.
func (s *site) suffering(ctx context.Context, o options, run *circumstances) error {
	faulting, end := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- s.disturbAll(faulting, o.seed) }()
	s.moveAll(ctx, o)
	end()
	failed := <-ended
	s.rest(ctx, o.applications)
	for _, r := range s.replicas {
		run.ends += r.ends()
	}
	var err error
	run.leaders, err = s.leaders(ctx)
	return errors.Join(failed, err)
}
