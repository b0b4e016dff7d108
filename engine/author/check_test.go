// SPDX-License-Identifier: Apache-2.0

package author

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the reports in testdata/check")

func checker(t *testing.T) *Checker {
	t.Helper()
	c, err := NewChecker(compiler(t), "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCheckReports compares the report of each file with the one that lies beside it.
// Together the files break every rule of package api that an object alone can break.
func TestCheckReports(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "check", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d files, error %v", len(files), err)
	}
	c := checker(t)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			Printer{Out: &b}.Findings(c.Text(filepath.Base(file), data))
			golden := strings.TrimSuffix(file, ".yaml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), b.String()); d != "" {
				t.Errorf("want -, got +:\n%s", d)
			}
		})
	}
}

// TestCheckReportsHaveEveryRule finds the messages of package api in the reports, so that
// a rule cannot be written that no file breaks.
func TestCheckReportsHaveEveryRule(t *testing.T) {
	var reports strings.Builder
	golden, _ := filepath.Glob(filepath.Join("testdata", "check", "*.txt"))
	for _, file := range golden {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		reports.Write(text)
	}
	sources, _ := filepath.Glob(filepath.Join("..", "..", "api", "*", "*", "*_validation.go"))
	count := 0
	for _, source := range sources {
		for position, message := range messages(t, source) {
			count++
			if !strings.Contains(reports.String(), message) {
				t.Errorf("%s: no file in testdata/check breaks the rule %q", position, message)
			}
		}
	}
	if count < 50 {
		t.Errorf("found %d messages of rules; want at least 50", count)
	}
}

// messages returns the messages of a source by their positions: the texts that calls of
// package field take as their last argument, up to their first verb. Rules about an
// update are left out: they need the object before it.
func messages(t *testing.T, source string) map[string]string {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, source, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncDecl); ok && strings.HasSuffix(f.Name.Name, "Unchanged") {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		called, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"Required", "Invalid", "Forbidden", "Sprintf"}, called.Sel.Name) {
			return true
		}
		for _, argument := range call.Args {
			literal, ok := argument.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				continue
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			if text, _, _ = strings.Cut(text, "%"); strings.Contains(text, " ") {
				found[files.Position(literal.Pos()).String()] = text
			}
		}
		return true
	})
	return found
}
