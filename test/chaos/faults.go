// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

// fault is one kind of fault. It begins, lasts for some time between two bounds, and ends.
type fault struct {
	what              string
	shortest, longest time.Duration
	// begin begins it, and returns how to end it; nil is not at all.
	begin func() (end func(ctx context.Context) error, err error)
}

const (
	// brief faults are over before anybody gives up, long ones last longer than a manager
	// waits for its lease (10 s), or others for it (15 s).
	brief    = 4 * time.Second
	longHub  = 11 * time.Second
	longLead = 17 * time.Second
	// longestPause is the most time between two faults of the same stream.
	longestPause = 12 * time.Second
	// Faults begin for the time of a storm, and none does for a while after that.
	storm = 75 * time.Second
	calm  = 45 * time.Second
)

// untilStorm returns how long no fault begins any more, some time after the first one could.
func untilStorm(after time.Duration) time.Duration {
	if in := after % (storm + calm); in >= storm {
		return storm + calm - in
	}
	return 0
}

// ofServers returns the faults of API servers and etcd.
func (s *site) ofServers() []fault {
	all := []fault{
		{"etcd SIGKILL", 0, time.Second, ending(s.fleet.CutStore, s.fleet.RestoreStore)},
		{"etcd SIGSTOP", 0, brief, ending(s.fleet.PauseStore, func(context.Context) error { return s.fleet.ResumeStore() })},
		s.stopServer(s.fleet.ControlPlane, "SIGSTOP, long", longHub, longHub+brief),
	}
	for _, c := range append([]*fleet.Cluster{s.fleet.ControlPlane}, s.fleet.Members...) {
		all = append(all, s.killServer(c), s.stopServer(c, "SIGSTOP", 0, brief))
	}
	return all
}

func (s *site) killServer(c *fleet.Cluster) fault {
	return fault{c.Name + " SIGKILL", 0, brief, ending(
		func() error { return s.fleet.Cut(c) },
		func(ctx context.Context) error { return s.fleet.Restore(ctx, c) })}
}

func (s *site) stopServer(c *fleet.Cluster, how string, shortest, longest time.Duration) fault {
	return fault{c.Name + " " + how, shortest, longest, ending(
		func() error { return s.fleet.Pause(c) },
		func(context.Context) error { return s.fleet.Resume(c) })}
}

// ofManagers returns the faults of managers. A process that was killed is started again by
// its replica.
func (s *site) ofManagers() []fault {
	var all []fault
	for _, r := range s.replicas {
		kill := func() (func(context.Context) error, error) { r.kill(); return nil, nil }
		hold := func() (func(context.Context) error, error) {
			release, err := r.hold()
			return func(context.Context) error { return release() }, err
		}
		all = append(all,
			fault{"manager " + r.name + " SIGKILL", 0, time.Second, kill},
			fault{"manager " + r.name + " SIGSTOP", 0, brief, hold},
			fault{"manager " + r.name + " SIGSTOP, long", longLead, longLead + brief, hold})
	}
	return append(all, fault{"both managers SIGKILL", 0, time.Second, func() (func(context.Context) error, error) {
		for _, r := range s.replicas {
			r.kill()
		}
		return nil, nil
	}})
}

func ending(begin func() error, end func(context.Context) error) func() (func(context.Context) error, error) {
	return func() (func(context.Context) error, error) { return end, begin() }
}

// disturb has faults of some kinds happen, one after the other, until ctx ends. Kinds and
// moments are those of the random numbers; each kind comes once before one comes again.
// Nothing is left stopped or ended.
func (s *site) disturb(ctx context.Context, random *rand.Rand, kinds []fault) error {
	var deck []int
	for began := time.Now(); ; {
		if len(deck) == 0 {
			deck = random.Perm(len(kinds))
		}
		f := kinds[deck[0]]
		deck = deck[1:]
		lasts := f.shortest + time.Duration(random.Int64N(int64(f.longest-f.shortest)))
		if !pause(ctx, time.Duration(random.Int64N(int64(longestPause)))) || !pause(ctx, untilStorm(time.Since(began))) {
			return nil
		}
		if err := s.suffer(ctx, f, lasts); err != nil {
			return err
		}
		if err := s.fleet.Err(); err != nil {
			return err
		}
	}
}

// suffer has one fault happen.
func (s *site) suffer(ctx context.Context, f fault, lasts time.Duration) error {
	over := s.ledger.disrupt(f.what)
	defer over()
	end, err := f.begin()
	if err != nil {
		return fmt.Errorf("%s: %w", f.what, err)
	}
	pause(ctx, lasts)
	if end == nil {
		return nil
	}
	if err := end(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("end of %s: %w", f.what, err)
	}
	return nil
}

// disturbAll has faults of the servers and of the managers happen at the same time.
func (s *site) disturbAll(ctx context.Context, seed uint64) error {
	servers := make(chan error, 1)
	go func() { servers <- s.disturb(ctx, rand.New(rand.NewPCG(seed, 0)), s.ofServers()) }()
	managers := s.disturb(ctx, rand.New(rand.NewPCG(seed, 1<<32)), s.ofManagers())
	return errors.Join(managers, <-servers)
}
