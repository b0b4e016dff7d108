// SPDX-License-Identifier: Apache-2.0

package web

import (
	"encoding/json"
	"fmt"
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
	for _, folders := range [][]string{{page}, {page, static}} {
		all, err := files(folders...)
		if err != nil {
			t.Fatal(err)
		}
		for file, text := range all {
			if file == "codemirror.js" || path.Ext(file) == ".txt" {
				continue
			}
			for _, m := range named.FindAllStringSubmatch(string(text), -1) {
				if all[path.Clean(m[1])] == nil {
					t.Errorf("%s names %s, which is not there", file, m[1])
				}
			}
			if strings.Contains(string(text), "https://") {
				t.Errorf("%s names another site", file)
			}
		}
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
	licenses, err := embedded.ReadFile("page/codemirror.LICENSE.txt")
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
