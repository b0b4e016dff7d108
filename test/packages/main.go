// SPDX-License-Identifier: Apache-2.0

// Command packages prints packages of this module by what they import, one a line, for
// the targets of the Makefile: a list that is computed cannot go stale.
//
//	packages short        those whose tests need no Kubernetes binaries
//	packages servers      those whose tests need them
//	packages quick        those of short, but for what takes long: tests of several rooms
//	                      at once, and of documents
//	packages race         those whose tests can find a race between goroutines, but for what
//	                      needs the binaries or takes long
//	packages race-suites  the rest of those whose tests can
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

const module = "github.com/dragoman-io/dragoman/"

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	lists := map[string]func(pkg) bool{
		"short": short, "servers": needsServers, "quick": quick, "race": race, "race-suites": raceSuites,
	}
	if len(args) != 1 || lists[args[0]] == nil {
		return errors.New("usage: packages short|servers|quick|race|race-suites")
	}
	all, err := load()
	if err != nil {
		return err
	}
	paths := choose(all, lists[args[0]])
	if len(paths) == 0 {
		return fmt.Errorf("no package is in the list %s", args[0])
	}
	_, err = fmt.Fprintln(out, strings.Join(paths, "\n"))
	return err
}

// choose returns the paths of the packages that are wanted.
func choose(all []pkg, wanted func(pkg) bool) []string {
	var found []string
	for _, p := range all {
		if wanted(p) {
			found = append(found, p.path)
		}
	}
	return found
}

// short reports whether the tests of p need no server.
func short(p pkg) bool { return !needsServers(p) }

// needsServers reports whether the tests of p start Kubernetes binaries: they import a
// package that does, directly or through other packages.
func needsServers(p pkg) bool {
	return dependsOn(p.testDeps, module+"cmd/dragoman-fleet/fleet", module+"test/suite")
}

// quick reports whether the tests of p need no server and are of p alone. Those below
// test that reach other rooms range over all bundles, attacks, prices or histories.
func quick(p pkg) bool {
	across := under(p.path, module+"test") && dependsOn(p.testDeps, module+"engine", module+"controllers")
	return short(p) && !across && !runsDocuments(p)
}

// runsDocuments reports whether the tests of p run commands from documents: they start a
// program for each of them.
func runsDocuments(p pkg) bool {
	return dependsOn(p.testImports, "github.com/rogpeppe/go-internal/testscript")
}

// race reports whether the tests of p can find a race, need no server and do not take
// long: under the race detector, each program of a document begins slowly, and what ranges
// over all bundles of the program takes minutes.
func race(p pkg) bool {
	bundles := under(p.path, module+"test") && dependsOn(p.directly(), module+"scripts")
	return short(p) && p.shares() && !runsDocuments(p) && !bundles
}

// raceSuites reports whether the tests of p can find a race and are not in race.
func raceSuites(p pkg) bool { return p.shares() && !race(p) }

// dependsOn reports whether one of deps is one of roots or below one.
func dependsOn(deps []string, roots ...string) bool {
	return slices.ContainsFunc(deps, func(dep string) bool {
		return slices.ContainsFunc(roots, func(root string) bool { return under(dep, root) })
	})
}

// under reports whether a package is root or below it.
func under(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}
