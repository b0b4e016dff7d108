// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// lockName is the file that marks a folder as a fleet's and holds the id of its process.
const lockName = "fleet.lock"

// ErrRunning is returned by Start when a fleet lives in the folder already.
var ErrRunning = errors.New("a fleet is running there already")

// folder is the place of one fleet on disk, held by a lock.
type folder struct {
	path string
	lock *os.File
}

// What a fleet writes into its folder, beside the lock. Nothing else is ever
// removed from it.
var contents = []string{"kubeconfigs", "logs", "run", stateName}

func (f folder) kubeconfig(name string) string {
	return filepath.Join(f.path, "kubeconfigs", name+".kubeconfig")
}

func (f folder) log(name string) string {
	return filepath.Join(f.path, "logs", name+".log")
}

// run is where the component or cluster called name keeps keys and data.
func (f folder) run(name string) string {
	return filepath.Join(f.path, "run", name)
}

// claim locks the folder at path for this process and empties it of what an
// ended fleet left there. It returns ErrRunning when a fleet lives in it, and an
// error when it holds other things.
func claim(ctx context.Context, path string) (folder, error) {
	f := folder{path: path}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return f, err
	}
	// Keys and tokens lie in here. This also fails when the folder is another user's.
	if err := os.Chmod(path, 0o700); err != nil {
		return f, err
	}
	if err := mayClaim(path); err != nil {
		return f, err
	}
	// Someone who only looks at the lock holds it for an instant; wait for that.
	brief, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	lock, err := waitLock(brief, filepath.Join(path, lockName), func() {})
	if errors.Is(err, context.DeadlineExceeded) {
		return f, fmt.Errorf("%s: %w", path, ErrRunning)
	}
	if err != nil {
		return f, err
	}
	f.lock = lock
	if err := f.clear(); err != nil {
		return f, errors.Join(err, lock.Close())
	}
	for _, dir := range []string{"kubeconfigs", "logs", "run"} {
		if err := os.Mkdir(filepath.Join(path, dir), 0o700); err != nil {
			return f, errors.Join(err, lock.Close())
		}
	}
	return f, nil
}

// mayClaim refuses a folder that is neither empty nor marked as a fleet's.
func mayClaim(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) == 0 {
		return err
	}
	if _, err := os.Stat(filepath.Join(path, lockName)); err != nil {
		return fmt.Errorf("%s is not empty and holds no fleet: choose another folder", path)
	}
	return nil
}

// clear removes what a fleet writes, but not the lock.
func (f folder) clear() error {
	var errs []error
	for _, name := range contents {
		errs = append(errs, os.RemoveAll(filepath.Join(f.path, name)))
	}
	return errors.Join(errs...)
}

// remove takes the fleet's files and the lock away, and the folder itself when
// nothing else is in it.
func (f folder) remove() error {
	err := f.clear()
	// The lock goes last: until then nobody else can claim the folder.
	err = errors.Join(err, os.Remove(f.lock.Name()), f.lock.Close())
	if entries, readErr := os.ReadDir(f.path); readErr == nil && len(entries) == 0 {
		err = errors.Join(err, os.Remove(f.path))
	}
	return err
}
