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

// owned keeps a Go identifier to the package that knows what it means.
type owned struct {
	prefix string
	owner  string
	reason string
}

var ownership = []owned{
	{"GracefulEviction", "controllers/decide/binding", "one package knows how an eviction begins, continues and ends"},
	{"PreservedLabelState", "controllers/decide/binding", "one package knows which state goes along"},
	{"RequiredBy", "controllers/decide/binding", "one package knows which clusters should have a copy"},
}

// exempt are identifiers that begin with an owned prefix and mean something else.
var exempt = map[string]bool{
	"GracefulEviction": true, // the feature gate
}

// TestOwnership reads the controllers and finds no other package that looks into what
// package binding owns. Comments and tests may name it.
func TestOwnership(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("../../controllers", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		seen++
		within := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../../")
		ast.Inspect(file, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok || exempt[id.Name] {
				return true
			}
			for _, o := range ownership {
				if strings.HasPrefix(id.Name, o.prefix) && within != o.owner {
					t.Errorf("%s uses %s, which only %s may: %s", within, id.Name, o.owner, o.reason)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 20 {
		t.Fatalf("only %d files were read", seen)
	}
}
