// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// setPhase changes the phase.
func (f *Fleet) setPhase(next phase) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.phase = next
	return f.saveState()
}

// snapshot returns the processes so far.
func (f *Fleet) snapshot() []*process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.processes)
}

// launch starts a component on n free ports and waits until it is ready. When
// somebody takes a port between choice and use, it tries again with others.
func (f *Fleet) launch(ctx context.Context, n int, prepare func(ports []int) (component, check)) error {
	for attempt := 1; ; attempt++ {
		ports, err := choosePorts(n, f.opts.Port)
		if err != nil {
			return err
		}
		c, ready := prepare(ports)
		err = f.run(ctx, c, ready)
		exit := endedByItself(err)
		if exit == nil || !portTaken(exit) || attempt == portAttempts {
			return err
		}
		f.log.Warn("tried again with other ports", "component", c.name, "ports", ports)
	}
}

// run starts a component and waits until it is ready; then it is one of the
// fleet's processes. On an error it does not run.
func (f *Fleet) run(ctx context.Context, c component, ready check) error {
	began := time.Now()
	p, err := f.launcher.start(c, cmp.Or(c.binaries, f.opts.Binaries), f.dir.log(c.name))
	if err != nil {
		return err
	}
	if err := p.await(ctx, ready); err != nil {
		return errors.Join(err, p.stop())
	}
	f.log.Info("started component", "component", p.name, "pid", p.cmd.Process.Pid, "seconds", time.Since(began).Seconds())
	return f.addProcess(p)
}

// addProcess adds a process to those of the fleet, in place of an ended one with the same
// name, and reports if it ends by itself.
func (f *Fleet) addProcess(p *process) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.processes = slices.DeleteFunc(f.processes, func(old *process) bool { return old.name == p.name })
	f.processes = append(f.processes, p)
	go func() {
		<-p.exited
		if !p.wanted.Load() {
			f.report(p.exit())
		}
	}()
	return f.saveState()
}

// report records that a component has ended.
func (f *Fleet) report(err error) {
	f.log.Error("missed a component", "error", err)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.died = append(f.died, err)
	_ = f.saveState() // only another process would miss it
}

// server returns the process of the cluster's API server, or nil.
func (f *Fleet) server(c *Cluster) *process { return f.process(c.Name + "-kube-apiserver") }

// process returns the process of this name, or nil.
func (f *Fleet) process(name string) *process {
	for _, p := range f.snapshot() {
		if p.name == name {
			return p
		}
	}
	return nil
}

// Runs reports whether the API server of c runs.
func (f *Fleet) Runs(c *Cluster) bool {
	p := f.server(c)
	return p != nil && p.isRunning()
}
