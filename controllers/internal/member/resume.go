// SPDX-License-Identifier: Apache-2.0

package member

import (
	"context"
	"net/http"
	"time"
)

// resumeEvery is the time between two requests for watches when a member answers again. Its
// API server has most often just started, and all watches of a connection end together.
const resumeEvery = 25 * time.Millisecond

// watchTransport is the transport of the requests for watches, and of the lists before them.
// While the member does not answer they wait for it instead of failing: a reflector whose
// requests fail doubles the time to its next one, up to a minute, and would learn that much
// later than everybody else that the member is back.
type watchTransport struct{ breaker *breaker }

// RoundTrip makes a request once the member answers. One that gets no answer stops all
// requests to the member, as others do; so does the answer of a gateway that does not reach it.
func (t watchTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.breaker.wait(r.Context()); err != nil {
		return nil, err
	}
	response, err := t.breaker.next.RoundTrip(r)
	switch {
	case err != nil && r.Context().Err() == nil:
		t.breaker.trip(err)
	case err == nil && fromGateway(response):
		t.breaker.check(r.Context())
	}
	return response, err
}

// fromGateway reports whether an answer may be one of a gateway or a load balancer, in place of
// the member. An API server answers alike for an API that it aggregates.
func fromGateway(response *http.Response) bool {
	switch response.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// check asks the member whether it answers, and stops all requests if not.
func (b *breaker) check(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	if err := b.probe(limited); err != nil && ctx.Err() == nil {
		b.trip(err)
	}
}

// wait returns when requests are made to the member, one caller after the other where several
// waited. The error is that of ctx, or of the connection if that has ended.
func (b *breaker) wait(ctx context.Context) error {
	for {
		answers, turn := b.queue()
		if answers == nil {
			return nil
		}
		select {
		case <-answers:
		case <-ctx.Done():
			return ctx.Err()
		case <-b.ctx.Done():
			return b.ctx.Err()
		}
		select {
		case <-time.After(time.Duration(turn) * resumeEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// queue returns what is closed when the member answers again, and how many wait for that
// already; nil if it answers.
func (b *breaker) queue() (answers <-chan struct{}, turn int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cause == nil {
		return nil, 0
	}
	turn = b.waiting
	b.waiting++
	return b.answers, turn
}
