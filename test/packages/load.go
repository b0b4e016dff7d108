// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// pkg is a package of this module.
type pkg struct {
	path string
	// deps and testDeps are what the package and its tests import, directly and through
	// others. The package itself is among testDeps.
	deps, testDeps []string
	// imports and testImports are what its files and the files of its tests import
	// directly.
	imports, testImports []string
	// tested reports whether it has tests, and starts whether a file of it or of its tests
	// starts a goroutine.
	tested, starts bool
}

// load lists all packages of the module, sorted.
func load() ([]pkg, error) {
	fields := "ImportPath,ForTest,Dir,Deps,Imports,TestImports,XTestImports,GoFiles,TestGoFiles,XTestGoFiles"
	cmd := exec.Command("go", "list", "-test", "-json="+fields, module+"...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	return parse(out)
}

// listed is what go list prints of a package.
type listed struct {
	ImportPath, ForTest, Dir           string
	Deps                               []string
	Imports, TestImports, XTestImports []string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// parse reads what go list -test prints. Beside each package that has tests, that is the
// program of its tests, whose path ends in .test and which depends on all that they
// import, and the variants of packages that are compiled for it.
func parse(text []byte) ([]pkg, error) {
	var all []pkg
	tests := map[string][]string{}
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read the list of packages: %w", err)
		}
		if of, ok := strings.CutSuffix(l.ImportPath, ".test"); ok {
			tests[of] = l.Deps
		} else if l.ForTest == "" {
			p, err := l.pkg()
			if err != nil {
				return nil, fmt.Errorf("read package %s: %w", l.ImportPath, err)
			}
			all = append(all, p)
		}
	}
	for i, p := range all {
		all[i].testDeps = append(slices.Clone(p.deps), p.path)
		for _, dep := range tests[p.path] {
			// The variant of a package for these tests is "PATH [TEST.test]".
			plain, _, _ := strings.Cut(dep, " ")
			all[i].testDeps = append(all[i].testDeps, plain)
		}
	}
	slices.SortFunc(all, func(a, b pkg) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

func (l listed) pkg() (pkg, error) {
	p := pkg{
		path: l.ImportPath, deps: l.Deps,
		imports: l.Imports, testImports: slices.Concat(l.TestImports, l.XTestImports),
		tested: len(l.TestGoFiles)+len(l.XTestGoFiles) > 0,
	}
	for _, name := range slices.Concat(l.GoFiles, l.TestGoFiles, l.XTestGoFiles) {
		found, err := startsGoroutine(filepath.Join(l.Dir, name))
		if err != nil {
			return pkg{}, err
		}
		p.starts = p.starts || found
	}
	return p, nil
}
