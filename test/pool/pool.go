// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

// Pool is running API servers and who has them. It is safe for many goroutines.
type Pool struct {
	fleet *fleet.Fleet
	store store
	out   io.Writer // what goes wrong is said here at once

	mu       sync.Mutex
	slots    []*slot
	waiting  []*waiter // in the order in which they came
	problems []error
	broken   error // why no server is given any more
}

// slot is one API server.
type slot struct {
	*server
	hub bool
	// holder is who has it, and last who had it before; "" is nobody.
	holder, last string
	free         bool
}

// waiter waits for servers.
type waiter struct {
	request Request
	granted chan []*slot // the hub, and then the members
}

// Start starts a pool of servers, at least one hub, and returns when all can be used. What
// goes wrong later is written to out. The caller must call Stop.
func Start(ctx context.Context, hubs, bare int, out io.Writer) (*Pool, error) {
	var names []string
	for i := range hubs - 1 {
		names = append(names, fmt.Sprintf("hub%d", i+2))
	}
	for i := range bare {
		names = append(names, fmt.Sprintf("bare%d", i+1))
	}
	f, err := fleet.StartAPIServers(ctx, fleet.Options{Members: names})
	if err != nil {
		return nil, err
	}
	p := &Pool{fleet: f, out: out}
	if err := p.prepare(ctx, hubs); err != nil {
		return nil, errors.Join(err, f.Stop())
	}
	return p, nil
}

// prepare makes the servers ready to be given, all at the same time.
func (p *Pool) prepare(ctx context.Context, hubs int) error {
	address, client, err := p.fleet.StoreClient()
	if err != nil {
		return err
	}
	p.store = store{address: address, client: client}
	clusters := append([]*fleet.Cluster{p.fleet.ControlPlane}, p.fleet.Members...)
	p.slots = make([]*slot, len(clusters))
	errs := make([]error, len(clusters))
	var all sync.WaitGroup
	for i, c := range clusters {
		all.Go(func() {
			s := &slot{server: &server{cluster: c, store: p.store}, hub: i < hubs, free: true}
			errs[i] = s.prepare(ctx, s.hub)
			p.slots[i] = s
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// Stop ends the servers. Those who wait for some get an error.
func (p *Pool) Stop() error {
	p.fail(errors.New("the pool of servers has ended"))
	return p.fleet.Stop()
}

// Dir returns the folder of the servers, as that of a fleet, with their logs.
func (p *Pool) Dir() string { return p.fleet.Dir() }

// Idle reports whether nobody has a server, and none is being cleaned.
func (p *Pool) Idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !slices.ContainsFunc(p.slots, func(s *slot) bool { return !s.free })
}

// Problems returns what went wrong: servers that ended, and writes of suites that had given
// their servers back. Each names the suite.
func (p *Pool) Problems() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.problems...)
}

func (p *Pool) report(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problems = append(p.problems, err)
	_, _ = fmt.Fprintln(p.out, "pool of servers:", err)
}

// take waits for the servers of a request.
func (p *Pool) take(ctx context.Context, r Request) ([]*slot, error) {
	if err := p.check(r); err != nil {
		return nil, err
	}
	w := &waiter{request: r, granted: make(chan []*slot, 1)}
	p.mu.Lock()
	p.waiting = append(p.waiting, w)
	p.serve()
	p.mu.Unlock()
	select {
	case slots, ok := <-w.granted:
		if !ok {
			return nil, p.broken // set before the channel was closed, and never again
		}
		return slots, nil
	case <-ctx.Done():
		p.forget(w)
		return nil, ctx.Err()
	}
}

// check returns an error if a request can never be met.
func (p *Pool) check(r Request) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	bare := 0
	for _, s := range p.slots {
		if !s.hub {
			bare++
		}
	}
	if len(r.Members) > bare {
		return fmt.Errorf("%s wants %d members, and the pool has %d bare servers", r.Holder, len(r.Members), bare)
	}
	return nil
}

// serve gives servers to those who wait, in their order: who wants many does not wait until
// nobody else wants any. The caller holds p.mu.
func (p *Pool) serve() {
	for len(p.waiting) > 0 {
		w := p.waiting[0]
		slots := p.choose(w.request)
		if p.broken != nil {
			close(w.granted)
		} else if slots == nil {
			return
		} else {
			for _, s := range slots {
				s.free, s.holder = false, w.request.Holder
			}
			w.granted <- slots
		}
		p.waiting = p.waiting[1:]
	}
}

// choose returns free servers for a request, or nil. The caller holds p.mu.
func (p *Pool) choose(r Request) []*slot {
	var chosen []*slot
	hubs, bare := 1, len(r.Members)
	for _, s := range p.slots { // hubs come first
		wanted := &bare
		if s.hub {
			wanted = &hubs
		}
		if s.free && *wanted > 0 {
			*wanted--
			chosen = append(chosen, s)
		}
	}
	if hubs+bare > 0 {
		return nil
	}
	return chosen
}

// forget removes one who waits no more; what was given meanwhile is free again.
func (p *Pool) forget(w *waiter) {
	p.mu.Lock()
	p.waiting = slices.DeleteFunc(p.waiting, func(other *waiter) bool { return other == w })
	p.mu.Unlock()
	select {
	case slots := <-w.granted:
		p.put(slots)
	default:
	}
}

// put makes servers free for others.
func (p *Pool) put(slots []*slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range slots {
		s.free, s.holder, s.last = true, "", s.holder
	}
	p.serve()
}

// fail has all who wait, and all who come, get an error.
func (p *Pool) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken == nil {
		p.broken = err
	}
	p.serve()
}

// resetTimeout bounds how long a server may take until it serves what it served at first.
const resetTimeout = 3 * time.Minute

// lend checks that servers are as they were when they were given back, and cleans them
// again if they are not. It reports who wrote to them meanwhile.
func (p *Pool) lend(ctx context.Context, slots []*slot) error {
	for _, s := range slots {
		keys, err := s.changed(ctx)
		if err != nil {
			return err
		}
		if len(keys) > 0 {
			p.report(fmt.Errorf("%s wrote to %s after it had given it back: %v", s.last, s.cluster.Name, keys[:min(len(keys), 10)]))
			if err := s.reset(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeBack cleans servers that somebody had, and makes them free. A server that cannot be
// cleaned is given to nobody, and whoever waits for one gets an error. When ctx ends, nobody
// is to get a server any more.
func (p *Pool) takeBack(ctx context.Context, slots []*slot) {
	bounded, cancel := context.WithTimeout(ctx, resetTimeout)
	defer cancel()
	for _, s := range slots {
		err := s.reset(bounded)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			err = fmt.Errorf("clean %s after %s had it: %w", s.cluster.Name, s.holder, err)
			p.report(err)
			p.fail(err)
			return
		}
	}
	p.put(slots)
}

// Watch looks after the servers until ctx ends: one that ends by itself is reported with who
// had it, and started again. It returns an error if the store has ended.
func (p *Pool) Watch(ctx context.Context) error {
	for seen := ""; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second):
		}
		died := p.fleet.Err()
		if died == nil || died.Error() == seen {
			continue
		}
		seen = died.Error()
		if err := p.revive(ctx, died); err != nil && ctx.Err() == nil {
			p.fail(err)
			return err
		}
	}
}

// revive starts the servers again that ended.
func (p *Pool) revive(ctx context.Context, died error) error {
	found := false
	for _, s := range p.slots {
		if p.fleet.Runs(s.cluster) {
			continue
		}
		found = true
		p.mu.Lock()
		holder := s.holder
		p.mu.Unlock()
		if holder == "" {
			holder = "nobody"
		}
		p.report(fmt.Errorf("%s ended while %s had it: %w", s.cluster.Name, holder, died))
		if err := p.fleet.Restore(ctx, s.cluster); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("the store of all servers has ended: %w", died)
	}
	return nil
}
