// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// quantityReaders are the folders whose files may call the parser of Kubernetes: the one
// that bounds it, one that reads constants alone, and the flags of whoever starts the process.
var quantityReaders = []string{"builtin", "cmd/dragoman-fleet/fleet", "cmd/dragoman-manager"}

// TestQuantitiesHaveOneReader finds no other package that passes a text to
// resource.ParseQuantity or MustParse, which take hours for 1e-999999999. Tests may.
func TestQuantitiesHaveOneReader(t *testing.T) {
	seen := 0
	for room := range arrows {
		if room == "test" {
			continue
		}
		err := filepath.WalkDir("../../"+room, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			seen++
			within := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../../")
			if under(within, quantityReaders...) {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok || s.Sel.Name != "ParseQuantity" && s.Sel.Name != "MustParse" {
					return true
				}
				if p, ok := s.X.(*ast.Ident); ok && p.Name == "resource" {
					t.Errorf("%s calls resource.%s: only builtin.ParseQuantity has a bound", within, s.Sel.Name)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 100 {
		t.Errorf("read only %d files", seen)
	}
}
