// SPDX-License-Identifier: Apache-2.0

package resume_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-io/dragoman/controllers/internal/resume"
)

var errRefused = errors.New("connection refused")

// server stands in for an API server, which is away at first.
type server struct {
	back     atomic.Bool
	requests atomic.Int32
	// broken means that no request is answered though probes are.
	broken atomic.Bool
}

func (s *server) RoundTrip(*http.Request) (*http.Response, error) {
	s.requests.Add(1)
	if !s.back.Load() || s.broken.Load() {
		return nil, errRefused
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func (s *server) probe(context.Context) error {
	if !s.back.Load() {
		return errRefused
	}
	return nil
}

// transport returns a transport to the server whose watches are relisted after two seconds.
func (s *server) transport(ctx context.Context) resume.Patient {
	return patient(ctx, s, s.probe)
}

func patient(ctx context.Context, next http.RoundTripper, probe func(context.Context) error) resume.Patient {
	o := resume.Options{Probe: probe, First: 250 * time.Millisecond, Last: 500 * time.Millisecond, Every: 5 * time.Millisecond}
	return resume.Patient{Transport: resume.Transport{Circuit: resume.New(ctx, o), Next: next}, Relist: 2 * time.Second}
}

// outcome is what became of a request, and when.
type outcome struct {
	err error
	at  time.Time
}

// ask makes a request, and sends what becomes of it.
func ask(ctx context.Context, t *testing.T, by http.RoundTripper, method, body string) <-chan outcome {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, "https://hub/api/v1/configmaps", http.NoBody)
	if body != "" {
		r, err = http.NewRequestWithContext(ctx, method, "https://hub/api/v1/configmaps", strings.NewReader(body))
	}
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan outcome, 1)
	go func() {
		_, err := by.RoundTrip(r) //nolint:bodyclose // it has none
		done <- outcome{err, time.Now()}
	}()
	return done
}

// TestNoListFails has an API server be away for eight seconds, and asks for lists when nobody
// knows that yet, and in the middle of it.
func TestNoListFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		s := &server{}
		by := s.transport(ctx)
		first := ask(ctx, t, by, http.MethodGet, "")
		time.Sleep(4 * time.Second)
		second := ask(ctx, t, by, http.MethodGet, "")
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if n := s.requests.Load(); n != 1 {
			t.Errorf("%d requests while the API server was away, want the first alone", n)
		}
		back := time.Now()
		s.back.Store(true)
		for name, list := range map[string]<-chan outcome{"first": first, "second": second} {
			if got := <-list; got.err != nil || got.at.Sub(back) > 600*time.Millisecond {
				t.Errorf("the %s list: error %v, %v after the API server was back; want none, after a probe", name, got.err, got.at.Sub(back))
			}
		}
	})
}

// TestRequestsAreRepeatedOnce has requests fail that must not be made again, or not more often than once.
func TestRequestsAreRepeatedOnce(t *testing.T) {
	cases := map[string]struct {
		reason   string
		method   string
		body     string
		requests int32
	}{
		"GET":   {"what alone gets no answer fails, as its reflector has to know", http.MethodGet, "", 2},
		"POST":  {"it may have had an effect", http.MethodPost, "", 1},
		"Body":  {"it was read", http.MethodGet, "{}", 1},
		"PATCH": {"it may have had an effect", http.MethodPatch, "{}", 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				s := &server{}
				s.back.Store(true)
				s.broken.Store(true)
				got := <-ask(ctx, t, s.transport(ctx), tc.method, tc.body)
				if n := s.requests.Load(); !errors.Is(got.err, errRefused) || n != tc.requests {
					t.Errorf("error %v after %d requests, want %q after %d: %s", got.err, n, errRefused, tc.requests, tc.reason)
				}
				stop()
				synctest.Wait()
			})
		})
	}
}

// TestCircuitStaysClosed has somebody else close the circuit while a probe is on its way, which fails.
func TestCircuitStaysClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var c *resume.Circuit
		closed := 0
		c = resume.New(ctx, resume.Options{First: time.Second, Last: time.Second, Closed: func() { closed++ }, Probe: func(context.Context) error {
			c.Close()
			return errRefused
		}})
		c.Trip(errRefused)
		time.Sleep(time.Minute)
		synctest.Wait()
		if err := c.Err(); err != nil || closed != 1 {
			t.Errorf("open because of %v, closed %d times; want that the failure is of a time before", err, closed)
		}
	})
}

// TestOpened has an API server be away twice.
func TestOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var events []string
		c := resume.New(ctx, resume.Options{
			First: time.Second, Last: time.Second, Probe: func(context.Context) error { return nil },
			Opened: func(cause error) { events = append(events, cause.Error()) }, Closed: func() { events = append(events, "closed") },
		})
		for _, cause := range []string{"a", "b"} {
			c.Trip(errors.New(cause))
			c.Trip(errors.New("again"))
			time.Sleep(2 * time.Second)
			synctest.Wait()
		}
		if got, want := strings.Join(events, " "), "a closed b closed"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
