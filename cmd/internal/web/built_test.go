// SPDX-License-Identifier: Apache-2.0

package web

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
)

// What is kept of CodeMirror is what make playground-editor made of the files that are there: a bundle of
// other exports has the page throw before it shows anything, which only a browser sees.
func TestEditorIsBuiltFromItsFiles(t *testing.T) {
	built, err := os.ReadFile("editor/built.sha256")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(built)), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d files are named; want 3", len(lines))
	}
	for _, line := range lines {
		sum, name, _ := strings.Cut(line, "  ")
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != sum {
			t.Errorf("%s is not what it was when the editor was built: run make playground-editor", name)
		}
	}
}
