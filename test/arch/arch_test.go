// SPDX-License-Identifier: Apache-2.0

// Package arch holds the import rules of the rooms as a test.
package arch

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const module = "github.com/dragoman-io/dragoman/"

// arrows holds which rooms a room may import. Tests may import any.
var arrows = map[string][]string{
	"api":         {"api"},
	"builtin":     {"api", "builtin"},
	"engine":      {"api", "builtin", "engine"},
	"scripts":     {"scripts"},
	"docs":        {"docs"},
	"controllers": {"api", "engine", "controllers"},
	"cmd":         {"api", "builtin", "engine", "scripts", "docs", "controllers", "cmd"},
	"examples":    {"api", "engine"},
	"test":        {"api", "builtin", "engine", "scripts", "docs", "controllers", "cmd", "test"},
}

// extra holds what a package may import beside what its room may, for a reason.
var extra = map[string]struct{ room, reason string }{
	"controllers/estimator/wire": {"builtin", "quantities from elsewhere are read by builtin.ParseQuantity, which has a bound, and an estimator has no engine"},
}

// ban keeps an import to some packages of ours, for a reason.
type ban struct {
	imports string
	only    []string
	reason  string
}

var bans = []ban{
	{"github.com/yuin/gopher-lua", []string{"engine/internal/lua"}, "gopher-lua's VM cannot be bounded; only its parser is used, behind one package"},
	{"github.com/google/cel-go", []string{"engine/internal/cel"}, "CEL runs behind one package, so that no expression escapes the cost limits"},
	{"k8s.io/apiserver", []string{"engine/internal/cel"}, "only the CEL libraries of the API server are used"},
	{"oras.land/oras-go", []string{"engine/bundle/oci", "cmd"}, "registries are asked in one package; a command adds the credentials"},
	{"k8s.io/client-go", []string{"controllers", "cmd", "test"}, "types, functions and engine know no cluster"},
	{"sigs.k8s.io/controller-runtime", []string{"controllers", "cmd", "test"}, "types, functions and engine know no cluster"},
	{"google.golang.org/grpc", []string{"api/estimator", "controllers/estimator", "cmd", "test"}, "only an estimator and its clients speak gRPC"},
	{"github.com/karmada-io", nil, "the peer's modules are never a dependency"},
}

// decisions is the room of packages that decide from values alone.
const decisions = "controllers/decide"

// authors are the packages of what script authors run, which need no cluster.
var authors = []string{"engine/author/...", "cmd/internal/verbs/author"}

// groups are the verbs of the command line, in packages that know none of the others.
const groups = "cmd/internal/verbs"

// impure are what no package of decisions or for authors may reach, and exceptions what they may all the
// same: the parser of JSONPath.
var (
	impure     = []string{"sigs.k8s.io/controller-runtime", "k8s.io/client-go", "google.golang.org/grpc"}
	exceptions = []string{"k8s.io/client-go/util/jsonpath", "k8s.io/client-go/third_party/forked/golang/template"}
)

// names are package names without a meaning.
var names = []string{"util", "utils", "common", "helper", "helpers", "pkg"}

// listed is what go list prints of a package.
type listed struct {
	ImportPath   string
	Name         string
	Doc          string
	Dir          string
	GoFiles      []string
	Deps         []string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	return list(t, "ImportPath,Name,Doc,Imports,TestImports,XTestImports", "../../...")
}

// list asks go list for fields of packages.
func list(t *testing.T, fields string, patterns ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=" + fields}, patterns...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("go list names only %d packages of %s", len(all), patterns)
	}
	return all
}

func TestArrows(t *testing.T) {
	for _, p := range packages(t) {
		within := strings.TrimPrefix(p.ImportPath, module)
		room, _, _ := strings.Cut(within, "/")
		allowed, known := arrows[room]
		if !known {
			t.Errorf("%s stands in no room; the rooms are those of the architecture", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			if to, ours := strings.CutPrefix(imported, module); ours {
				toRoom, _, _ := strings.Cut(to, "/")
				if !contains(allowed, toRoom) && extra[within].room != toRoom {
					t.Errorf("%s imports %s: %s may import only %v", within, to, room, allowed)
				}
			}
		}
		for _, b := range bans {
			for _, imported := range append(append(append([]string{}, p.Imports...), p.TestImports...), p.XTestImports...) {
				if under(imported, b.imports) && !under(within, b.only...) {
					t.Errorf("%s imports %s, which only %v may: %s", within, imported, b.only, b.reason)
				}
			}
		}
	}
}

// TestPure keeps decisions free of clients, caches, queues and clocks, in all that they reach. The
// tests of these packages may use them.
func TestPure(t *testing.T) {
	for _, p := range list(t, "ImportPath,Deps,Dir,GoFiles", "../../"+decisions+"/...") {
		within := strings.TrimPrefix(p.ImportPath, module)
		for _, client := range clientsOf(p) {
			t.Errorf("%s reaches %s: it decides from values, and reads no cluster", within, client)
		}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if call := clock.Find(text); call != nil {
				t.Errorf("%s/%s calls %s: what time it is goes in", within, name, call)
			}
		}
	}
}

// clientsOf returns what a package reaches of the clients of clusters.
func clientsOf(p listed) []string {
	var all []string
	for _, reached := range p.Deps {
		if under(reached, impure...) && !under(reached, exceptions...) {
			all = append(all, reached)
		}
	}
	return all
}

// TestAuthors keeps the clients of clusters out of all that the verbs of script authors, and who builds on
// engine/author, reach.
func TestAuthors(t *testing.T) {
	var patterns []string
	for _, p := range authors {
		patterns = append(patterns, "../../"+p)
	}
	for _, p := range list(t, "ImportPath,Deps", patterns...) {
		for _, client := range clientsOf(p) {
			t.Errorf("%s reaches %s: authors of scripts have no cluster; what needs one goes in as a function", strings.TrimPrefix(p.ImportPath, module), client)
		}
	}
}

// TestGroups keeps the groups of verbs apart: what two of them need is beside them.
func TestGroups(t *testing.T) {
	group := regexp.MustCompile("^" + module + groups + "/(author|ship|plane)(/|$)")
	for _, p := range packages(t) {
		of := group.FindStringSubmatch(p.ImportPath)
		for _, imported := range p.Imports {
			if to := group.FindStringSubmatch(imported); of != nil && to != nil && of[1] != to[1] {
				t.Errorf("%s imports %s: a group of verbs knows no other one", strings.TrimPrefix(p.ImportPath, module), imported)
			}
		}
	}
}

// clock finds what reads a clock or waits.
var clock = regexp.MustCompile(`\btime\.(Now|Since|Until|Sleep|After|NewTimer|NewTicker)\(`)

func TestNames(t *testing.T) {
	for _, p := range packages(t) {
		if contains(names, path.Base(p.ImportPath)) || contains(names, p.Name) {
			t.Errorf("package %s: the name does not show what it is for", p.ImportPath)
		}
		if p.Doc == "" && hasCode(p) {
			t.Errorf("package %s has no package comment: describe what it is for, what goes in and out, what it does not know", p.ImportPath)
		}
	}
}

// hasCode reports whether the package has more than tests; go list omits the comment of
// a package of tests alone.
func hasCode(p listed) bool {
	return len(p.Imports) > 0 || (len(p.TestImports) == 0 && len(p.XTestImports) == 0)
}

func under(p string, roots ...string) bool {
	for _, root := range roots {
		if p == root || strings.HasPrefix(p, root+"/") {
			return true
		}
	}
	return false
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}
