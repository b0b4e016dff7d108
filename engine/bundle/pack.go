// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// MaxPacked is how many bytes the values of a ConfigMap have at most, as the API server counts
// them (Kubernetes 1.36, core/validation, MaxSecretSize).
const MaxPacked = 1 << 20

// Pack returns the files of the bundle in dir as the data of a ConfigMap whose mount is the same
// bundle; see PathOf. What the control plane does not read is left out: texts for people, CRDs,
// samples, and files that are hidden or ignored. The bundle is not loaded.
//
// The error names each file that cannot be in a ConfigMap, or says that they are too large
// together.
func Pack(fsys fs.FS, dir string) (map[string]string, error) {
	ignore, err := ReadIgnore(fsys, dir)
	if err != nil {
		return nil, err
	}
	data, size := map[string]string{}, 0
	var problems yamldoc.Problems
	err = walk(fsys, dir, ignore, func(name, within string, d fs.DirEntry) error {
		top, _, below := strings.Cut(within, "/")
		if isText(d.Name(), !below) || below && isReference(top) {
			return nil
		}
		key := strings.ReplaceAll(within, "/", ".")
		if PathOf(key) != within || len(validation.IsConfigMapKey(key)) > 0 {
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
