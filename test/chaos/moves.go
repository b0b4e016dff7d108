// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	// patience is how long one failover may take: longer than the exclusion of a cluster in
	// which the application failed twice.
	patience = 4 * time.Minute
	// excluded is for how long a cluster is not chosen after the application failed there.
	excluded = 65 * time.Second
	// glance is the time between two looks at what was seen.
	glance = 20 * time.Millisecond
	// longestRest is the most time between two steps of an application.
	longestRest = 2 * time.Second
	// progresses is how often a copy reports another job at most before it fails.
	progresses = 2
)

// moveAll creates the applications, has each of them fail as often as the options say, and
// waits until all have moved. What does not end is in the ledger.
func (s *site) moveAll(ctx context.Context, o options) {
	var group sync.WaitGroup
	for i := range o.applications {
		group.Go(func() {
			a := &mover{site: s, i: i, random: rand.New(rand.NewPCG(o.seed, uint64(i)+1)), failedAt: map[string]time.Time{}}
			if err := a.run(ctx, o.failovers); err != nil {
				s.ledger.failed(stuck, fmt.Sprintf("%s: %v", nameOf(i), err))
			}
		})
	}
	group.Wait()
}

// mover has one application fail again and again where it runs.
type mover struct {
	*site
	i      int
	random *rand.Rand
	// failedAt is when the application failed in a member last.
	failedAt map[string]time.Time
}

func (a *mover) run(ctx context.Context, n int) error {
	err := until(ctx, patience, func() bool {
		err := a.hub.Create(ctx, application(a.i))
		return err == nil || apierrors.IsAlreadyExists(err)
	})
	if err != nil {
		return fmt.Errorf("create it: %w", err)
	}
	for k := range n {
		if err := a.move(ctx, k); err != nil {
			return fmt.Errorf("failover %d of %d: %w", k+1, n, err)
		}
	}
	return nil
}

// move has a copy fail, and waits until there is another one. A copy that goes before it was to
// fail (its member hung, say) is not the one that fails: the next is.
func (a *mover) move(ctx context.Context, k int) error {
	for {
		if err := a.fail(ctx, k); !errors.Is(err, errGone) {
			return err
		}
	}
}

// fail has the copy report a few jobs and fail, and waits until there is another one. Most
// fail once the control plane knows how they are, and some before; half of them do not
// report their job any more when they fail.
func (a *mover) fail(ctx context.Context, k int) error {
	name := nameOf(a.i)
	var c copied
	if err := until(ctx, patience, func() (ok bool) { c, ok = a.ledger.only(name); return ok }); err != nil {
		return fmt.Errorf("it is not well in one member: %w", err)
	}
	if !pause(ctx, restLeft(a.failedAt, c.member)) {
		return ctx.Err()
	}
	for range a.random.IntN(progresses + 1) {
		if err := a.report(ctx, &c, fmt.Sprintf(`{"job":%q}`, nextJob())); err != nil {
			return fmt.Errorf("report another job in %s: %w", c.member, err)
		}
	}
	// The first copy has no state from before: nothing of it can be kept before it is stored.
	if k == 0 || a.random.IntN(4) > 0 {
		if err := a.untilGone(ctx, &c, func() bool { return a.ledger.isStored(name, c.uid) }); err != nil {
			return fmt.Errorf("its binding does not report it as healthy in %s with its newest job: %w", c.member, err)
		}
	}
	failure := `{"ok":false}`
	if a.random.IntN(2) == 0 {
		failure = `{"ok":false,"job":null}`
	}
	if err := a.report(ctx, &c, failure); err != nil {
		return fmt.Errorf("have it fail in %s: %w", c.member, err)
	}
	a.failedAt[c.member] = time.Now()
	if err := until(ctx, patience, func() bool { return a.ledger.hasMoved(name, c.uid) }); err != nil {
		return fmt.Errorf("it does not leave %s for another member: %w", c.member, err)
	}
	return nil
}

// report rests, and changes the status of a copy.
func (a *mover) report(ctx context.Context, c *copied, status string) error {
	if !pause(ctx, time.Duration(a.random.Int64N(int64(longestRest)))) {
		return ctx.Err()
	}
	return a.untilGone(ctx, c, func() bool {
		return a.operators[c.member].report(ctx, nameOf(a.i), c.uid, status) == nil
	})
}

// untilGone waits until f returns true; the error is errGone if the copy goes before that.
func (a *mover) untilGone(ctx context.Context, c *copied, f func() bool) error {
	isGone := false
	err := until(ctx, patience, func() bool {
		isGone = a.ledger.isGone(nameOf(a.i), c.uid)
		return isGone || f()
	})
	if err == nil && isGone {
		return errGone
	}
	return err
}

// restLeft returns how long it is until one member other than the present one may be chosen.
func restLeft(failedAt map[string]time.Time, present string) time.Duration {
	least := time.Duration(-1)
	for i := range members {
		name := fmt.Sprintf("member%d", i+1)
		if name == present {
			continue
		}
		left := time.Duration(0)
		if at, failed := failedAt[name]; failed {
			left = max(0, excluded-time.Since(at))
		}
		if least < 0 || left < least {
			least = left
		}
	}
	return least
}

// rest waits until each application is well in one member alone, after all faults.
func (s *site) rest(ctx context.Context, n int) {
	for i := range n {
		if err := until(ctx, time.Minute, func() bool { _, ok := s.ledger.only(nameOf(i)); return ok }); err != nil {
			s.ledger.failed(stuck, fmt.Sprintf("%s is not well in one member at the end: %v", nameOf(i), err))
		}
	}
}

var (
	errPatience = errors.New("it took too long")
	errGone     = errors.New("the copy is gone")
)

// until waits until f returns true.
func until(ctx context.Context, d time.Duration, f func() bool) error {
	for end := time.Now().Add(d); ; {
		if f() {
			return nil
		}
		if time.Now().After(end) {
			return errPatience
		}
		if !pause(ctx, glance) {
			return ctx.Err()
		}
	}
}

// pause waits, and reports whether ctx went on.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
