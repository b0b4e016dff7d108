// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/author/source"
)

const (
	cacheManifest = `apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata: {name: cache}
spec:
  description: Caches.
  kinds:
  - {group: cache.example.com, versions: [v1], kind: Cache}
`
	cacheCase = `name: healthy
observedObj: {apiVersion: cache.example.com/v1, kind: Cache}
operation: InterpretHealth
output: {healthy: true}
`
	cacheCustomization = `apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: cache}
spec:
  target: {apiVersion: cache.example.com/v1, kind: Cache}
  customizations:
    healthInterpretation: {celExpression: "true"}
    retention: {celExpression: "nothing"}
`
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// caches has cases in a bundle, beside customizations, and in neither.
var caches = fstest.MapFS{
	"cache/bundle.yaml":               file(cacheManifest),
	"cache/Cache/health.lua":          file("function InterpretHealth(obj) return true end\n"),
	"cache/Cache/testdata/cases.yaml": file(cacheCase),
	"custom/customizations.yaml":      file(cacheCustomization),
	"custom/testdata/cases.yaml":      file(cacheCase),
	"loose/cases.yaml":                file(cacheCase),
	"loose/values.yaml":               file("replicas: 1\n"),
	"loose/.hidden/cases.yaml":        file("name: ["),
	"loose/README.md":                 file("name: ["),
	"bundles/cache/bundle.yaml":       file(cacheManifest),
	"bundles/cache/Cache/health.lua":  file("function InterpretHealth(obj) return true end\n"),
}

func TestPlanFindsWhatAnswersACase(t *testing.T) {
	bundles, err := fs.Sub(caches, "bundles")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		paths []string
		want  []string
	}{
		"a bundle":               {[]string{"cache"}, []string{"1 cases by bundle cache, complete"}},
		"a file in a bundle":     {[]string{"cache/Cache/testdata/cases.yaml"}, []string{"1 cases by bundle cache"}},
		"a folder with a bundle": {[]string{"cache", "loose"}, []string{"1 cases by bundle cache, complete", "1 cases by shared bundles"}},
		"customizations":         {[]string{"custom/testdata"}, []string{"1 cases by 1 customizations"}},
		"none":                   {[]string{"loose"}, []string{"1 cases by shared bundles"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := NewPlan(compiler(t), Selection{Files: caches, Paths: c.paths, Bundles: bundles})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, g := range p.Groups {
				got = append(got, describe(g))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("want -, got +:\n%s", d)
			}
			report := p.Run(nil)
			if report.Failed > 0 || report.Passed != len(report.Cases) {
				t.Errorf("%d of %d cases passed", report.Passed, len(report.Cases))
			}
		})
	}
}

func describe(g *Group) string {
	text := fmt.Sprintf("%d cases by ", len(g.Cases))
	switch {
	case len(g.Customizations) > 0:
		return text + fmt.Sprintf("%d customizations", len(g.Customizations))
	case g.Complete:
		return text + "bundle " + g.Bundles[0].Name + ", complete"
	case g.Laws:
		return text + "bundle " + g.Bundles[0].Name
	}
	return text + "shared bundles"
}

func TestPlanKeepsWhatItCannotRead(t *testing.T) {
	p, err := NewPlan(compiler(t), Selection{Files: caches, Paths: []string{"custom", "loose"}, Bundles: fstest.MapFS{}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"loose/values.yaml"}, p.Skipped); d != "" {
		t.Errorf("skipped: want -, got +:\n%s", d)
	}
	if len(p.Errs) != 1 || !source.IsFinding(p.Errs[0]) {
		t.Errorf("got errors %v; want one about the retention of custom", p.Errs)
	}
	if _, err := NewPlan(compiler(t), Selection{Files: caches, Paths: []string{"nowhere"}}); err == nil || source.IsFinding(err) {
		t.Errorf("got error %v; want one about the path", err)
	}
}

// TestPlanClimbsNoFurtherThanTheFiles checks that a search for a bundle ends at the root
// of a file system.
func TestPlanClimbsNoFurtherThanTheFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cases.yaml"), []byte(cacheCase), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(compiler(t), Selection{Files: os.DirFS(dir), Paths: []string{"cases.yaml"}, Bundles: fstest.MapFS{}})
	if err != nil || len(p.Groups) != 1 || len(p.Groups[0].Cases) != 1 {
		t.Fatalf("got plan %+v, error %v; want one case", p, err)
	}
}
