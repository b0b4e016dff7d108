// SPDX-License-Identifier: Apache-2.0

package web

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestPageIsWhole checks that all that the files of the page name is among them, so that it works
// without a network.
func TestPageIsWhole(t *testing.T) {
	named := regexp.MustCompile(`(?:from |src=|href=|import\()"([^"]+)"`)
	err := fs.WalkDir(embedded, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Base(file) == "codemirror.js" {
			return err
		}
		text, err := fs.ReadFile(embedded, file)
		if err != nil {
			return err
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			if _, err := fs.Stat(folder("page"), path.Join(".", m[1])); err != nil {
				t.Errorf("%s names %s: %v", file, m[1], err)
			}
		}
		if strings.Contains(string(text), "https://") && path.Ext(file) != ".txt" {
			t.Errorf("%s names another site", file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLicenses checks that the licenses are those of the packages that the lock file names:
// codemirror.js is bundled together with them.
func TestLicenses(t *testing.T) {
	text, err := os.ReadFile("editor/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct{ Version, License string }
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		t.Fatal(err)
	}
	licenses, err := fs.ReadFile(embedded, "page/codemirror.LICENSE.txt")
	if err != nil {
		t.Fatal(err)
	}
	for at, p := range lock.Packages {
		name, installed := strings.CutPrefix(at, "node_modules/")
		if want := fmt.Sprintf("%s %s (%s)\n", name, p.Version, p.License); installed && !strings.Contains(string(licenses), want) {
			t.Errorf("the licenses lack %q: make playground-editor writes them", want)
		}
		if installed && p.License != "MIT" {
			t.Errorf("%s has the license %s; the page has packages of MIT alone", name, p.License)
		}
	}
}
