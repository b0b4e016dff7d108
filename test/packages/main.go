// SPDX-License-Identifier: Apache-2.0

// Command packages prints packages of this module by what they import, one a line, for
// the targets of the Makefile: a list that is computed cannot go stale.
//
//	packages short   those whose tests need no Kubernetes binaries
//	packages race    those that make race runs: the engine, the functions of scripts and
//	                 the pure packages of the controllers
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

const module = "github.com/dragoman-io/dragoman/"

var (
	// servers are the packages that start Kubernetes binaries. A test that imports one,
	// directly or through other packages, needs the binaries.
	servers = []string{module + "cmd/dragoman-fleet/fleet", module + "test/suite"}
	// clients are what a package that talks to a cluster imports. Other packages of
	// client-go, such as util/jsonpath, are libraries.
	clients = []string{"sigs.k8s.io/controller-runtime", "k8s.io/client-go/rest", "k8s.io/client-go/tools"}
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	lists := map[string]func([]pkg) []string{"short": short, "race": race}
	if len(args) != 1 || lists[args[0]] == nil {
		return errors.New("usage: packages short|race")
	}
	all, err := load()
	if err != nil {
		return err
	}
	paths := lists[args[0]](all)
	if len(paths) == 0 {
		return fmt.Errorf("no package is %s", args[0])
	}
	_, err = fmt.Fprintln(out, strings.Join(paths, "\n"))
	return err
}

// pkg is a package of this module.
type pkg struct {
	path string
	// deps and testDeps are what the package and its tests import, directly and through
	// others. The package itself is among testDeps.
	deps, testDeps []string
}

// load lists all packages of the module, sorted.
func load() ([]pkg, error) {
	cmd := exec.Command("go", "list", "-test", "-json=ImportPath,ForTest,Deps", module+"...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	return parse(out)
}

// parse reads what go list -test prints. Beside each package that has tests, that is the
// program of its tests, whose path ends in .test and which depends on all that they
// import, and the variants of packages that are compiled for it.
func parse(text []byte) ([]pkg, error) {
	byPath := map[string]*pkg{}
	tests := map[string][]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(text))); ; {
		var listed struct {
			ImportPath, ForTest string
			Deps                []string
		}
		if err := decoder.Decode(&listed); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read the list of packages: %w", err)
		}
		if of, ok := strings.CutSuffix(listed.ImportPath, ".test"); ok {
			tests[of] = listed.Deps
		} else if listed.ForTest == "" {
			byPath[listed.ImportPath] = &pkg{path: listed.ImportPath, deps: listed.Deps}
		}
	}
	var all []pkg
	for path, p := range byPath {
		p.testDeps = append(slices.Clone(p.deps), path)
		for _, dep := range tests[path] {
			// The variant of a package for these tests is "PATH [TEST.test]".
			plain, _, _ := strings.Cut(dep, " ")
			p.testDeps = append(p.testDeps, plain)
		}
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b pkg) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// short returns the packages whose tests need no server.
func short(all []pkg) []string {
	return paths(all, func(p pkg) bool { return !dependsOn(p.testDeps, servers) })
}

// race returns the packages below engine and builtin, and those below controllers that
// know no cluster. None needs a server.
func race(all []pkg) []string {
	return paths(all, func(p pkg) bool {
		if dependsOn(p.testDeps, servers) {
			return false
		}
		return under(p.path, module+"engine") || under(p.path, module+"builtin") ||
			under(p.path, module+"controllers") && !dependsOn(p.deps, clients)
	})
}

func paths(all []pkg, wanted func(pkg) bool) []string {
	var found []string
	for _, p := range all {
		if wanted(p) {
			found = append(found, p.path)
		}
	}
	return found
}

// dependsOn reports whether one of deps is one of roots or below one.
func dependsOn(deps, roots []string) bool {
	return slices.ContainsFunc(deps, func(dep string) bool {
		return slices.ContainsFunc(roots, func(root string) bool { return under(dep, root) })
	})
}

// under reports whether a package is root or below it.
func under(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}
