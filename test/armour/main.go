// SPDX-License-Identifier: Apache-2.0

// Command armour attacks a running control plane, and measures what its other users see
// of it: a fleet with real API servers, and a manager that may have 1 GiB of memory. In
// each phase hostile objects or scripts are created, and then a hundred innocent
// templates, one after the other; it prints how long each took from its creation to its
// copy in the member. It fails if the manager ends, or if a template takes longer than
// 30 seconds.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/scenario"
)

func main() {
	o := options{}
	flag.IntVar(&o.templates, "templates", 100, "innocent templates in each phase")
	pattern := flag.String("run", "", "only phases whose name matches this expression")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if o.only, err = regexp.Compile(*pattern); err == nil {
		err = o.run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	templates int
	only      *regexp.Regexp
}

func (o options) run(ctx context.Context) error {
	return scenario.RunLab(ctx, "armour", 1, fleet.Start, func(lab scenario.Lab) error { return o.attack(ctx, lab) })
}

// attack runs the phases against a manager, and judges them.
func (o options) attack(ctx context.Context, lab scenario.Lab) error {
	m := &manager{binary: lab.Binary, kubeconfig: lab.Fleet.ControlPlane.Kubeconfig, log: lab.Log}
	if err := m.start(); err != nil {
		return err
	}
	defer m.stop()
	s, err := prepare(ctx, lab.Fleet)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, m.tail())
	}
	results, err := o.phases(ctx, s, m)
	show(os.Stdout, results)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, m.tail())
	}
	if err := judge(results); err != nil {
		return fmt.Errorf("%w\n%s", err, m.tail())
	}
	return nil
}

// phases runs each phase, the first without any attack. A manager that ended is started
// again, so that the phases behind are seen too.
func (o options) phases(ctx context.Context, s *site, m *manager) ([]result, error) {
	var results []result
	for _, p := range phases() {
		if !o.only.MatchString(p.name) && p.name != quiet {
			continue
		}
		fmt.Printf("phase: %s\n", p.name)
		r, err := s.phase(ctx, m, p, o.templates)
		results = append(results, r)
		if err != nil {
			return results, fmt.Errorf("phase %s: %w", p.name, err)
		}
		if r.ended {
			if err := m.start(); err != nil {
				return results, err
			}
		}
	}
	return results, nil
}
