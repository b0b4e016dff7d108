// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/author/source"
)

const (
	agreedManifest = `apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata: {name: cache}
spec:
  kinds:
    - {group: cache.example.com, versions: [v1], kind: Cache}
`
	agreedHealth = "function InterpretHealth(object)\n  return object.metadata.name ~= nil\nend\n"
	agreedCase   = `name: healthy
observedObj: {apiVersion: cache.example.com/v1, kind: Cache, metadata: {name: a}}
operation: InterpretHealth
output: {healthy: true}
`
	// agreedPublished has a field of another tool, which the published form ignores.
	agreedPublished = agreedCase + "owner: storage\n"
	agreedRule      = `apiVersion: interpreter.dragoman.io/v1alpha1
kind: PlacementRule
metadata: {name: north}
spec:
  kinds: [{apiVersion: cache.example.com/v1, kind: Cache}]
  clusterFilter: "cluster.metadata.name == 'north' ? '' : 'it is not north'"
`
	agreedPlacement = `name: north
cluster: {metadata: {name: north}}
binding: {spec: {replicas: 1}}
output: {passes: true}
`
	agreedCustomization = `apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: cache}
spec:
  target: {apiVersion: cache.example.com/v1, kind: Cache}
  customizations:
    healthInterpretation:
      luaScript: |
        function InterpretHealth(object)
          return object.metadata.name ~= nil
        end
`
	agreedObject = "apiVersion: cache.example.com/v1\nkind: Cache\nmetadata: {name: a}\n"
)

// agreedFiles are files of which no tool finds anything wrong.
var agreedFiles = map[string]string{
	"/w/bundle/bundle.yaml":                     agreedManifest,
	"/w/bundle/.dragomanignore":                 "drafts/\n",
	"/w/bundle/Cache/health.lua":                agreedHealth,
	"/w/bundle/Cache/testdata/cases.yaml":       agreedCase,
	"/w/bundle/drafts/cases.yaml":               agreedCase,
	"/w/bundle/samples/cache.yaml":              agreedObject,
	"/w/named/customizations.yaml":              agreedCustomization,
	"/w/named/testdata/cases.yaml":              agreedPublished,
	"/w/named/beside.yaml":                      agreedPublished,
	"/w/named/object.yaml":                      agreedObject,
	"/w/named/bundle/bundle.yaml":               agreedManifest,
	"/w/named/bundle/Cache/health.lua":          agreedHealth,
	"/w/named/bundle/Cache/testdata/cases.yaml": agreedCase,
	"/w/held/cache-ric.yaml":                    agreedCustomization,
	"/w/held/tests/cases.yaml":                  agreedPublished,
	"/w/rules/placementrules.yaml":              agreedRule,
	"/w/rules/testdata/cases.yaml":              agreedPlacement,
	"/w/rules/bundle/bundle.yaml":               agreedManifest,
	"/w/rules/bundle/Cache/health.lua":          agreedHealth,
	"/w/rules/bundle/Cache/testdata/cases.yaml": agreedCase,
	"/w/loose/cases.yaml":                       agreedCase,
	"/w/loose/object.yaml":                      agreedObject,
	"/w/foreign/bundle.yaml":                    "apiVersion: fleet.cattle.io/v1alpha1\nkind: Bundle\nmetadata: {name: b}\n",
	"/w/foreign/object.yaml":                    agreedObject,
}

// TestToolsAgreeAboutPaths asks the editor, test, its watch and check about one file after the other: to which home it
// belongs, and what is wrong with it, as it is and with a mistake in it.
func TestToolsAgreeAboutPaths(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and seconds under the race detector")
	}
	for _, tc := range []struct {
		file, home string
		// from is replaced by to, which is the mistake that the tools find at at.
		from, to, at string
	}{
		{"/w/bundle/bundle.yaml", "/w/bundle", "kinds", "kindz", ":5: "},
		{"/w/bundle/Cache/health.lua", "/w/bundle", "return", "retrun", ":2"},
		{"/w/bundle/Cache/testdata/cases.yaml", "/w/bundle", "InterpretHealth", "InterpretHelth", ":3: "},
		{"/w/bundle/Cache/testdata/cases.yaml", "/w/bundle", "observedObj", "observdObj", ":2: "},
		{"/w/bundle/samples/cache.yaml", "/w/bundle", "", "", ""},
		{"/w/named/customizations.yaml", "/w/named", "return", "retrun", ":10"},
		{"/w/named/customizations.yaml", "/w/named", "metadata: {", "metadata: {{", ":2: "},
		{"/w/named/testdata/cases.yaml", "/w/named", "InterpretHealth", "InterpretHelth", ":1: "},
		{"/w/named/testdata/cases.yaml", "/w/named", "{healthy: true}", "{helthy: true}", ":1: "},
		{"/w/named/beside.yaml", "/w/named", "InterpretHealth", "InterpretHelth", ":1: "},
		{"/w/named/object.yaml", "/w/named", "", "", ""},
		{"/w/named/bundle/Cache/testdata/cases.yaml", "/w/named/bundle", "InterpretHealth", "InterpretHelth", ":3: "},
		{"/w/held/cache-ric.yaml", "/w/held", "return", "retrun", ":10"},
		{"/w/held/tests/cases.yaml", "/w/held", "InterpretHealth", "InterpretHelth", ":1: "},
		{"/w/rules/placementrules.yaml", "/w/rules", "cluster.metadata", "clusters.metadata", ":6"},
		{"/w/rules/testdata/cases.yaml", "/w/rules", "passes", "pases", ":4: "},
		{"/w/rules/bundle/Cache/testdata/cases.yaml", "/w/rules/bundle", "InterpretHealth", "InterpretHelth", ":3: "},
		{"/w/loose/cases.yaml", "", "InterpretHealth", "InterpretHelth", ":3: "},
		{"/w/loose/object.yaml", "", "", "", ""},
		{"/w/foreign/bundle.yaml", "", "", "", ""},
		{"/w/foreign/object.yaml", "", "", "", ""},
	} {
		t.Run(strings.TrimPrefix(tc.file, "/w/")+" "+tc.to, func(t *testing.T) {
			for tool, home := range map[string]func(files map[string]string, name string) string{"editor": editorHome, "watch": watchHome} {
				if got := home(agreedFiles, tc.file); got != tc.home {
					t.Errorf("%s has the home %q; want %q", tool, got, tc.home)
				}
			}
			tools := map[string]func(t *testing.T, files map[string]string, name string) []string{"editor": editorFindings, "test": testErrors, "check": checkProblems}
			for tool, find := range tools {
				if found := find(t, agreedFiles, tc.file); len(found) > 0 {
					t.Errorf("%s finds in a good file: %s", tool, strings.Join(found, "\n"))
				}
				if tc.to == "" {
					continue
				}
				files := maps.Clone(agreedFiles)
				files[tc.file] = strings.Replace(files[tc.file], tc.from, tc.to, 1)
				if !slices.ContainsFunc(find(t, files, tc.file), func(text string) bool { return strings.HasPrefix(text, tc.file+tc.at) }) {
					t.Errorf("%s finds %q; want one at %s%s", tool, find(t, files, tc.file), tc.file, tc.at)
				}
			}
		})
	}
}

// opened returns a server with one open document, and its unit.
func opened(files map[string]string, name string) (*Server, unit, snapshot) {
	s := newServer(io.Discard, Options{Files: filesOf(files)})
	s.put(&document{uri: uriOf(name), path: name, language: languageOf(name, ""), text: files[name]})
	u, at, _, _ := s.next()
	return s, u, at
}

// editorHome returns the folder that an editor's file is checked with.
func editorHome(files map[string]string, name string) string {
	_, u, _ := opened(files, name)
	return u.dir
}

// editorFindings returns what an editor shows in a file.
func editorFindings(t *testing.T, files map[string]string, name string) []string {
	t.Helper()
	s, u, at := opened(files, name)
	found, err := s.check(u, at)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range found {
		if f.severity == severityError {
			all = append(all, f.String())
		}
	}
	return all
}

// checkProblems returns what check finds in a file that it is given.
func checkProblems(t *testing.T, files map[string]string, name string) []string {
	t.Helper()
	compiler, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	c, err := author.NewChecker(compiler, "")
	if err != nil {
		t.Fatal(err)
	}
	f := c.Files(filesOf(files), []string{name})
	var all []string
	for _, p := range f.Problems {
		all = append(all, p.String())
	}
	return append(all, f.Errors...)
}

// watchHome returns the folder whose cases run again after a change of a file.
func watchHome(files map[string]string, name string) string {
	if h := source.New(filesOf(files)).Home(name); h != nil {
		return h.Dir
	}
	return ""
}

// testErrors returns what a run of the cases in the home of a file, or in the file, finds wrong in it.
func testErrors(t *testing.T, files map[string]string, name string) []string {
	t.Helper()
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	root := path.Dir(name)
	if home := watchHome(files, name); home != "" {
		root = home
	}
	plan, err := author.NewPlan(c, author.Selection{Files: filesOf(files), Paths: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, err := range plan.Errs {
		if text := fmt.Sprint(err); !strings.HasSuffix(text, "there are no cases in it") {
			all = append(all, text)
		}
	}
	return all
}
