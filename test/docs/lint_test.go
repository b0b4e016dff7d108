// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
)

// lintBlock matches the two examples of a rule.
var lintBlock = regexp.MustCompile("(?s)(Avoid|Prefer):\n\n```(lua|yaml)\n(.*?)```\n")

// TestLintRules checks the examples of docs/lint.md as the script of a bundle beside its CRD:
// what the section of a rule avoids breaks that rule, and what it prefers breaks none.
func TestLintRules(t *testing.T) {
	text := page(t, "lint.md")
	compiler, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	checker, err := author.NewChecker(compiler, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range author.LintRules() {
		s := section(text, r.ID)
		examples := lintBlock.FindAllStringSubmatch(s, -1)
		if len(examples) != 2 || !strings.Contains(s, "\nWhy: ") || !strings.Contains(s, "\nSwitch off: ") {
			t.Errorf("docs/lint.md: the section %s lacks one of Avoid, Prefer, Why, Switch off", r.ID)
			continue
		}
		for _, e := range examples {
			f := checker.Files(lintBundle(t, e[2], e[3]), []string{"."})
			f.Lint(checker, nil)
			var found []string
			for _, p := range append(f.Problems, f.Warnings...) {
				found = append(found, p.Rule)
			}
			if e[1] == "Avoid" && !slices.Contains(found, r.ID) || e[1] == "Prefer" && len(found) > 0 {
				t.Errorf("docs/lint.md: %s of %s breaks %q: %v %v", e[1], r.ID, found, f.Problems, f.Warnings)
			}
		}
	}
}

// lintBundle returns a bundle with a script, or with a file of cases and a script for health.
func lintBundle(t *testing.T, language, text string) fstest.MapFS {
	t.Helper()
	crd, err := os.ReadFile(filepath.Join(root, "engine/author/testdata/lint/crd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{
		"crd.yaml": {Data: crd},
		"mine/bundle.yaml": {Data: []byte(`apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata: {name: mine}
spec:
  kinds: [{group: cache.example.com, versions: [v1], kind: Cache}]
  parameters: [{name: mode, default: strict}]
`)},
	}
	if language == "yaml" {
		files["mine/Cache/health.lua"] = &fstest.MapFile{Data: []byte("function InterpretHealth(object)\n  return object ~= nil\nend\n")}
		files["mine/Cache/testdata/cases.yaml"] = &fstest.MapFile{Data: []byte(text)}
		return files
	}
	for _, op := range engine.Operations() {
		if strings.HasPrefix(text, "function "+op.Entry+"(") {
			files["mine/Cache/"+op.File+".lua"] = &fstest.MapFile{Data: []byte(text)}
			files["mine/Cache/testdata/cases.yaml"] = &fstest.MapFile{Data: []byte(fmt.Sprintf(
				"name: a\ndesiredObj: {apiVersion: cache.example.com/v1, kind: Cache, metadata: {name: a}}\noperation: %s\noutput: {}\n", op.Name))}
		}
	}
	return files
}
