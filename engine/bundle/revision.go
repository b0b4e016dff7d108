// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
)

// Revision names what is in a bundle's folder: a hash over the paths and the bytes of
// its files, sorted, as 64 hexadecimal digits. Hidden files do not count.
func Revision(fsys fs.FS, dir string) (string, error) {
	root, err := fs.Sub(fsys, dir)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && Hidden(path.Base(name)):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%q %d\n", name, len(data))
		sum.Write(data)
		return nil
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
