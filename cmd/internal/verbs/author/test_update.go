// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine/author"
)

// writeUpdates writes the case files with what scripts answer now, and says which cases it changed.
// A case that was updated has not failed.
func (o *testOptions) writeUpdates(r *author.Report, plan *author.Plan) error {
	updates, err := plan.Updates(verb.HostFS{})
	if err != nil {
		return err
	}
	for _, u := range updates {
		if err := replaceFile(filepath.FromSlash(u.File), u.Text); err != nil {
			return fmt.Errorf("update %s: %w", u.File, err)
		}
		for _, name := range u.Cases {
			fmt.Fprintf(o.streams.Err, "updated %s: %s\n", u.File, name)
		}
		r.Failed -= len(u.Cases)
		r.Passed += len(u.Cases)
	}
	return nil
}

// replaceFile writes a file whole or not at all, with the mode that it has.
func replaceFile(name string, text []byte) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".dragoman-update-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // it is gone where it was renamed
	_, err = f.Write(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(f.Name(), info.Mode().Perm())
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	return err
}
