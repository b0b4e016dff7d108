// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"
)

// TestWhatDoesNotParseAnswersNothing has files that are half typed: the error has file and line, and neither other
// scripts answer the cases beside them, nor does a case have an error for what is missing there.
func TestWhatDoesNotParseAnswersNothing(t *testing.T) {
	for name, tc := range map[string]struct {
		files fstest.MapFS
		want  string
	}{
		"customizations by their name": {fstest.MapFS{"a/customizations.yaml": file(cacheCustomization + "  x: [\n"), "a/cases.yaml": file(cacheCase)}, "a/customizations.yaml:9: "},
		"customizations by their kind": {fstest.MapFS{"a/ric.yaml": file(cacheCustomization + "  x: [\n"), "a/cases.yaml": file(cacheCase)}, "a/ric.yaml:9: "},
		"a manifest":                   {fstest.MapFS{"a/bundle.yaml": file(cacheManifest + "  x: [\n"), "a/Cache/testdata/cases.yaml": file(cacheCase)}, "a/bundle.yaml:8: "},
		"PlacementRules":               {fstest.MapFS{"a/placementrules.yaml": file("metadata: {\n"), "a/cases.yaml": file("name: a\nrule: b\ncluster: {}\nbinding: {}\noutput: {passes: true}\n")}, "a/placementrules.yaml:1: "},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{"bundles/cache/bundle.yaml": file(cacheManifest), "bundles/cache/Cache/health.lua": file("function InterpretHealth(obj) return true end\n")}
			maps.Copy(files, tc.files)
			bundles, err := files.Sub("bundles")
			if err != nil {
				t.Fatal(err)
			}
			p, err := NewPlan(compiler(t), Selection{Files: files, Paths: []string{"a"}, Bundles: bundles})
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Errs) != 1 || !strings.HasPrefix(p.Errs[0].Error(), tc.want) {
				t.Errorf("got the errors %v; want one at %s", p.Errs, tc.want)
			}
			if r := p.Run(nil); r.Passed > 0 {
				t.Errorf("%d cases pass, by %s", r.Passed, r.Cases[0].AnsweredBy)
			}
		})
	}
}

// TestCheckChecksAFileAsWhatItIs names files of each kind.
func TestCheckChecksAFileAsWhatItIs(t *testing.T) {
	two := strings.Replace(strings.Replace(cacheCustomization, "nothing", "object", 1), "{name: cache}", "{name: other}", 1)
	files := fstest.MapFS{
		"bundle/bundle.yaml":           file(cacheManifest),
		"bundle/Cache/health.lua":      file("function InterpretHealth(obj)\n  return obj.\nend\n"),
		"yml/bundle.yml":               file(cacheManifest),
		"loose/health.lua":             file("return 1\n"),
		"loose/values.yaml":            file("replicas: 1\n"),
		"two/customizations.yaml":      file(cacheCustomization + "---\n" + two),
		"empty/bundle.yaml":            file(""),
		"bundle/Cache/testdata/a.yaml": file("name: a\noperation: InterpretHelth\n"),
	}
	for path, want := range map[string]string{
		"bundle/Cache/health.lua":      "bundle/Cache/health.lua:3:1: Bundle/bundle: syntax error near 'end'",
		"bundle/Cache/testdata/a.yaml": `bundle/Cache/testdata/a.yaml:2: operation: there is no operation "InterpretHelth"; did you mean InterpretHealth?`,
		"yml":                          "yml/bundle.yml:2: Bundle/cache: kind: the manifest of a bundle is found by its name, which is bundle.yaml; rename the file",
		"loose/health.lua":             "loose/health.lua: a script without a bundle.yaml in a folder above it",
		"loose/values.yaml":            "loose/values.yaml:1: want a Kubernetes object with apiVersion and kind",
		"two":                          "two/customizations.yaml:16: the script of other is never asked: cache answers InterpretHealth for Cache too",
		"empty":                        "empty/bundle.yaml",
	} {
		found := checker(t).Files(files, []string{path})
		if !strings.Contains(fmt.Sprint(found.Problems), want) || len(found.Errs) > 0 {
			t.Errorf("%s: got %v, errors %v; want %s", path, found.Problems, found.Errs, want)
		}
	}
}
