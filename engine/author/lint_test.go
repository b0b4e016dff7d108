// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// marker is a comment about the line above it that is none itself: a caret under the column of
// a finding, or the word line for one whose column does not matter.
var marker = regexp.MustCompile(`^\s*(?:--|//|#)\s*(\^|line) ([a-z-]+)\s*$`)

// marked returns the findings that the comments of files ask for, as file:line:column rule; the
// column is 0 where it does not matter.
func marked(t *testing.T, fsys fs.FS) map[string]bool {
	t.Helper()
	want := map[string]bool{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		of := 0
		for i, line := range strings.Split(string(text), "\n") {
			m := marker.FindStringSubmatchIndex(line)
			if m == nil {
				of = i + 1
				continue
			}
			column := m[2] + 1
			if line[m[2]:m[3]] == "line" {
				column = 0
			}
			want[fmt.Sprintf("%s:%d:%d %s", name, of, column, line[m[4]:m[5]])] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// linting returns all that a check finds in files by a rule, as file:line:column rule.
func linting(t *testing.T, fsys fs.FS, disabled ...string) map[string]bool {
	t.Helper()
	c := checker(t)
	f := c.Files(fsys, []string{"."})
	f.Lint(c, disabled)
	if len(f.Errs) > 0 {
		t.Fatal(f.Errs)
	}
	got := map[string]bool{}
	for _, p := range slices.Concat(f.Problems, f.Warnings) {
		got[fmt.Sprintf("%s:%d:%d %s", p.File, p.Line, p.Column, p.Rule)] = true
	}
	return got
}

// TestLint compares what the rules find in testdata/lint with the comments there, by rule, line
// and column. What no comment asks for is a false alarm.
func TestLint(t *testing.T) {
	files := os.DirFS(filepath.Join("testdata", "lint"))
	want, got := marked(t, files), linting(t, files)
	for key := range got {
		if anywhere := regexp.MustCompile(`:\d+ `).ReplaceAllString(key, ":0 "); want[anywhere] {
			delete(got, key)
			got[anywhere] = true
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-marked +found:\n%s", d)
	}
	for _, r := range LintRules() {
		if !slices.ContainsFunc(keysOf(want), func(key string) bool { return strings.HasSuffix(key, " "+r.ID) }) {
			t.Errorf("nothing in testdata/lint is marked with %s", r.ID)
		}
	}
}

func keysOf(m map[string]bool) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	return keys
}

// TestDisabledRulesFindNothing switches off each rule in turn: what is gone is what it found,
// but for what does not compile in a bundle.
func TestDisabledRulesFindNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and seconds under the race detector")
	}
	files := os.DirFS(filepath.Join("testdata", "lint"))
	all := linting(t, files)
	for _, r := range LintRules() {
		want := map[string]bool{}
		for key := range all {
			if !strings.HasSuffix(key, " "+r.ID) || strings.HasPrefix(key, "refused/") {
				want[key] = true
			}
		}
		if d := cmp.Diff(want, linting(t, files, r.ID)); d != "" {
			t.Errorf("without %s -want +got:\n%s", r.ID, d)
		}
	}
}
