// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// limited starts the command after it in a process that may have 1 GiB of memory of
	// its own. The addresses are not limited: a Go program reserves more than it uses.
	limited = `ulimit -d 1048576 && exec "$@"`
	// softLimit is the variable by which the runtime of Go knows of it.
	softLimit = "GOMEMLIMIT=920MiB"
)

// manager is a dragoman-manager within its limits.
type manager struct {
	binary, kubeconfig, log string

	cmd   *exec.Cmd
	ended atomic.Bool
	done  chan struct{}
}

// start runs the binary. It ends with this process, however that ends.
func (m *manager) start() error {
	log, err := os.OpenFile(m.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	m.ended.Store(false)
	m.done = make(chan struct{})
	started := make(chan error)
	go func() {
		defer close(m.done)
		defer log.Close() //nolint:errcheck // a log
		// The death signal comes when the thread that started the child ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		m.cmd = exec.Command("sh", "-c", limited, "sh", m.binary, "--kubeconfig", m.kubeconfig, "--logging-format", "json", "--metrics-bind-address", "0", "--health-probe-bind-address", "0", "--cluster-status-update-frequency", "5s")
		m.cmd.Env = append(os.Environ(), softLimit)
		m.cmd.Stdout, m.cmd.Stderr = log, log
		m.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
		err := m.cmd.Start()
		started <- err
		if err == nil {
			_ = m.cmd.Wait()
		}
		m.ended.Store(true)
	}()
	return <-started
}

// stop ends the manager and waits for its end.
func (m *manager) stop() {
	if m.ended.Load() {
		return
	}
	_ = m.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-m.done:
	case <-time.After(20 * time.Second):
		_ = m.cmd.Process.Kill()
		<-m.done
	}
}

// pause has the manager stand still until resume.
func (m *manager) pause() error { return m.cmd.Process.Signal(syscall.SIGSTOP) }

func (m *manager) resume() { _ = m.cmd.Process.Signal(syscall.SIGCONT) }

// memory returns the most that the manager held so far, in bytes.
func (m *manager) memory() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n << 10
		}
	}
	return 0
}

// clock is how many ticks of /proc a second has.
const clock = 100

// processor returns the processor time that the manager used so far.
func (m *manager) processor() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", m.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	var ticks int64
	if fields := strings.Fields(rest); len(fields) > 12 {
		for _, f := range fields[11:13] { // utime and stime
			n, _ := strconv.ParseInt(f, 10, 64)
			ticks += n
		}
	}
	return time.Duration(ticks) * time.Second / clock
}

// tail returns the part of the log that shows why the manager ended, or else its end.
func (m *manager) tail() string {
	text, err := os.ReadFile(m.log)
	if err != nil {
		return ""
	}
	const most = 3000
	from := max(0, len(text)-most)
	if at := crash.FindIndex(text); at != nil {
		from = at[0]
	}
	return "of the manager's log, " + m.log + ":\n" + string(text[from:min(len(text), from+most)])
}

// crash is the first line that the runtime of Go writes when it ends a program.
var crash = regexp.MustCompile(`(?m)^(fatal error|panic|runtime): `)
