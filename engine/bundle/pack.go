// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// MaxPacked is how many bytes the values of a ConfigMap have at most, as the API server counts
// them (Kubernetes 1.36, core/validation, MaxSecretSize).
const MaxPacked = 1 << 20

// configMapKey is what the API server takes as a key of a ConfigMap.
var configMapKey = regexp.MustCompile(`^[-._a-zA-Z0-9]{1,253}$`)

// Pack returns the files of the bundle in dir as the data of a ConfigMap whose mount is the same
// bundle; see PathOf. Texts for people (.md) and hidden files are left out. The bundle is not
// loaded.
//
// The error names each file that cannot be in a ConfigMap, or says that they are too large
// together.
func Pack(fsys fs.FS, dir string) (map[string]string, error) {
	data, size := map[string]string{}, 0
	var problems yamldoc.Problems
	err := fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != dir && Hidden(d.Name()) && d.IsDir():
			return fs.SkipDir
		case d.IsDir(), Hidden(d.Name()), path.Ext(name) == ".md":
			return nil
		}
		within := strings.TrimPrefix(strings.TrimPrefix(name, dir), "/")
		key := strings.ReplaceAll(within, "/", ".")
		if PathOf(key) != within || !configMapKey.MatchString(key) {
			problems.Add(&yamldoc.Error{File: name, Message: "no key of a ConfigMap leads to this path: folders below a kind and below lib, and other characters than letters, digits, '-', '_' and '.', cannot be packed; rename the file"})
			return nil
		}
		text, err := yamldoc.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		data[key], size = string(text), size+len(text)
		return nil
	})
	if err := errors.Join(err, problems.Err()); err != nil {
		return nil, err
	}
	if size > MaxPacked {
		return nil, fmt.Errorf("the files of %s have %d bytes, and a ConfigMap takes %d: move cases to another folder, or split the bundle", dir, size, MaxPacked)
	}
	return data, nil
}
