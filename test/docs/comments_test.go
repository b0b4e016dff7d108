// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goFile is the name of a Go file in a text, with a folder or without, such as op_*.go.
var goFile = regexp.MustCompile(`[\w*./-]*[\w*]\.go\b`)

// elsewhere are the comments that name files of another project.
var elsewhere = map[string]string{"engine/internal/compat/compat.go": "the published rules, Karmada's lua.go and lua_convert.go"}

// TestPackageComments checks that the files that comments of packages name are there: in the
// folder of the package, or below the root.
func TestPackageComments(t *testing.T) {
	named := 0
	for file, comment := range packageComments(t) {
		if elsewhere[file] != "" {
			continue
		}
		for _, name := range goFile.FindAllString(comment, -1) {
			named++
			if !isFile(t, filepath.Join(root, filepath.Dir(file), name)) && !isFile(t, filepath.Join(root, name)) {
				t.Errorf("%s names %s, which is not there", file, name)
			}
		}
	}
	if named < 50 {
		t.Errorf("the comments name %d files: the test sees too few", named)
	}
}

// packageComments returns the comments of packages, by the files that they stand in, below the
// root.
func packageComments(t *testing.T) map[string]string {
	t.Helper()
	comments, files := map[string]string{}, token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "testdata" || name == "node_modules" || len(name) > 2 && strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		parsed, err := parser.ParseFile(files, path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err == nil && parsed.Doc != nil {
			comments[strings.TrimPrefix(filepath.ToSlash(path), root+"/")] = parsed.Doc.Text()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return comments
}

// isFile reports whether a path, or a pattern, names a file.
func isFile(t *testing.T, pattern string) bool {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return len(found) > 0
}
