// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestIgnore(t *testing.T) {
	text := "# of the author\n\n*.bak  \r\nMakefile\nscratch/\n/notes.yaml\nSite/testdata/wip*\n[a-c].tmp\n"
	ignore, err := ReadIgnore(fstest.MapFS{"web/.dragomanignore": {Data: []byte(text)}}, "web")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		isDir   bool
		ignored bool
	}{
		{"a.bak", false, true},
		{"Site/health.lua.bak", false, true},
		{"Makefile", false, true},
		{"Site/Makefile", false, true},
		{"Site/Makefile.md", false, false},
		{"scratch", true, true},
		{"scratch", false, false},
		{"Site/scratch/deep/a.lua", false, true},
		{"notes.yaml", false, true},
		{"Site/notes.yaml", false, false},
		{"Site/testdata/wip.yaml", false, true},
		{"Site/testdata/health.yaml", false, false},
		{"Other/Site/testdata/wip.yaml", false, false},
		{"b.tmp", false, true},
		{"d.tmp", false, false},
		{"bundle.yaml", false, false},
	} {
		if got := ignore.Matches(c.name, c.isDir); got != c.ignored {
			t.Errorf("%s is ignored: %v; want %v", c.name, got, c.ignored)
		}
	}
	if none, err := ReadIgnore(fstest.MapFS{}, "web"); err != nil || none.Matches("a", false) {
		t.Errorf("without a file something is ignored, or it is an error: %v", err)
	}
}

func TestWrongPatterns(t *testing.T) {
	for text, want := range map[string]string{
		"a\n!b":                           "web/.dragomanignore:2: a pattern cannot take back another one with !",
		"a/**/b":                          "web/.dragomanignore:1: ** is not known",
		"[a":                              "not a pattern",
		"/":                               "not a pattern",
		"//":                              "not a pattern",
		"*":                               "the pattern ignores bundle.yaml",
		"/bundle.yaml":                    "the pattern ignores bundle.yaml",
		strings.Repeat("a\n", 101):        "web/.dragomanignore:101: too many patterns",
		strings.Repeat("#", maxIgnore+1):  "too long: at most 16384 bytes",
		"*.yaml\n\n" + "[z-a\n" + "fine*": "web/.dragomanignore:1: the pattern ignores bundle.yaml",
	} {
		_, err := ReadIgnore(fstest.MapFS{"web/.dragomanignore": {Data: []byte(text)}}, "web")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got error %v; want one with %q", text, err, want)
		}
	}
}

// Files that lie there for people or their author keep no bundle from being loaded, and are no part
// of it where they are ignored.
func TestOtherFilesOfABundle(t *testing.T) {
	good := map[string]string{
		"web/LICENSE":                "x",
		"web/LICENSE.MIT":            "x",
		"web/NOTICE.txt":             "x",
		"web/notes.txt":              "x",
		"web/crds/site.yaml":         "x",
		"web/crds/v2/site.json":      "x",
		"web/crds/README.md":         "x",
		"web/samples/site.yml":       "x",
		"web/Makefile":               "x",
		"web/hack/run.sh":            "x",
		"web/Site/health.lua.orig":   "x",
		"web/samples/run.sh":         "x",
		"web/.dragomanignore":        "Makefile\nhack/\n*.orig\n*.sh\nwip.lua\n",
		"web/lib/wip.lua":            "not Lua",
		"web/Site/testdata/.x.yaml~": "x",
	}
	b, err := newLoader(t).Load(folder(good), "web", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !b.Ignores("web/Makefile", false) || b.Ignores("web/Site/health.lua", false) {
		t.Error("the bundle does not know what is ignored")
	}
	files, err := Files(folder(good), "web")
	want := []string{
		"LICENSE", "LICENSE.MIT", "NOTICE.txt", "Site/health.lua", "bundle.yaml", "crds/README.md", "crds/site.yaml",
		"crds/v2/site.json", "notes.txt", "samples/site.yml",
	}
	if err != nil || !slices.Equal(files, want) {
		t.Errorf("the bundle has the files %v, %v; want %v", files, err, want)
	}
	data, err := Pack(folder(good), "web")
	if err != nil || len(data) != 2 {
		t.Errorf("packed %d files, %v; want the manifest and the script", len(data), err)
	}
	with, err := Revision(folder(good), "web")
	if err != nil {
		t.Fatal(err)
	}
	for name := range good {
		if b.Ignores(name, false) {
			delete(good, name)
		}
	}
	delete(good, "web/.dragomanignore")
	if without, err := Revision(folder(good), "web"); err != nil || without != with {
		t.Errorf("what is ignored is part of the revision: %s and %s, %v", with, without, err)
	}
	for name, want := range map[string]string{
		"web/Makefile":            "web/Makefile: a bundle holds bundle.yaml",
		"web/crds/a.lua":          "web/crds/a.lua: crds holds objects (.yaml, .yml, .json) and texts (.md)",
		"web/samples/x/Makefile":  "web/samples/x/Makefile: samples holds objects",
		"web/Site/LICENSE":        "web/Site/LICENSE: a kind's folder holds scripts",
		"web/lib/a.txt":           "web/lib/a.txt: lib holds modules",
		"web/testdata/a.yaml":     `web/testdata: there is no kind "testdata"`,
		"web/.dragomanignore":     "the pattern ignores bundle.yaml",
		"web/LICENSES/apache.txt": `there is no kind "LICENSES"`,
	} {
		if _, err := newLoader(t).Load(folder(map[string]string{name: "*"}), "web", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v; want one with %q", name, err, want)
		}
	}
}

func TestAKindCannotHaveTheNameOfAFolder(t *testing.T) {
	for _, kind := range []string{"lib", "crds", "samples"} {
		text := strings.Replace(manifest, "kind: Site", "kind: "+kind, 1)
		if _, err := readManifest("bundle.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), kind) {
			t.Errorf("%s: got error %v", kind, err)
		}
	}
}

func TestVersions(t *testing.T) {
	for version, good := range map[string]bool{
		"1.4.0": true, "0.0.0": true, "2.0.0-rc.1": true, "1.0.0-0a.-": true, "10.20.30": true,
		"1.4": false, "v1.4.0": false, "1.04.0": false, "1.4.0+linux": false, "1.0.0-01": false, "1.0.0-": false, "": false, "latest": false,
		"1.0.0-" + strings.Repeat("a", 200): false,
	} {
		text := strings.Replace(manifest, "name: web", "name: web\n  version: \""+version+"\"", 1)
		m, err := readManifest("bundle.yaml", []byte(text))
		if (err == nil) != good || good && m.Version != version {
			t.Errorf("%q is a version: %v, %v; want %v", version, m.Version, err, good)
		}
	}
}

func TestOutline(t *testing.T) {
	fsys := folder(map[string]string{
		"web/bundle.yaml":     manifest + "  operations:\n    - kinds: [Site]\n      functions: {replicas: lib.pods.replicas}\n",
		"web/lib/pods.lua":    "not compiled",
		"web/Site/revise.cel": "not compiled",
	})
	o, err := ReadOutline(fsys, "web")
	if err != nil || o.Name != "web" {
		t.Fatalf("got %s, error %v", o.Name, err)
	}
	var got []string
	for _, a := range o.Answers {
		got = append(got, strings.Join(a.Kinds, ",")+" "+a.Operation+" "+a.File+" "+a.Function)
	}
	want := []string{"Site health Site/health.lua ", "Site revise Site/revise.cel ", "Site replicas lib/pods.lua replicas"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q; want %q", got, want)
	}
	if _, err := ReadOutline(folder(map[string]string{"web/x": "x"}), "web"); err == nil {
		t.Error("a folder with an unknown file has an outline")
	}
}

func TestFilesAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		file *fstest.MapFile
		at   string
		want string
	}{
		"a link":   {&fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("/etc")}, "web/a", "web/a: neither a file nor a folder"},
		"too deep": {&fstest.MapFile{}, "web/" + strings.Repeat("d/", MaxDepth+1) + "a", "folders nest deeper than 8"},
	} {
		if _, err := Files(fstest.MapFS{c.at: c.file}, "web"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v; want one with %q", name, err, c.want)
		}
	}
	if files, err := Files(fstest.MapFS{"web/" + strings.Repeat("d/", MaxDepth) + "a": {}}, "web"); err != nil || len(files) != 1 {
		t.Errorf("got %v, %v; want a file that is just not too deep", files, err)
	}
}
