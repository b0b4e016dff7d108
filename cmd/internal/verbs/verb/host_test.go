// SPDX-License-Identifier: Apache-2.0

package verb

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

func TestAPathAboveTheRootIsNotThere(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	root := strings.TrimSuffix(strings.Repeat("../", folderDepth(here)), "/")
	if _, err := fs.Stat(HostFS{}, root); err != nil {
		t.Errorf("the root, %s of %s: %v", root, here, err)
	}
	if _, err := fs.Stat(HostFS{}, root+"/.."); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("above the root of %s: got error %v; want that it is not there", here, err)
	}
}
