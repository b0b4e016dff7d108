// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Manager is a running dragoman-manager.
type Manager struct {
	cancel context.CancelFunc
	done   chan error
}

// StartManager runs the binary against a control plane; its log goes to a file. It
// ends with Stop, with ctx, and with this process, however that ends.
func StartManager(ctx context.Context, binary, kubeconfig, logFile string, args ...string) (*Manager, error) {
	log, err := os.Create(logFile)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	m := &Manager{cancel: cancel, done: make(chan error, 1)}
	started := make(chan error, 1)
	go func() {
		defer log.Close() //nolint:errcheck // a log
		// The death signal comes when the thread that started the child ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		cmd := exec.CommandContext(ctx, binary, append([]string{"--kubeconfig", kubeconfig, "--logging-format", "json"}, args...)...)
		cmd.Stdout, cmd.Stderr = log, log
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.WaitDelay = 15 * time.Second
		err := cmd.Start()
		started <- err
		if err == nil {
			err = cmd.Wait()
		}
		m.done <- err
	}()
	if err := <-started; err != nil {
		cancel()
		return nil, fmt.Errorf("start %s: %w", binary, err)
	}
	return m, nil
}

// Stop ends the manager and waits for its end.
func (m *Manager) Stop() {
	m.cancel()
	<-m.done
}
