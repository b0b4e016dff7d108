// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/script"
)

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestLaws compares the laws of docs/cases.md with those that are checked.
func TestLaws(t *testing.T) {
	var want, got []string
	for _, law := range cases.Laws() {
		want = append(want, law.Name)
	}
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \|`).FindAllStringSubmatch(section(page(t, "cases.md"), "Laws"), -1) {
		if row[1] != "law" {
			got = append(got, row[1])
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the laws of docs/cases.md (-checked +documented):\n%s", d)
	}
}

// TestLimits looks for each limit and its bound in docs/bundle.md.
func TestLimits(t *testing.T) {
	text, err := json.Marshal(script.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	var limits map[string]int64
	if err := json.Unmarshal(text, &limits); err != nil {
		t.Fatal(err)
	}
	for name, most := range limits {
		row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| `spec\\.limits\\.%s` \\|.*at most %d \\|$", name, most))
		if !row.MatchString(page(t, "bundle.md")) {
			t.Errorf("docs/bundle.md has no row for the limit %s with its bound %d", name, most)
		}
	}
}

// packagePath is the path of a package in a document, such as `controllers/decide/binding`.
var packagePath = regexp.MustCompile("`((?:api|builtin|engine|scripts|controllers|cmd|test|examples)(?:/[a-z][\\w-]*)+)/?`")

// filePath is the path of a file of Go in a document, such as `engine/table.go`.
var filePath = regexp.MustCompile("`((?:api|builtin|engine|scripts|controllers|cmd|test|examples)/[\\w/.-]+\\.go)`")

// drawnPath is one in a drawing.
var drawnPath = regexp.MustCompile(`\b((?:engine|controllers)(?:/[a-z]+)+)`)

// TestPackages checks that the packages and the files of Go that the pages name are there.
func TestPackages(t *testing.T) {
	for _, path := range documents(t) {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(path, "docs/") && strings.Contains(path, "/") {
			continue // a bundle's page names files of the bundle
		}
		prose := withoutBlocks(string(text))
		named := packagePath.FindAllStringSubmatch(prose, -1)
		if path != "docs/sources.md" { // it names files of other projects
			named = append(named, filePath.FindAllStringSubmatch(prose, -1)...)
		}
		for _, b := range blocks(string(text)) {
			if b.language == "mermaid" {
				named = append(named, drawnPath.FindAllStringSubmatch(b.text, -1)...)
			}
		}
		for _, m := range named {
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", path, m[1])
			}
		}
	}
}
