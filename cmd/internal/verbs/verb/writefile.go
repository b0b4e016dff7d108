// SPDX-License-Identifier: Apache-2.0

package verb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// BesidePattern names what is written beside its place, and moved there once it is whole. The name
// is hidden, so that no program takes it for a bundle.
const BesidePattern = ".dragoman-*"

// WriteFile writes a file, whole or not at all, in place of one that is there.
func WriteFile(file string, data []byte, mode fs.FileMode) (err error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is there and is no file: choose another name", filepath.ToSlash(file))
	}
	beside, err := os.CreateTemp(filepath.Dir(file), BesidePattern)
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.ToSlash(file), err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(beside.Name())
		}
	}()
	_, err = beside.Write(data)
	if err = errors.Join(err, beside.Chmod(mode), beside.Sync(), beside.Close()); err != nil {
		return fmt.Errorf("write %s: %w", filepath.ToSlash(file), err)
	}
	return os.Rename(beside.Name(), file)
}
