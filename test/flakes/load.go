// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
)

// spinArgument makes this program one of the processes that burden starts.
const spinArgument = "keep-a-processor-busy"

// burden starts n processes that each keep one processor busy. They end with the
// returned function, and with this process however it ends: they read from a pipe that
// nobody else writes to.
func burden(n int) (free func(), err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var stops []func()
	free = func() {
		for _, stop := range stops {
			stop()
		}
	}
	for range n {
		cmd := exec.Command(program, spinArgument)
		pipe, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			free()
			return nil, fmt.Errorf("start a process that keeps a processor busy: %w", err)
		}
		stops = append(stops, func() {
			_ = pipe.Close()
			_ = cmd.Wait() // it ended because of us; how does not matter
		})
	}
	return free, nil
}

// spin keeps a processor busy until in ends.
func spin(in io.Reader) {
	var ended atomic.Bool
	go func() {
		_, _ = io.Copy(io.Discard, in)
		ended.Store(true)
	}()
	for !ended.Load() {
	}
}
