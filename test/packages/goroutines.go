// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// shares reports whether the tests of p can find a race: they or p start goroutines, or
// use what is made for several. Those are locks and atomics, and the servers of httptest,
// which call their handlers in goroutines of their own. What a package below test has for
// itself is used by its tests alone, so that only goroutines count there.
func (p pkg) shares() bool {
	locks := dependsOn(p.directly(), "sync", "golang.org/x/sync") && !under(p.path, module+"test")
	return p.tested && (p.starts || locks || dependsOn(p.directly(), "net/http/httptest"))
}

// directly returns what the files of p and of its tests import.
func (p pkg) directly() []string { return slices.Concat(p.imports, p.testImports) }

// startsGoroutine reports whether a file of Go has a go statement or calls a method Go,
// such as that of sync.WaitGroup or of errgroup.Group.
func startsGoroutine(path string) (bool, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return false, err
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			method, is := n.Fun.(*ast.SelectorExpr)
			found = found || is && method.Sel.Name == "Go"
		}
		return !found
	})
	return found, nil
}
