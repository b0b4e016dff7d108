// SPDX-License-Identifier: Apache-2.0

package member

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/dragoman-io/dragoman/controllers/internal/resume"
)

// firstProbe and lastProbe bound the time between two probes of a member that does not
// answer; it doubles from probe to probe.
const firstProbe, lastProbe = time.Second, 5 * time.Second

// resumeEvery is the time between two requests for watches when a member answers again.
const resumeEvery = 25 * time.Millisecond

// ErrUnavailable is the error of a request that is not made, since the one before got no
// answer, or one that the credentials are refused. A probe finds out when that is over.
var ErrUnavailable = errors.New("the cluster does not answer")

// breaker is the transport of the requests to a member, other than those for watches. After one
// without an answer, all others fail at once, until a probe is answered: nobody waits for a member
// that hangs, and no burst of requests meets one that comes back.
type breaker struct {
	*resume.Circuit
	next http.RoundTripper
	// timeout is how long a request may last.
	timeout time.Duration
}

// circuitOf returns the circuit of the connection to a member, which lasts as long as ctx. closed is
// called when the member answers again.
func circuitOf(ctx context.Context, probe func(ctx context.Context) error, closed func()) *resume.Circuit {
	return resume.New(ctx, resume.Options{Probe: probe, First: firstProbe, Last: lastProbe, Every: resumeEvery, Closed: closed})
}

// RoundTrip makes a request, unless the member is known not to answer. A question whether
// it is ready is always asked, and an answer to that lets all others through.
func (b *breaker) RoundTrip(r *http.Request) (*http.Response, error) {
	cause := b.Err()
	if cause != nil && !asksReady(r) {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, cause)
	}
	begin := time.Now()
	response, err := b.next.RoundTrip(r)
	switch {
	case err != nil:
		b.failed(r.Context(), begin, err)
	case response.StatusCode == http.StatusUnauthorized:
		b.Trip(resume.ErrUnauthorized)
	case cause != nil && resume.Answered(response) == nil:
		b.Close()
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
		b.Trip(context.DeadlineExceeded) // the error of the transport is that it was canceled
	case ctx.Err() == nil:
		b.Trip(err)
	}
}
