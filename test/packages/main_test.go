// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// modules is a small module, as go list prints it.
const modules = `
{"ImportPath": "M/builtin", "Deps": ["fmt"]}
{"ImportPath": "M/builtin.test", "Deps": ["testing"]}
{"ImportPath": "M/cmd/dragoman", "Deps": ["M/engine"], "XTestImports": ["github.com/rogpeppe/go-internal/testscript"]}
{"ImportPath": "M/controllers/decide/placement", "Deps": ["fmt", "k8s.io/client-go/util/jsonpath"], "TestGoFiles": []}
{"ImportPath": "M/controllers/decide/placement.test", "Deps": ["M/controllers/decide/placement [M/controllers/decide/placement.test]"]}
{"ImportPath": "M/controllers/decide/placement [M/controllers/decide/placement.test]", "ForTest": "M/controllers/decide/placement", "Deps": ["testing"]}
{"ImportPath": "M/controllers/status", "Deps": ["sigs.k8s.io/controller-runtime"]}
{"ImportPath": "M/controllers/status.test", "Deps": ["M/test/suite [M/controllers/status.test]", "fmt"]}
{"ImportPath": "M/engine", "Deps": ["M/builtin"]}
{"ImportPath": "M/engine.test", "Deps": ["testing"]}
{"ImportPath": "M/test/arch", "Deps": ["go/parser"]}
{"ImportPath": "M/test/attack", "Deps": ["M/engine", "M/builtin"]}
{"ImportPath": "M/test/attack.test", "Deps": ["M/engine", "M/builtin"]}
{"ImportPath": "M/test/suite", "Deps": ["M/cmd/dragoman-fleet/fleet"]}
`

func TestListsByImports(t *testing.T) {
	all, err := parse([]byte(strings.ReplaceAll(modules, "M/", module)))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		list func(pkg) bool
		want []string
	}{
		"short": {short, []string{
			"builtin", "cmd/dragoman", "controllers/decide/placement", "engine", "test/arch", "test/attack",
		}},
		"servers": {needsServers, []string{"controllers/status", "test/suite"}},
		"quick":   {quick, []string{"builtin", "controllers/decide/placement", "engine", "test/arch"}},
	} {
		if d := cmp.Diff(c.want, trimmed(choose(all, c.list))); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestRace(t *testing.T) {
	suite := []string{module + "test/suite"}
	for name, c := range map[string]struct {
		p            pkg
		race, suites bool
	}{
		"nothing shared":      {p: pkg{tested: true, imports: []string{"fmt", "synctest/sync"}}},
		"a lock":              {p: pkg{tested: true, imports: []string{"sync"}}, race: true},
		"an atomic":           {p: pkg{tested: true, imports: []string{"sync/atomic"}}, race: true},
		"a group":             {p: pkg{tested: true, imports: []string{"golang.org/x/sync/singleflight"}}, race: true},
		"a lock of the tests": {p: pkg{tested: true, testImports: []string{"sync"}}, race: true},
		"a server of tests":   {p: pkg{tested: true, testImports: []string{"net/http/httptest"}}, race: true},
		"a goroutine":         {p: pkg{tested: true, starts: true}, race: true},
		"no tests":            {p: pkg{starts: true, imports: []string{"sync"}}},
		"a suite with a lock": {p: pkg{tested: true, testDeps: suite, imports: []string{"sync"}}, suites: true},
		"documents": {
			p: pkg{tested: true, starts: true, testImports: []string{"github.com/rogpeppe/go-internal/testscript"}}, suites: true,
		},
		"all bundles": {
			p: pkg{path: module + "test/scripts", tested: true, starts: true, testImports: []string{module + "scripts"}}, suites: true,
		},
		"a suite with nothing": {p: pkg{tested: true, testDeps: suite}},
		"a lock of test/price": {p: pkg{path: module + "test/price", tested: true, imports: []string{"sync"}}},
		"goroutines of test/model": {
			p: pkg{path: module + "test/model", tested: true, imports: []string{"sync"}, starts: true}, race: true,
		},
	} {
		if got := race(c.p); got != c.race {
			t.Errorf("%s: race reports %v, want %v", name, got, c.race)
		}
		if got := raceSuites(c.p); got != c.suites {
			t.Errorf("%s: raceSuites reports %v, want %v", name, got, c.suites)
		}
	}
}

// TestLoad checks what go list makes of this module.
func TestLoad(t *testing.T) {
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	lists := map[string][]string{}
	for _, p := range all {
		lists[strings.TrimPrefix(p.path, module)] = listsOf(p)
	}
	for path, want := range map[string]string{
		"api/cluster/v1alpha1":         "short quick",
		"builtin":                      "short quick",
		"cmd/dragoman":                 "short race-suites",
		"cmd/dragoman-fleet/fleet":     "servers race-suites",
		"cmd/dragoman-manager":         "servers race-suites",
		"controllers/decide/binding":   "short quick race",
		"controllers/decide/placement": "short quick",
		"controllers/failover":         "servers",
		"controllers/status":           "servers race-suites",
		"controllers/internal/index":   "servers",
		"engine":                       "short quick race",
		"engine/bundle/oci":            "short quick race",
		"engine/internal/compat":       "short quick",
		"engine/internal/lua":          "short quick race",
		"test/arch":                    "short quick",
		"test/attack":                  "short",
		"test/docs":                    "short",
		"test/e2e/failover":            "servers race-suites",
		"test/isolation":               "short race",
		"test/model":                   "short race",
		"test/price":                   "short",
		"test/scripts":                 "short race-suites",
		"test/suite":                   "servers",
	} {
		if got := strings.Join(lists[path], " "); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	for dir, file := range locking(t) {
		if got := lists[dir]; !slices.Contains(got, "race") && !slices.Contains(got, "race-suites") {
			t.Errorf("%s has locks or atomics, and its package is in %q", file, got)
		}
	}
}

// listsOf returns the lists that p is in.
func listsOf(p pkg) []string {
	var in []string
	for _, list := range []struct {
		name string
		has  func(pkg) bool
	}{{"short", short}, {"servers", needsServers}, {"quick", quick}, {"race", race}, {"race-suites", raceSuites}} {
		if list.has(p) {
			in = append(in, list.name)
		}
	}
	return in
}

// locking returns, for each folder of the rooms with tests, a file that imports sync or
// sync/atomic. It reads the text of the files.
func locking(t *testing.T) map[string]string {
	t.Helper()
	const root = "../.."
	tested, found := map[string]bool{}, map[string]string{}
	for _, room := range []string{"api", "builtin", "engine", "controllers", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") {
				return err
			}
			text, err := os.ReadFile(path)
			dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), root+"/")
			tested[dir] = tested[dir] || strings.HasSuffix(path, "_test.go")
			if bytes.Contains(text, []byte("\"sync\"\n")) || bytes.Contains(text, []byte("\"sync/atomic\"\n")) {
				found[dir] = path
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	maps.DeleteFunc(found, func(dir, _ string) bool { return !tested[dir] })
	if len(found) < 10 {
		t.Errorf("got %d folders with locks, want many", len(found))
	}
	return found
}

func TestRunRefusesOtherLists(t *testing.T) {
	for _, args := range [][]string{nil, {"long"}, {"short", "race"}} {
		if err := run(args, io.Discard); err == nil {
			t.Errorf("%q: got no error", args)
		}
	}
}

func trimmed(paths []string) []string {
	var short []string
	for _, path := range paths {
		short = append(short, strings.TrimPrefix(path, module))
	}
	return short
}
