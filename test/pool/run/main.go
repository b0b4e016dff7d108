// SPDX-License-Identifier: Apache-2.0

// Command run runs a command, such as go test, beside a pool of API servers that the suites
// which it starts share.
//
//	run [-hubs N] [-bare N] COMMAND [ARGUMENT]...
//
// The command begins at once: the servers start while it compiles and links. The exit code
// is that of the command; 1 if that is 0 and a server ended, or a suite wrote to a server
// that it had given back.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/dragoman-io/dragoman/test/pool"
)

func main() {
	hubs := flag.Int("hubs", 3, "how many control planes the suites share")
	bare := flag.Int("bare", 3, "how many API servers stand for members")
	flag.Parse()
	if flag.NArg() == 0 || *hubs < 1 || *bare < 0 {
		fmt.Fprintln(os.Stderr, "usage: run [-hubs N] [-bare N] COMMAND [ARGUMENT]...")
		os.Exit(2)
	}
	ctrl.SetLogger(logr.Discard()) // clients say nothing that is not in their errors
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, *hubs, *bare, flag.Args())
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		os.Exit(exit.ExitCode())
	case err != nil:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, hubs, bare int, command []string) (failed error) {
	dir, err := os.MkdirTemp("", "dragoman-pool-")
	if err != nil {
		return err
	}
	defer func() { failed = errors.Join(failed, os.RemoveAll(dir)) }()
	socket := filepath.Join(dir, "socket")
	l, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	serving, end := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- serve(serving, l, hubs, bare, cancel) }()

	err = start(ctx, socket, command)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = errors.Join(cause, err)
	}
	end()
	return errors.Join(err, <-served)
}

// start runs the command until its end. It is interrupted when ctx ends.
func start(ctx context.Context, socket string, command []string) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), pool.Socket+"="+socket)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	return cmd.Run()
}

// serve runs the pool until ctx ends. Whoever connects before the servers run waits.
func serve(ctx context.Context, l net.Listener, hubs, bare int, cancel context.CancelCauseFunc) (failed error) {
	defer func() {
		if failed != nil {
			cancel(failed)
		}
	}()
	began := time.Now()
	p, err := pool.Start(ctx, hubs, bare, os.Stderr)
	if err != nil {
		if ctx.Err() != nil { // the command has ended before
			err = nil
		}
		return errors.Join(err, l.Close())
	}
	say(os.Stderr, began, hubs, bare)
	defer func() { failed = errors.Join(failed, p.Stop()) }()
	watched := make(chan error, 1)
	go func() {
		err := p.Watch(ctx)
		if err != nil {
			cancel(err)
		}
		watched <- err
	}()
	err = p.Listen(ctx, l)
	return errors.Join(err, <-watched, p.Problems())
}

func say(out io.Writer, began time.Time, hubs, bare int) {
	_, _ = fmt.Fprintf(out, "%d control planes and %d API servers of members run after %.0f s, for all suites\n", hubs, bare, time.Since(began).Seconds())
}
