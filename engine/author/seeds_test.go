// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/test/shared"
)

// TestPublishedObjectsAreGood checks objects that have every published field.
func TestPublishedObjectsAreGood(t *testing.T) {
	found := checker(t).Files(os.DirFS(filepath.Join("..", "..", "api")), []string{"testdata"})
	if found.Checked < 10 || found.Skipped > 0 || len(found.Errs) > 0 {
		t.Errorf("checked %d objects, skipped %d, errors %v; want at least 10, none and none", found.Checked, found.Skipped, found.Errs)
	}
	for _, p := range found.Problems {
		t.Error(p)
	}
}

var fence = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")

// TestSeedsAreGood checks the objects in the documents that describe the system asked
// for, where they lie beside the repository.
func TestSeedsAreGood(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared.Folder(t, "seeds"), "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no seeds were found: %v", err)
	}
	c, all := checker(t), newFindings()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range fence.FindAllSubmatch(text, -1) {
			c.text(all, source.Read(fmt.Sprintf("%s, example %d", filepath.Base(file), i+1), block[1]), false)
		}
	}
	for _, p := range all.Problems {
		t.Error(p)
	}
	if all.Checked == 0 {
		t.Error("the seeds hold objects of our kinds, but none was found")
	}
}
