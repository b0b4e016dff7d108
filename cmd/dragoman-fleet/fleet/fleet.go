// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
)

// startTimeout bounds a start, whatever the caller's context allows. It takes
// seconds; this is for machines under heavy load.
const startTimeout = 5 * time.Minute

// phase of a fleet's life.
type phase int

const (
	starting phase = iota
	running
	ending
)

// Fleet is a control plane and its members, running. Its methods may be called
// from many goroutines.
type Fleet struct {
	ControlPlane *Cluster
	Members      []*Cluster // in the order of Options.Members

	opts       Options
	dir        folder
	launcher   *launcher
	etcdURL    string // where API servers reach etcd
	gatewayURL string // where others do, over HTTP
	began      time.Time
	log        *slog.Logger
	logFile    *os.File

	standIns       sync.WaitGroup // those that wait for their kinds
	cancelStandIns context.CancelFunc

	mu        sync.Mutex
	processes []*process // that became ready, in order of start
	died      []error    // one for each component that ended by itself
	phase     phase

	stop    sync.Once
	stopErr error
}

// Start runs whole clusters and returns when they are ready: the control plane
// with garbage collection and namespaces but no workload controllers, each
// member with these, a scheduler and ready nodes. On an error nothing is left
// running. ctx bounds the start only; the fleet lives until Stop or until this
// process ends.
func Start(ctx context.Context, opts Options) (*Fleet, error) {
	return start(ctx, opts, shape{
		controlPlane: (*Fleet).startControlPlane,
		member:       (*Fleet).startMember,
		binaries:     []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"},
	})
}

// StartAPIServers is Start with nothing but etcd and an API server for each
// cluster (and the stand-ins, if any): objects are stored, validated and
// watched, but owners are not collected, namespaces do not finish deleting,
// and nothing runs. Pods need no service account.
func StartAPIServers(ctx context.Context, opts Options) (*Fleet, error) {
	return start(ctx, opts, shape{
		controlPlane: (*Fleet).startBare,
		member:       (*Fleet).startBare,
		binaries:     []string{"etcd", "kube-apiserver"},
	})
}

// starter starts one cluster, whose keys exist, and returns when it is ready.
type starter func(*Fleet, context.Context, *Cluster) error

// shape is what the clusters of a fleet consist of.
type shape struct {
	controlPlane, member starter
	binaries             []string // that these and the fleet start
}

func start(ctx context.Context, opts Options, shape shape) (*Fleet, error) {
	opts, err := opts.complete(shape.binaries)
	if err != nil {
		return nil, fmt.Errorf("start fleet: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	dir, err := claim(ctx, opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("start fleet: %w", err)
	}
	f := &Fleet{opts: opts, dir: dir, launcher: newLauncher(), began: time.Now()}
	if err := f.start(ctx, shape); err != nil {
		return nil, errors.Join(fmt.Errorf("start fleet: %w", err), f.Stop())
	}
	return f, nil
}

func (f *Fleet) start(ctx context.Context, shape shape) error {
	var err error
	if f.logFile, err = os.Create(f.dir.log("fleet")); err != nil {
		return err
	}
	f.log = slog.New(slog.NewTextHandler(f.logFile, nil))
	if err := f.makeClusters(); err != nil {
		return err
	}
	if err := f.startEtcd(ctx); err != nil {
		return err
	}
	group, ctx := newGroup(ctx)
	group.Go(func() error { return shape.controlPlane(f, ctx, f.ControlPlane) })
	for _, m := range f.Members {
		group.Go(func() error { return shape.member(f, ctx, m) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := f.playStandIns(); err != nil {
		return err
	}
	return f.setPhase(running)
}

// makeClusters makes the keys of all clusters and of etcd.
func (f *Fleet) makeClusters() error {
	home := f.dir.run("etcd")
	if err := os.Mkdir(home, 0o700); err != nil {
		return err
	}
	ca, err := newAuthority("etcd")
	if err != nil {
		return err
	}
	if err := ca.issue(home, "etcd"); err != nil {
		return err
	}
	if f.ControlPlane, err = newCluster(controlPlane, f.dir); err != nil {
		return err
	}
	for _, name := range f.opts.Members {
		m, err := newCluster(name, f.dir)
		if err != nil {
			return err
		}
		f.Members = append(f.Members, m)
	}
	return nil
}

// Stop ends every process, API servers before etcd, and removes the fleet's
// files unless Options.KeepDir is set. It returns when all processes are gone.
// Later calls return the result of the first.
func (f *Fleet) Stop() error {
	f.stop.Do(func() { f.stopErr = f.end() })
	return f.stopErr
}

func (f *Fleet) end() error {
	if f.cancelStandIns != nil {
		f.cancelStandIns()
	}
	f.standIns.Wait()
	errs := []error{f.setPhase(ending)}
	processes := f.snapshot()
	for _, round := range []func(*process) bool{
		func(p *process) bool { return !isServer(p) && p.name != "etcd" },
		isServer,
		func(p *process) bool { return p.name == "etcd" },
	} {
		var stopping group
		for _, p := range processes {
			if round(p) {
				stopping.Go(p.stop)
			}
		}
		errs = append(errs, stopping.Wait())
	}
	f.launcher.close()

	if f.logFile != nil {
		errs = append(errs, f.logFile.Close())
	}
	if f.opts.KeepDir {
		errs = append(errs, f.dir.lock.Close())
	} else {
		errs = append(errs, f.dir.remove())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("stop fleet: %w", err)
	}
	return nil
}

func isServer(p *process) bool { return strings.HasSuffix(p.name, "-kube-apiserver") }

// Err returns nil while every component runs; afterwards an error that names
// those that ended by themselves, with the end of their logs. A component that
// ended is not started again.
func (f *Fleet) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(f.died...)
}

// Dir returns the fleet's folder: kubeconfigs/<cluster>.kubeconfig, logs/ and
// the data.
func (f *Fleet) Dir() string { return f.dir.path }
