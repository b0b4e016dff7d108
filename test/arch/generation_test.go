// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGenerationsAreComparedWithUIDs finds no controller that takes controller-runtime's predicate:
// it drops the update by which an informer shows that an object was deleted and created again
// while no watch was open, since both are often of generation 1.
func TestGenerationsAreComparedWithUIDs(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("../../controllers", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		seen++
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "GenerationChangedPredicate{") {
			t.Errorf("%s takes predicate.GenerationChangedPredicate: base.GenerationChanged sees another object of the name too", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 100 {
		t.Errorf("read only %d files", seen)
	}
}
