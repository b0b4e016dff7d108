// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// errLocked is the error of a lock that another process, or another fleet in this one,
// holds.
var errLocked = errors.New("locked")

// tryLock takes the lock file at path, making it if need be, and writes this
// process's id into it. It returns errLocked at once when someone else holds
// it. Closing the file releases the lock, and so does the end of the process.
func tryLock(path string) (*os.File, error) {
	for {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		err = lockFile(file, path)
		if err == nil {
			return file, nil
		}
		file.Close()
		if !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		// The holder before us removed the file between our open and our lock.
	}
}

// lockFile locks an open file; os.ErrNotExist means that path is another file now.
func lockFile(file *os.File, path string) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	ours, err := file.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !os.SameFile(ours, there) {
		return os.ErrNotExist
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err = file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// waitLock is tryLock that waits; busy is called once when it has to.
func waitLock(ctx context.Context, path string, busy func()) (*os.File, error) {
	for first := true; ; first = false {
		file, err := tryLock(path)
		if !errors.Is(err, errLocked) {
			return file, err
		}
		if first {
			busy()
		}
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// lockHolder returns the id of the process that holds the lock file at path, or
// 0 when nobody does or there is no such file.
func lockHolder(path string) (int, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	// A shared lock does not disturb another reader; it is given back at once.
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if err == nil {
		return 0, nil
	}
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return 0, fmt.Errorf("lock %s: %w", path, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s names no process: %w", path, err)
	}
	return pid, nil
}

// sleep waits for d or until ctx ends, and returns the error of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
