// SPDX-License-Identifier: Apache-2.0

// Command kills ends the manager again and again at random moments while templates are
// created, edited and deleted, and compares what is left with a run in which it was left
// alone: objects of the control plane and of all members. It fails if they differ. With two
// managers, it has the lead handed over, and API servers that are away for a while.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/go-logr/logr"
	gocmp "github.com/google/go-cmp/cmp"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

func main() {
	o := options{}
	flag.IntVar(&o.templates, "templates", 500, "templates")
	flag.IntVar(&o.kills, "kills", 50, "how often the manager is killed")
	flag.BoolVar(&o.replicas, "replicas", false, "run two managers instead; end the leader by SIGTERM and SIGKILL, stop the control plane's API server for a while, and kill that of a member")
	flag.StringVar(&o.before, "before", "", "a manager of another version, whose turn alternates with that of this one; this one is the last")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the moments")
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
	templates, kills int
	seed             uint64
	replicas         bool
	before           string
}

// disturbance runs managers, and disturbs them while the workload runs.
type disturbance interface {
	start(ctx context.Context) error
	disturb(ctx context.Context) error
	// revive starts again what ended by itself, as a kubelet does, and returns whether there was any.
	revive(ctx context.Context) (bool, error)
	stop()
}

func (o options) run(ctx context.Context) error {
	root, err := fleet.Root()
	if err != nil {
		return err
	}
	if err := fleet.Build(ctx, root, os.Stdout); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "dragoman-kills-")
	if err != nil {
		return err
	}
	if err := o.compare(ctx, dir, filepath.Join(root, "bin", "dragoman-manager")); err != nil {
		return fmt.Errorf("%w\nlogs are in %s", err, dir)
	}
	return os.RemoveAll(dir)
}

// compare runs a manager undisturbed and disturbed, each in its folder of dir.
func (o options) compare(ctx context.Context, dir, binary string) error {
	these := []string{binary}
	fmt.Printf("%d templates, undisturbed\n", o.templates)
	calm, err := o.once(ctx, filepath.Join(dir, "undisturbed"), func(s *site, dir string) disturbance { return o.killer(s, these, dir, 0) })
	if err != nil {
		return err
	}
	if o.replicas {
		fmt.Printf("%d templates, two managers whose leader ends, a control plane and a member that are away\n", o.templates)
	} else {
		fmt.Printf("%d templates, %d kills, seed %d\n", o.templates, o.kills, o.seed)
	}
	binaries := these
	if o.before != "" {
		fmt.Printf("  %s takes turns with it\n", o.before)
		binaries = []string{o.before, these[0]}
	}
	disturbed, err := o.once(ctx, filepath.Join(dir, "disturbed"), func(s *site, dir string) disturbance {
		if o.replicas {
			return &replicas{launcher: launcher{binaries: binaries, kubeconfig: s.fleet.ControlPlane.Kubeconfig, dir: dir}, site: s}
		}
		return o.killer(s, binaries, dir, o.kills)
	})
	if err != nil {
		return err
	}
	return differences(calm, disturbed)
}

// soon has a manager take over from one that was killed within a second or two. By the defaults it would wait for
// longer than it lives.
var soon = []string{"--leader-elect-lease-duration=1500ms", "--leader-elect-renew-deadline=1s", "--leader-elect-retry-period=200ms"}

// killer returns what kills a single manager so many times.
func (o options) killer(s *site, binaries []string, dir string, kills int) *killer {
	return &killer{
		launcher: launcher{binaries: binaries, kubeconfig: s.fleet.ControlPlane.Kubeconfig, dir: dir, flags: soon},
		site:     s, random: rand.New(rand.NewPCG(o.seed, 0)), kills: kills,
	}
}

// once runs the workload on a new fleet in a folder, and returns what is left.
func (o options) once(ctx context.Context, dir string, with func(s *site, dir string) disturbance) (left state, failed error) {
	f, err := fleet.Start(ctx, fleet.Options{Dir: filepath.Join(dir, "fleet"), Members: fleet.MemberNames(2), Nodes: 1})
	if err != nil {
		return nil, err
	}
	defer func() { failed = errors.Join(failed, f.Stop()) }()
	s, err := newSite(ctx, f)
	if err != nil {
		return nil, err
	}
	d := with(s, dir)
	if err := d.start(ctx); err != nil {
		return nil, err
	}
	defer d.stop()
	if err := s.join(ctx); err != nil {
		return nil, err
	}
	worked := make(chan error, 1)
	go func() { worked <- s.work(ctx, o.templates) }()
	if err := d.disturb(ctx); err != nil {
		return nil, err
	}
	if err := <-worked; err != nil {
		return nil, err
	}
	left, err = s.settle(ctx, d)
	if err != nil {
		return nil, err
	}
	fmt.Printf("  %d objects are left\n", len(left))
	return left, nil
}

// differences returns an error that lists how two states differ.
func differences(calm, disturbed state) error {
	var all []error
	for _, key := range slices.Sorted(maps.Keys(calm)) {
		other, ok := disturbed[key]
		if !ok {
			all = append(all, fmt.Errorf("%s is missing after the disturbed run", key))
		} else if diff := gocmp.Diff(calm[key], other); diff != "" {
			all = append(all, fmt.Errorf("%s differs (-undisturbed +disturbed):\n%s", key, diff))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(disturbed)) {
		if _, ok := calm[key]; !ok {
			all = append(all, fmt.Errorf("%s is left after the disturbed run only", key))
		}
	}
	if len(all) == 0 {
		fmt.Println("both states are equal")
		return nil
	}
	count := len(all)
	slices.SortStableFunc(all, func(a, b error) int { return cmp.Compare(len(a.Error()), len(b.Error())) })
	return fmt.Errorf("%d differences, the shortest of them:\n%w", count, errors.Join(all[:min(count, 20)]...))
}
