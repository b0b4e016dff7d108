// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"

	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

// AddHealthChecks has a manager answer /healthz and /readyz. It is alive unless a worker
// of a controller hangs, and ready once the caches of all controllers are synced and the
// rules of customizations and bundles are active. A manager that waits to be elected is
// ready to take over once its cache is. /readyz/controllers answers with the kinds that it waits
// for, if its informers are observed.
func AddHealthChecks(mgr ctrl.Manager, d Deps, all []Controller, elects bool) error {
	loaded := &rulesLoading{all: all}
	started := func(r *http.Request) error {
		err := error(nil)
		if elects && !isElected(mgr) {
			err = cached(r.Context(), mgr)
		} else {
			err = d.Progress.Ready()
		}
		if waiting := d.Informers.Err(); err != nil && waiting != nil {
			return fmt.Errorf("%w; %w", err, waiting)
		}
		return err
	}
	return errors.Join(
		mgr.Add(loaded),
		mgr.AddHealthzCheck("ping", healthz.Ping),
		mgr.AddHealthzCheck("workers", func(*http.Request) error { return d.Progress.Stuck(base.StuckAfter) }),
		mgr.AddReadyzCheck("controllers", started),
		mgr.AddReadyzCheck("rules", loaded.check),
	)
}

func isElected(mgr ctrl.Manager) bool {
	select {
	case <-mgr.Elected():
		return true
	default:
		return false
	}
}

// cached returns an error if the cache has not started.
func cached(ctx context.Context, mgr ctrl.Manager) error {
	ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if !mgr.GetCache().WaitForCacheSync(ctx) {
		return errors.New("the cache is not synced yet")
	}
	return nil
}

// rulesLoading waits until the rules of all controllers are active, however long that takes.
type rulesLoading struct {
	all  []Controller
	done atomic.Bool
}

// Start waits. What cannot be loaded is reported by the controller that loads it.
func (l *rulesLoading) Start(ctx context.Context) error {
	loaded := true
	for _, c := range l.all {
		if waiting, ok := c.(loader); ok {
			loaded = loaded && waiting.Wait(ctx) == nil
		}
	}
	l.done.Store(loaded && ctx.Err() == nil)
	return nil
}

// NeedLeaderElection is false: the rules are those of the process.
func (l *rulesLoading) NeedLeaderElection() bool { return false }

func (l *rulesLoading) check(*http.Request) error {
	if !l.done.Load() {
		return errors.New("the rules of customizations and bundles are not all active yet")
	}
	return nil
}
