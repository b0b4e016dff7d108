// SPDX-License-Identifier: Apache-2.0

package member

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// firstProbe and lastProbe bound the time between two probes of a member that does not
	// answer; it doubles from probe to probe.
	firstProbe, lastProbe = time.Second, 5 * time.Second
	// probeTimeout is how long a probe may take.
	probeTimeout = 5 * time.Second
)

// ErrUnavailable is the error of a request that is not made, since the one before got no
// answer, or one that the credentials are refused. A probe finds out when that is over.
var ErrUnavailable = errors.New("the cluster does not answer")

// errUnauthorized is the cause where the credentials are refused.
var errUnauthorized = errors.New("the API server refuses the token: 401 Unauthorized")

// breaker is the transport of the requests to a member. After one without an answer, all
// others fail at once, until a probe is answered: nobody waits for a member that hangs,
// and no burst of requests meets one that comes back.
type breaker struct {
	next http.RoundTripper
	// timeout is how long a request may last.
	timeout time.Duration
	// probe asks the member whether it answers. It runs until it does, or ctx has ended.
	probe func(ctx context.Context) error
	ctx   context.Context //nolint:containedctx // the life of the connection
	// closed is called when the member answers again.
	closed func()

	mu    sync.Mutex
	cause error
	// stop ends the probes.
	stop context.CancelFunc
	// answers is closed when the member answers again, for which waiting callers wait.
	answers chan struct{}
	waiting int
}

// RoundTrip makes a request, unless the member is known not to answer. A question whether
// it is ready is always asked, and an answer to that lets all others through.
func (b *breaker) RoundTrip(r *http.Request) (*http.Response, error) {
	cause := b.open()
	if cause != nil && !asksReady(r) {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, cause)
	}
	begin := time.Now()
	response, err := b.next.RoundTrip(r)
	switch {
	case err != nil:
		b.failed(r.Context(), begin, err)
	case response.StatusCode == http.StatusUnauthorized:
		b.trip(errUnauthorized)
	case cause != nil && answered(response) == nil:
		b.close()
	}
	return response, err
}

// asksReady reports whether a request asks an API server whether it is ready.
func asksReady(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/readyz") || strings.HasSuffix(r.URL.Path, "/healthz")
}

// failed stops all requests after one that got no answer. If who asked lost interest, that
// is no failure of the member.
func (b *breaker) failed(ctx context.Context, begin time.Time, err error) {
	switch {
	case time.Since(begin) >= b.timeout, errors.Is(ctx.Err(), context.DeadlineExceeded):
		b.trip(context.DeadlineExceeded) // the error of the transport is that it was canceled
	case ctx.Err() == nil:
		b.trip(err)
	}
}

// open returns why no request is made; nil means that they are.
func (b *breaker) open() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cause
}

// trip stops all requests until a probe is answered.
func (b *breaker) trip(cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cause != nil || b.ctx.Err() != nil {
		return
	}
	b.cause, b.answers, b.waiting = cause, make(chan struct{}), 0
	var ctx context.Context
	ctx, b.stop = context.WithCancel(b.ctx)
	go b.recover(ctx)
}

// close lets requests through again.
func (b *breaker) close() {
	b.mu.Lock()
	was := b.cause
	b.cause = nil
	if was != nil {
		b.stop()
		close(b.answers)
	}
	b.mu.Unlock()
	if was != nil {
		b.closed()
	}
}

// recover probes until the member answers, or ctx has ended.
func (b *breaker) recover(ctx context.Context) {
	for wait := firstProbe; ; wait = min(2*wait, lastProbe) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		limited, cancel := context.WithTimeout(ctx, probeTimeout)
		err := b.probe(limited)
		cancel()
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			b.close()
			return
		}
		b.mu.Lock()
		b.cause = err
		b.mu.Unlock()
	}
}

// readyz asks a member whether it is ready.
func readyz(ctx context.Context, c *http.Client, host string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, host+"/readyz", nil)
	if err != nil {
		return err
	}
	response, err := c.Do(r)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	return answered(response)
}

// answered takes any response for an answer but a failure or a refusal of the token.
func answered(response *http.Response) error {
	switch {
	case response.StatusCode == http.StatusUnauthorized:
		return errUnauthorized
	case response.StatusCode >= http.StatusInternalServerError:
		return fmt.Errorf("the API server is not ready: %s", response.Status)
	}
	return nil
}
