// SPDX-License-Identifier: Apache-2.0

package shared

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// recorder is a test whose end is recorded.
type recorder struct {
	testing.TB
	failed, skipped string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// TestFolder looks for the data beside a module in a temporary folder.
func TestFolder(t *testing.T) {
	root := t.TempDir()
	inside := filepath.Join(root, "module", "a", "b")
	cases := filepath.Join(root, "shared", "cases")
	for _, folder := range []string{inside, cases, filepath.Join(root, "shared", "empty")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{
		filepath.Join(root, "module", "go.mod"):      module,
		filepath.Join(root, "module", "a", "go.mod"): "module github.com/dragoman-io/dragoman/a\n", // one below it
		filepath.Join(cases, "a.yaml"):               "a",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(inside)
	for name, c := range map[string]struct{ folder, ci, found, failed, skipped string }{
		"found in CI":     {folder: "cases", ci: "true", found: cases},
		"found elsewhere": {folder: "cases", ci: "", found: cases},
		"absent in CI":    {folder: "real", ci: "true", failed: "real of the data beside the repository is missing"},
		"empty in CI":     {folder: "empty", ci: "1", failed: "is empty"},
		"absent":          {folder: "real", ci: "", skipped: "real of the data beside the repository is missing"},
		"absent, not CI":  {folder: "real", ci: "false", skipped: "real of the data"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CI", c.ci)
			r, found, done := &recorder{}, "", make(chan struct{})
			go func() {
				defer close(done)
				found = Folder(r, c.folder)
			}()
			<-done
			if found != c.found {
				t.Errorf("got the folder %q, want %q", found, c.found)
			}
			if !strings.Contains(r.failed, c.failed) || (r.failed == "") != (c.failed == "") {
				t.Errorf("got the failure %q, want %q", r.failed, c.failed)
			}
			if !strings.Contains(r.skipped, c.skipped) || (r.skipped == "") != (c.skipped == "") {
				t.Errorf("got the skip %q, want %q", r.skipped, c.skipped)
			}
		})
	}
}
