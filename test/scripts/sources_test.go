// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

// sourcesPage has the table of where the answers are from, a section for each bundle.
const sourcesPage = "../../docs/sources.md"

// sourceFile is a file of a project, as the page writes it.
var sourceFile = regexp.MustCompile("`[^` ]+\\.(go|java|scala|proto|lua|yaml|md)`")

// TestSources checks that each answer of each kind has a row with a source, and that no row is
// about an answer that there is not.
func TestSources(t *testing.T) {
	known := interpreter(t).Snapshot()
	documented, names := documentedSources(t), []string{}
	for _, b := range bundles(t) {
		names = append(names, b.Name)
		want := map[string]bool{}
		for _, k := range b.Kinds {
			for _, op := range engine.Operations() {
				kind := schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
				if known.Supports(kind, op.Name) {
					want[k.Kind+" "+op.File] = true
				}
			}
		}
		rows := documented[b.Name]
		for answer := range want {
			if rows[answer] == 0 {
				t.Errorf("%s: no row of the section %s says where the answer of %q is from", sourcesPage, b.Name, answer)
			}
		}
		for answer, n := range rows {
			if !want[answer] || n > 1 {
				t.Errorf("%s: the section %s has %d rows for %q, which the scripts answer: %v", sourcesPage, b.Name, n, answer, want[answer])
			}
		}
	}
	for name := range documented {
		if !slices.Contains(names, name) {
			t.Errorf("%s has a section %s, and no bundle is named so", sourcesPage, name)
		}
	}
}

// documentedSources returns, for each section of the page, how many rows there are for each
// "<kind> <question>".
func documentedSources(t *testing.T) map[string]map[string]int {
	t.Helper()
	text, err := os.ReadFile(sourcesPage)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]map[string]int{}
	name := ""
	for i, line := range strings.Split(string(text), "\n") {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			name = heading
			sections[name] = map[string]int{}
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if name == "" || !strings.HasPrefix(line, "| ") || cells[0] == "kinds" {
			continue
		}
		if len(cells) != 3 || !sourceFile.MatchString(cells[2]) {
			t.Errorf("%s:%d: a row needs kinds, questions, and a file of the project between backquotes", sourcesPage, i+1)
			continue
		}
		for kind := range strings.SplitSeq(cells[0], ", ") {
			for question := range strings.SplitSeq(cells[1], ", ") {
				sections[name][fmt.Sprintf("%s %s", kind, question)]++
			}
		}
	}
	return sections
}
