// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"io/fs"
	"os"
	"testing"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/scripts"
	"github.com/dragoman-io/dragoman/test/shared"
)

// TestScriptsAreClean checks the shipped bundles by all rules.
func TestScriptsAreClean(t *testing.T) {
	if got := checkClean(t, scripts.FS); got.Checked < 20 {
		t.Errorf("checked %d bundles", got.Checked)
	}
}

// TestScriptsAreCleanBesideCRDs checks them beside the CRDs that other projects publish, so that
// the rules know the fields.
func TestScriptsAreCleanBesideCRDs(t *testing.T) {
	checkClean(t, scripts.FS, os.DirFS(shared.Folder(t, "real")))
}

// TestPublishedCasesAreClean checks the cases that Karmada publishes, which are beside no bundle.
func TestPublishedCasesAreClean(t *testing.T) {
	if got := checkClean(t, os.DirFS(shared.Folder(t, "cases"))); got.Skipped < 200 {
		t.Errorf("read %d documents", got.Skipped)
	}
}

// checkClean checks file systems together, and fails for whatever is found.
func checkClean(t *testing.T, files ...fs.FS) *author.Findings {
	t.Helper()
	compiler, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	c, err := author.NewChecker(compiler, "")
	if err != nil {
		t.Fatal(err)
	}
	all := c.Files(files[0], []string{"."})
	for _, more := range files[1:] {
		all.Add(c.Files(more, []string{"."}))
	}
	all.Lint(c, nil)
	for _, err := range all.Errs {
		t.Error(err)
	}
	for _, p := range append(all.Problems, all.Warnings...) {
		t.Error(p)
	}
	return all
}
