// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// shutdownGrace is how long a fleet may take to end all its processes.
const shutdownGrace = 45 * time.Second

// Shutdown ends the fleet in dir that another process holds, by ending that
// process, and returns when its files are gone. It reports whether there was a
// fleet; what an ended one left behind is removed all the same.
func Shutdown(ctx context.Context, dir string) (bool, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false, err
	}
	path := filepath.Join(dir, lockName)
	pid, err := lockHolder(path)
	if err != nil {
		return false, fmt.Errorf("shut down fleet: %w", err)
	}
	if pid != 0 {
		if err := shutdown(ctx, path, pid); err != nil {
			return true, fmt.Errorf("shut down fleet in %s: %w", dir, err)
		}
	}
	if _, err := os.Stat(path); err != nil {
		return pid != 0, notExist(err) // removed by the fleet, or never there
	}
	left, err := claim(ctx, dir)
	if err != nil {
		return pid != 0, err
	}
	return pid != 0, left.remove()
}

// shutdown ends the process pid that holds the lock at path and waits until it
// holds it no longer.
func shutdown(ctx context.Context, path string, pid int) error {
	if pid == os.Getpid() {
		return fmt.Errorf("it lives in this process: call Stop")
	}
	holder, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	// From here on holder is one certain process; is it still the one we mean?
	if now, err := lockHolder(path); err != nil || now != pid {
		return err
	}
	defer holder.Release()
	_ = holder.Signal(syscall.SIGTERM) // an error means: gone already
	for deadline := time.Now().Add(shutdownGrace); ; {
		now, err := lockHolder(path)
		if err != nil || now != pid {
			return err
		}
		if time.Now().After(deadline) {
			_ = holder.Kill() // its children die with it
		}
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}
