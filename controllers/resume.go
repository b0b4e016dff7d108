// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/dragoman-io/dragoman/controllers/internal/resume"
)

const (
	// firstHubProbe and lastHubProbe bound the time between two probes of a control plane that does
	// not answer.
	firstHubProbe, lastHubProbe = 250 * time.Millisecond, 500 * time.Millisecond
	// relistAfter is after how long a watch does not go on where it ended, but lists its kind again.
	relistAfter = 2 * time.Second
	// resumeHubEvery is the time between two watches that go on once it answers.
	resumeHubEvery = 5 * time.Millisecond
	// awayReport is the time between two entries of the log about a control plane that does not answer.
	awayReport = time.Minute
)

// ResumeWatches has the watches of a manager of these options, and the lists before them, wait for the
// API server while it does not answer, and go on when it does; informers report why they wait. All
// other requests fail at once, as without it. The log of ctx has both, and the probes end with ctx.
// The client that it returns is for further caches of the control plane.
func ResumeWatches(ctx context.Context, config *rest.Config, o *ctrl.Options, informers *Informers) (*http.Client, error) {
	config = rest.CopyConfig(config)
	config.UserAgent = cmp.Or(config.UserAgent, rest.DefaultKubernetesUserAgent())
	next, err := rest.TransportFor(config)
	if err != nil {
		return nil, fmt.Errorf("configure the watches of the control plane: %w", err)
	}
	host, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("configure the watches of the control plane: %w", err)
	}
	asker, ready := &http.Client{Transport: next}, host.JoinPath("readyz").String()
	a := &away{log: ctrl.LoggerFrom(ctx).WithName("watches")}
	circuit := resume.New(ctx, resume.Options{
		Probe: func(ctx context.Context) error { return a.probed(resume.Ready(ctx, asker, ready)) },
		First: firstHubProbe, Last: lastHubProbe, Every: resumeHubEvery, Opened: a.begin, Closed: a.end,
	})
	informers.Away = circuit.Err
	watches := resume.Patient{Transport: resume.Transport{Circuit: circuit, Next: next}, Relist: relistAfter}
	o.Cache.HTTPClient = &http.Client{Transport: watches, Timeout: config.Timeout}
	return o.Cache.HTTPClient, nil
}

// away logs for how long the control plane has not answered. It is safe for many goroutines.
type away struct {
	log logr.Logger

	mu sync.Mutex
	// since is when that began, reported when it was logged last; zero while it answers.
	since, reported time.Time
}

func (a *away) begin(cause error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.since = time.Now()
	a.reported = a.since
	a.log.Error(cause, "got no answer from the control plane, for which all watches wait")
}

// probed returns the error of a probe, and logs it now and then.
func (a *away) probed(err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); err != nil && !a.since.IsZero() && now.Sub(a.reported) >= awayReport {
		a.reported = now
		a.log.Error(err, "waited for the control plane to answer", "waited", now.Sub(a.since).Round(time.Second).String())
	}
	return err
}

func (a *away) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.log.Info("got an answer from the control plane again", "waited", time.Since(a.since).Round(time.Millisecond).String())
	a.since = time.Time{}
}
