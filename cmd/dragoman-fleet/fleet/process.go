// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// stopGrace is how long a process may take to end after SIGTERM.
const stopGrace = 10 * time.Second

// launcher starts processes from one operating-system thread that lives as long
// as the launcher. The kernel sends a child its parent-death signal when the
// *thread* that forked it ends, so a thread of Go's pool would not do.
type launcher struct {
	jobs chan func()
	done chan struct{}
}

func newLauncher() *launcher {
	l := &launcher{jobs: make(chan func()), done: make(chan struct{})}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this function
		for {
			select {
			case job := <-l.jobs:
				job()
			case <-l.done:
				return
			}
		}
	}()
	return l
}

// close ends the thread, and with it any process that is still running.
func (l *launcher) close() { close(l.done) }

// process is one running component. Its output goes to a file of its own.
type process struct {
	component
	logFile string
	cmd     *exec.Cmd
	exited  chan struct{} // closed when the process is gone
	wanted  atomic.Bool   // it was asked to end
}

// start runs c from the folder of binaries, writing its output to logFile, which
// is emptied first. The process gets no environment but HOME and TMPDIR, so that
// settings of the user do not reach it.
func (l *launcher) start(c component, binaries, logFile string) (*process, error) {
	out, err := os.Create(logFile)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := exec.Command(filepath.Join(binaries, c.binary), c.args...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = out, out, c.home
	cmd.Env = []string{"HOME=" + c.home, "TMPDIR=" + c.home}
	cmd.SysProcAttr = childAttr()

	started := make(chan error, 1)
	select {
	case l.jobs <- func() { started <- cmd.Start() }:
	case <-l.done:
		started <- errors.New("the fleet has been stopped")
	}
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	p := &process{component: c, logFile: logFile, cmd: cmd, exited: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // its exit state stays in cmd.ProcessState
		close(p.exited)
	}()
	return p, nil
}

func (p *process) isRunning() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// kill ends the process with SIGKILL and waits until it is gone.
func (p *process) kill() error {
	p.wanted.Store(true)
	_ = p.cmd.Process.Kill() // an error means: gone already
	select {
	case <-p.exited:
		return nil
	case <-time.After(stopGrace):
		return fmt.Errorf("%s (process %d) does not end", p.name, p.cmd.Process.Pid)
	}
}

// stop ends the process with SIGTERM, then SIGKILL, and waits until it is gone.
func (p *process) stop() error {
	p.wanted.Store(true)
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // an error means: gone already
	_ = p.cmd.Process.Signal(syscall.SIGCONT) // a paused process would not see the other
	select {
	case <-p.exited:
		return nil
	case <-time.After(stopGrace):
		return p.kill()
	}
}

// await calls ready until it returns nil. It returns up when the process ends,
// with an *exitError, or when ctx does.
func (p *process) await(ctx context.Context, ready func(context.Context) error) error {
	for {
		err := p.try(ctx, ready)
		if err == nil {
			return nil
		}
		select {
		case <-p.exited:
			return p.exit()
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return fmt.Errorf("wait for %s: %w", p.name, ctx.Err())
			}
			return fmt.Errorf("wait for %s: %w: %w; the end of %s:\n%s", p.name, ctx.Err(), err, p.logFile, tail(p.logFile))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// try calls ready once, and no longer than the process lives: when its port is
// another's, that one may accept the connection and never answer.
func (p *process) try(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	go func() {
		select {
		case <-p.exited:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ready(ctx)
}

// exitError is the error of a component that ended by itself.
type exitError struct {
	name  string // component
	state string // such as "exit status 1"
	log   string // path of its log
	tail  string // the last lines of it
}

func (e *exitError) Error() string {
	return fmt.Sprintf("%s ended: %s; the end of %s:\n%s", e.name, e.state, e.log, e.tail)
}

// exit describes the end of a process that has exited.
func (p *process) exit() *exitError {
	return &exitError{p.name, p.cmd.ProcessState.String(), p.logFile, tail(p.logFile)}
}

// tail returns the last 12 lines of a file, or why it cannot be read.
func tail(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(string(bytes.TrimSpace(data)), "\n")
	return "\t" + strings.Join(lines[max(0, len(lines)-12):], "\n\t")
}

// endedByItself returns the *exitError inside err, or nil.
func endedByItself(err error) *exitError {
	var exit *exitError
	if errors.As(err, &exit) {
		return exit
	}
	return nil
}
