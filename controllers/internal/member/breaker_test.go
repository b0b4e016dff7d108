// SPDX-License-Identifier: Apache-2.0

package member

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-io/dragoman/controllers/internal/resume"
)

// server stands in for a member.
type server struct {
	requests atomic.Int32
	answer   func(r *http.Request) (*http.Response, error)
}

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	s.requests.Add(1)
	return s.answer(r)
}

// breakerOf returns the breaker of requests to a server that may last a minute.
func breakerOf(ctx context.Context, next http.RoundTripper, closed func(), probe func(context.Context) error) *breaker {
	return &breaker{Circuit: circuitOf(ctx, probe, closed), next: next, timeout: time.Minute}
}

func hangs(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func answers(code int) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: code, Body: http.NoBody}, nil
	}
}

func TestBreaker(t *testing.T) {
	refused := errors.New("connection refused")
	cases := map[string]struct {
		reason string
		answer func(*http.Request) (*http.Response, error)
		cause  error
	}{
		"Answers":      {reason: "all is well", answer: answers(http.StatusOK)},
		"Error":        {reason: "an error is an answer", answer: answers(http.StatusInternalServerError)},
		"Refused":      {reason: "nobody is there", answer: func(*http.Request) (*http.Response, error) { return nil, refused }, cause: refused},
		"Unauthorized": {reason: "no request helps before other credentials come", answer: answers(http.StatusUnauthorized), cause: resume.ErrUnauthorized},
		"Hangs":        {reason: "each request would take its whole time", answer: hangs, cause: context.DeadlineExceeded},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { breaks(t, tc.answer, tc.cause, tc.reason) })
		})
	}
}

// breaks makes requests to a member that fails in a way, and then to one that answers.
func breaks(t *testing.T, answer func(*http.Request) (*http.Response, error), cause error, reason string) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s := &server{answer: answer}
	var closed, probes atomic.Int32
	var well atomic.Bool
	b := breakerOf(ctx, s, func() { closed.Add(1) }, func(context.Context) error {
		probes.Add(1)
		if well.Load() {
			return nil
		}
		return errors.New("still down")
	})
	ask := func(timeout time.Duration) error {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://member", nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.RoundTrip(r)
		return err
	}
	_ = ask(32 * time.Second)
	if got := b.Err(); !errors.Is(got, cause) || (got == nil) != (cause == nil) {
		t.Fatalf("%s: Err() = %v, want %v", reason, got, cause)
	}
	if cause == nil {
		return
	}
	for range 100 {
		if err := ask(time.Hour); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: error %v, want that it is not tried", reason, err)
		}
	}
	if n := s.requests.Load(); n != 1 {
		t.Errorf("%s: %d requests, want the one that failed", reason, n)
	}
	time.Sleep(time.Minute)
	synctest.Wait()
	if n := probes.Load(); n < 6 || n > 15 {
		t.Errorf("%s: %d probes in a minute", reason, n)
	}
	well.Store(true)
	s.answer = answers(http.StatusOK)
	time.Sleep(lastProbe)
	synctest.Wait()
	if err := ask(time.Second); err != nil || closed.Load() != 1 || b.Err() != nil {
		t.Errorf("%s: error %v, closed %d times after an answer", reason, err, closed.Load())
	}
}

func TestBreakerLetsThroughWhoAsksWhetherItIsReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		closed := 0
		s := &server{answer: answers(http.StatusUnauthorized)}
		b := breakerOf(ctx, s, func() { closed++ }, func(context.Context) error { return resume.ErrUnauthorized })
		ask := func(path string) error {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://member"+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = b.RoundTrip(r)
			return err
		}
		if err := ask("/api"); err != nil || b.Err() == nil {
			t.Fatalf("error %v, Err() = %v, want the answer and no more", err, b.Err())
		}
		if err := ask("/readyz"); err != nil || b.Err() == nil {
			t.Errorf("error %v, Err() = %v: the same refusal", err, b.Err())
		}
		s.answer = answers(http.StatusOK)
		if err := ask("/readyz"); err != nil || b.Err() != nil || closed != 1 {
			t.Errorf("error %v, Err() = %v, closed %d times after an answer", err, b.Err(), closed)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if closed != 1 {
			t.Errorf("closed %d times", closed)
		}
	})
}

func TestBreakerIgnoresWhoLostInterest(t *testing.T) {
	b := breakerOf(t.Context(), &server{answer: hangs}, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://member", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.RoundTrip(r); err == nil || b.Err() != nil {
		t.Errorf("error %v, Err() = %v; a request that was canceled is no failure of the member", err, b.Err())
	}
}
