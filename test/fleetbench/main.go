// SPDX-License-Identifier: Apache-2.0

// Command fleetbench measures the control plane on a fleet of real API servers: how long
// Deployments take to their members, how many requests each costs, what a restart, an
// idle control plane, one edited policy and a member that hangs cost. It prints figures
// and fails only if something does not arrive at all.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/scenario"
)

func main() {
	o := options{}
	flag.IntVar(&o.templates, "templates", 5000, "Deployments; half as many policies")
	flag.IntVar(&o.members, "members", 2, "members")
	flag.IntVar(&o.nodes, "nodes", 0, "nodes of each member; above 0 only what estimators beside members cost is measured, who place all Deployments")
	flag.DurationVar(&o.idle, "idle", 5*time.Minute, "how long the control plane is watched while nothing happens")
	flag.StringVar(&o.manager, "manager-flags", "", "further flags of the manager, separated by spaces")
	flag.IntVar(&o.times, "times", 1, "how often the chosen phases run, one after the other")
	pattern := flag.String("run", "", "only phases whose name matches this expression, after the first, which always runs once")
	flag.Parse()
	ctrllog.SetLogger(logr.Discard()) // of the clients
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
	templates, members, times int
	// nodes are those of each member; above 0 estimators place all.
	nodes   int
	idle    time.Duration
	manager string
	only    *regexp.Regexp
}

func (o options) run(ctx context.Context) error {
	return scenario.RunLab(ctx, "fleetbench", o.members, fleet.StartAPIServers, func(lab scenario.Lab) error { return o.measure(ctx, lab) })
}

// measure runs the phases.
func (o options) measure(ctx context.Context, lab scenario.Lab) error {
	s, err := newSite(lab.Fleet, lab.Binary, lab.Log, o)
	if err != nil {
		return err
	}
	if err := s.manager.start(ctx); err != nil {
		return err
	}
	defer s.manager.stop()
	if err := s.join(ctx); err != nil {
		return fmt.Errorf("%w; the manager's log is %s", err, s.manager.log)
	}
	fmt.Printf("%d cores, %d members, %d Deployments, %d policies; manager flags: %q\n", runtime.NumCPU(), o.members, o.templates, o.templates/2, o.manager)
	if o.nodes > 0 {
		return s.run(ctx, phase{"schedule by estimators", (*site).schedule})
	}
	if err := s.run(ctx, phases[0]); err != nil {
		return err
	}
	for range o.times {
		for _, p := range phases[1:] {
			if !o.only.MatchString(p.name) {
				continue
			}
			if err := s.run(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// run runs one phase.
func (s *site) run(ctx context.Context, p phase) error {
	fmt.Printf("\n%s\n", p.name)
	if err := p.run(s, ctx); err != nil {
		return fmt.Errorf("phase %s: %w; the manager's log is %s", p.name, err, s.manager.log)
	}
	return nil
}

// phase is a part of the measurement.
type phase struct {
	name string
	run  func(*site, context.Context) error
}

// phases are in the order in which they run; all but the first need what the first made.
var phases = []phase{
	{"create", (*site).create},
	{"annotate all", (*site).annotateAll},
	{"restart", (*site).restart},
	{"restart under changes", (*site).restartUnderChanges},
	{"one policy", (*site).onePolicy},
	{"one override", (*site).oneOverride},
	{"hanging member", (*site).hangingMember},
	{"idle", (*site).watchIdle},
	{"delete all", (*site).deleteAll},
	{"many members", (*site).manyMembers},
}
