// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/dragoman-io/dragoman/test/scenario"
)

// restartAfter is the time between the end of a manager and the start of the next one in its
// place.
const restartAfter = 500 * time.Millisecond

// replica is one of the managers, of which one leads. Whenever its process ends, another one
// is started, as a kubelet does.
type replica struct {
	name, binary, kubeconfig, logs string
	flags                          []string

	mu      sync.Mutex
	manager *scenario.Manager
	// starts is how many processes there were, kills how many a fault ended.
	starts, kills int
	stopped       bool
	ended         chan struct{} // closed when the last process is gone
}

// start starts the first process, with a log of its own, as each further one has.
func (r *replica) start() error {
	if err := r.launch(); err != nil {
		return err
	}
	r.ended = make(chan struct{})
	go r.keep()
	return nil
}

func (r *replica) launch() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return nil
	}
	log := filepath.Join(r.logs, fmt.Sprintf("manager-%s-%02d.log", r.name, r.starts+1))
	flags := append([]string{"--cluster-success-threshold", "1ms", "--cluster-owner=chaos"}, r.flags...)
	m, err := scenario.StartManager(context.Background(), r.binary, r.kubeconfig, log, flags...)
	if err != nil {
		return err
	}
	r.manager = m
	r.starts++
	return nil
}

// keep starts another process whenever one ends.
func (r *replica) keep() {
	defer close(r.ended)
	for {
		<-r.running().Ended()
		time.Sleep(restartAfter)
		r.mu.Lock()
		stopped := r.stopped
		r.mu.Unlock()
		if stopped {
			return
		}
		if err := r.launch(); err != nil {
			return // it was there a moment ago; the run ends since nobody leads
		}
	}
}

func (r *replica) running() *scenario.Manager {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.manager
}

// kill ends the process at once, unless it has ended by itself.
func (r *replica) kill() {
	r.mu.Lock()
	m := r.manager
	isThere := !hasEnded(m)
	if isThere {
		r.kills++
	}
	r.mu.Unlock()
	if isThere {
		m.Kill()
	}
}

func hasEnded(m *scenario.Manager) bool {
	select {
	case <-m.Ended():
		return true
	default:
		return false
	}
}

// hold stops the process from running, and returns a function that has it run on. One that
// ended by itself is left alone.
func (r *replica) hold() (release func() error, err error) {
	m := r.running()
	if hasEnded(m) {
		return func() error { return nil }, nil
	}
	if err := m.Pause(); err != nil && !hasEnded(m) {
		return nil, err
	}
	return func() error {
		if hasEnded(m) {
			return nil
		}
		if err := m.Resume(); err != nil && !hasEnded(m) {
			return err
		}
		return nil
	}, nil
}

// stop ends the process for good.
func (r *replica) stop() {
	r.mu.Lock()
	r.stopped = true
	m := r.manager
	r.mu.Unlock()
	m.Kill()
	<-r.ended
}

// ends returns how many processes ended by themselves, as a manager does that loses its lease.
func (r *replica) ends() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.starts - 1 - r.kills
}
