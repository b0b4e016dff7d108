// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
)

// Revision names what is in a bundle's folder: a hash over the paths and the bytes of
// its files, sorted, as 64 hexadecimal digits. Files that are hidden or ignored do not count.
func Revision(fsys fs.FS, dir string) (string, error) {
	ignore, err := ReadIgnore(fsys, dir)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	err = walk(fsys, dir, ignore, func(name, within string, _ fs.DirEntry) error {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%q %d\n", within, len(data))
		sum.Write(data)
		return nil
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
