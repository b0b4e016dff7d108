// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	clocktesting "k8s.io/utils/clock/testing"
)

// slowLock takes its time for each write, or fails.
type slowLock struct {
	resourcelock.Interface
	clock *clocktesting.FakeClock
	takes time.Duration
	err   error
}

func (l *slowLock) Identity() string { return "me" }

func (l *slowLock) Create(context.Context, resourcelock.LeaderElectionRecord) error {
	l.clock.Step(l.takes)
	return l.err
}

func (l *slowLock) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.Create(ctx, r)
}

func TestLead(t *testing.T) {
	mine, given := resourcelock.LeaderElectionRecord{HolderIdentity: "me"}, resourcelock.LeaderElectionRecord{}
	clock := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	inner := &slowLock{clock: clock}
	l := &lead{clock: clock, limit: 10 * time.Second}
	lock := &recordedLock{Interface: inner, lead: l}
	may := func(why string, want bool) {
		t.Helper()
		if err := l.mayWrite(); (err == nil) != want {
			t.Errorf("%s: got %v, may write wanted: %t", why, err, want)
		}
	}
	write := func(r resourcelock.LeaderElectionRecord) {
		if err := lock.Update(t.Context(), r); !errors.Is(err, inner.err) {
			t.Fatal(err)
		}
	}

	clock.Step(time.Hour)
	may("a process that never led", true)
	if err := lock.Create(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	clock.Step(9 * time.Second)
	may("a leader before the limit", true)
	clock.Step(time.Second)
	may("a leader that stood still", false)
	write(mine)
	may("a leader that renewed its lease", true)
	inner.takes = 6 * time.Second
	write(mine)
	clock.Step(4 * time.Second)
	may("a leader whose last renewal began at the limit", false)
	inner.takes = 0
	write(mine)
	clock.Step(9 * time.Second)
	inner.err = errors.New("no answer")
	write(mine)
	clock.Step(time.Second)
	may("a leader that did not renew its lease", false)
	inner.err = nil
	write(mine)
	may("a leader again", true)
	inner.err = errors.New("no answer")
	write(given)
	may("a leader that may have given up its lease", false)
}

func TestLeadGuardsWrites(t *testing.T) {
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = append(seen, r.Method) }))
	defer server.Close()
	clock := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	l := &lead{clock: clock, limit: 10 * time.Second}
	c := &http.Client{Transport: l.guard(http.DefaultTransport)}
	try := func(method string) error {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL, strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		response, err := c.Do(r)
		if err == nil {
			_ = response.Body.Close()
		}
		return err
	}
	l.set(clock.Now())
	for _, method := range []string{http.MethodPost, http.MethodGet} {
		if err := try(method); err != nil {
			t.Errorf("%s while it leads: %v", method, err)
		}
	}
	clock.Step(11 * time.Second)
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if err := try(method); err == nil || !strings.Contains(err.Error(), "was not renewed for 11s") {
			t.Errorf("%s after the lead was lost: got %v", method, err)
		}
	}
	if err := try(http.MethodGet); err != nil {
		t.Errorf("GET after the lead was lost: %v", err)
	}
	if got := strings.Join(seen, " "); got != "POST GET GET" {
		t.Errorf("the server got %s", got)
	}
}

// The lease has limits of its own: a timeout of the manager's configuration would end each of its
// watches after seconds.
func TestLeaseHasItsOwnConfiguration(t *testing.T) {
	config := &rest.Config{Host: "https://127.0.0.1:1"}
	e := &election{enabled: true, namespace: "ns", renew: 10 * time.Second}
	if _, err := (&lead{}).lock(e, config, runtime.NewScheme()); err != nil {
		t.Fatal(err)
	}
	if config.Timeout != 0 || config.UserAgent != "" {
		t.Errorf("the manager's configuration has timeout %s and user agent %q", config.Timeout, config.UserAgent)
	}
}
