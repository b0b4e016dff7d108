// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestMain lets burden start this test program.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == spinArgument {
		spin(os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestBurdenEnds(t *testing.T) {
	free, err := burden(2)
	if err != nil {
		t.Fatal(err)
	}
	free() // returns when they have ended
}

// TestSpinIsBusyUntilItsInputEnds checks that the process takes a processor's time, however
// long it has to wait for one, and that it ends when the other end of its pipe is closed.
func TestSpinIsBusyUntilItsInputEnds(t *testing.T) {
	for wait := 100 * time.Millisecond; ; wait *= 2 {
		busy := spinFor(t, wait)
		if busy >= 50*time.Millisecond {
			return
		}
		if wait > 20*time.Second {
			t.Fatalf("got %s of processor time in %s", busy, wait)
		}
	}
}

// spinFor runs the process for a while and returns the processor time that it took.
func spinFor(t *testing.T, wait time.Duration) time.Duration {
	cmd := exec.Command(os.Args[0], spinArgument)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(wait)
	if err := pipe.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.UserTime()
}
