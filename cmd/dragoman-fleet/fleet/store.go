// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"
)

// etcdName is the name of the process of etcd.
const etcdName = "etcd"

// CutStore kills etcd, and with it what all clusters store and watch. The data stays. Err
// does not report it.
func (f *Fleet) CutStore() error {
	p := f.process(etcdName)
	if p == nil || !p.isRunning() {
		return errors.New("cut the store: etcd does not run")
	}
	if err := p.kill(); err != nil {
		return fmt.Errorf("cut the store: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.saveState()
}

// RestoreStore starts the etcd that CutStore has killed, on its old ports with its old
// data, and returns when it is ready.
func (f *Fleet) RestoreStore(ctx context.Context) error {
	p := f.process(etcdName)
	if p == nil || p.isRunning() {
		return errors.New("restore the store: etcd was not cut off")
	}
	if err := f.run(ctx, p.component, etcdReady(f.dir.run(etcdName), f.gatewayURL)); err != nil {
		return fmt.Errorf("restore the store: %w", err)
	}
	return nil
}

// PauseStore stops etcd from running, without ending it.
func (f *Fleet) PauseStore() error { return f.signalStore("pause the store", syscall.SIGSTOP) }

// ResumeStore has the etcd that PauseStore has stopped run on.
func (f *Fleet) ResumeStore() error { return f.signalStore("resume the store", syscall.SIGCONT) }

func (f *Fleet) signalStore(what string, s syscall.Signal) error {
	p := f.process(etcdName)
	if p == nil || !p.isRunning() {
		return fmt.Errorf("%s: etcd does not run", what)
	}
	return signalProcess(p, what, s)
}

// StoreClient returns the address of the HTTP gateway of etcd, such as
// https://127.0.0.1:2379, and a client that etcd accepts, without a timeout. The data of a
// cluster begins with a slash and its name: who reads there sees what is stored, whatever
// becomes of the API servers.
func (f *Fleet) StoreClient() (address string, client *http.Client, err error) {
	if client, err = mutualTLS(f.dir.run(etcdName)); err != nil {
		return "", nil, fmt.Errorf("read the keys of etcd: %w", err)
	}
	return f.gatewayURL, client, nil
}
