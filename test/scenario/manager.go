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
	pid    int
	cancel context.CancelFunc
	done   chan struct{} // closed when the process is gone
}

// StartManager runs the binary against a control plane; its log goes to a file. It
// ends with Stop, with ctx, and with this process, however that ends.
func StartManager(ctx context.Context, binary, kubeconfig, logFile string, args ...string) (*Manager, error) {
	log, err := os.Create(logFile)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	m := &Manager{cancel: cancel, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		defer log.Close() //nolint:errcheck // a log
		// The death signal comes when the thread that started the child ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		// Many managers run on one host: who wants metrics or probes passes an address.
		flags := []string{"--kubeconfig", kubeconfig, "--logging-format", "json", "--metrics-bind-address", "0", "--health-probe-bind-address", "0"}
		cmd := exec.CommandContext(ctx, binary, append(flags, args...)...)
		cmd.Stdout, cmd.Stderr = log, log
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.WaitDelay = 15 * time.Second
		err := cmd.Start()
		if err == nil {
			m.pid = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(m.done)
	}()
	if err := <-started; err != nil {
		cancel()
		return nil, fmt.Errorf("start %s: %w", binary, err)
	}
	return m, nil
}

// PID returns the id of the process.
func (m *Manager) PID() int { return m.pid }

// Ended is closed when the process is gone.
func (m *Manager) Ended() <-chan struct{} { return m.done }

// Kill ends the manager at once, as the loss of its machine would, and waits for its end.
func (m *Manager) Kill() {
	_ = syscall.Kill(m.pid, syscall.SIGKILL) // an error means: gone already
	<-m.done
	m.cancel()
}

// Pause stops the manager from running, without ending it, until Resume.
func (m *Manager) Pause() error { return syscall.Kill(m.pid, syscall.SIGSTOP) }

// Resume has the manager that Pause has stopped run on.
func (m *Manager) Resume() error { return syscall.Kill(m.pid, syscall.SIGCONT) }

// Stop ends the manager and waits for its end.
func (m *Manager) Stop() {
	m.cancel()
	<-m.done
}
