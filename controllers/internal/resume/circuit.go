// SPDX-License-Identifier: Apache-2.0

// Package resume has requests for watches wait for an API server that is away, instead of failing.
// In goes a way to ask whether it answers; out come a circuit that is open while it does not, and a
// transport whose requests wait for the circuit to close. It does not know what is watched.
package resume

import (
	"context"
	"sync"
	"time"
)

// probeTimeout is how long a probe may take.
const probeTimeout = 5 * time.Second

// Circuit is what is known of an API server: whether it answers. It is open from a request without
// an answer until a probe has one. It is safe for many goroutines.
type Circuit struct {
	ctx context.Context //nolint:containedctx // the life of the connection
	o   Options

	mu    sync.Mutex
	cause error
	// stop ends the probes.
	stop context.CancelFunc
	// answers is closed when the API server answers again, for which waiting callers wait.
	answers chan struct{}
	waiting int
}

// Options are how a circuit closes.
type Options struct {
	// Probe asks the API server whether it answers; nil is that it does. It is called until then,
	// and its ctx ends after 5 s.
	Probe func(ctx context.Context) error
	// First and Last bound the time between two probes; it doubles from probe to probe.
	First, Last time.Duration
	// Every is the time between two requests that waited. The API server has most often just
	// started, and all watches of a connection end together.
	Every time.Duration
	// Opened is called with the cause before the first probe, Closed when the API server answers
	// again. They must not block; nil is not called.
	Opened func(cause error)
	Closed func()
}

// New returns a circuit that is closed. Its probes end with ctx.
func New(ctx context.Context, o Options) *Circuit { return &Circuit{ctx: ctx, o: o} }

// Err returns why the circuit is open, by the last probe; nil if it is closed.
func (c *Circuit) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cause
}

// Trip opens the circuit until a probe is answered. One that is open stays so.
func (c *Circuit) Trip(cause error) {
	ctx := c.open(cause)
	if ctx == nil {
		return
	}
	if c.o.Opened != nil {
		c.o.Opened(cause)
	}
	go c.recover(ctx)
}

// open opens the circuit, and returns the context of its probes; nil if it was open, or the
// connection has ended.
func (c *Circuit) open(cause error) (ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause != nil || c.ctx.Err() != nil {
		return nil
	}
	c.cause, c.answers, c.waiting = cause, make(chan struct{}), 0
	ctx, c.stop = context.WithCancel(c.ctx)
	return ctx
}

// Close closes the circuit.
func (c *Circuit) Close() {
	c.mu.Lock()
	open := c.cause != nil
	if open {
		c.reset()
	}
	c.mu.Unlock()
	if open {
		c.closed()
	}
}

// reset closes a circuit that is open, and ends its probes. The lock is held.
func (c *Circuit) reset() {
	c.cause = nil
	c.stop()
	close(c.answers)
}

func (c *Circuit) closed() {
	if c.o.Closed != nil {
		c.o.Closed()
	}
}

// recover probes until the API server answers, or ctx has ended.
func (c *Circuit) recover(ctx context.Context) {
	for wait := c.o.First; ; wait = min(2*wait, c.o.Last) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if c.probed(ctx, c.probe(ctx)) {
			return
		}
	}
}

// probed records what a probe found, and reports whether it was the last. If ctx has ended, the circuit
// was closed meanwhile, and what the probe found does not count.
func (c *Circuit) probed(ctx context.Context, err error) (last bool) {
	c.mu.Lock()
	open := ctx.Err() == nil
	switch {
	case open && err == nil:
		c.reset()
	case open:
		c.cause = err
	}
	c.mu.Unlock()
	if open && err == nil {
		c.closed()
	}
	return !open || err == nil
}

// probe asks once.
func (c *Circuit) probe(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	return c.o.Probe(limited)
}

// Check asks the API server whether it answers, and opens the circuit if not.
func (c *Circuit) Check(ctx context.Context) {
	if err := c.probe(ctx); err != nil && ctx.Err() == nil {
		c.Trip(err)
	}
}

// Wait returns when the circuit is closed, one caller after the other where several waited. The
// error is that of ctx, or of the connection if that has ended.
func (c *Circuit) Wait(ctx context.Context) error {
	for {
		answers, turn := c.queue()
		if answers == nil {
			return nil
		}
		select {
		case <-answers:
		case <-ctx.Done():
			return ctx.Err()
		case <-c.ctx.Done():
			return c.ctx.Err()
		}
		select {
		case <-time.After(time.Duration(turn) * c.o.Every):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// queue returns what is closed when the API server answers again, and how many wait for that
// already; nil if it answers.
func (c *Circuit) queue() (answers <-chan struct{}, turn int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil {
		return nil, 0
	}
	turn = c.waiting
	c.waiting++
	return c.answers, turn
}
