// SPDX-License-Identifier: Apache-2.0

package bundle_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/scripts"
)

// The bundles of the program are the same once they are packed: as many rules, and as many cases.
func TestPackedBundlesAreTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and seconds under the race detector")
	}
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	loader := bundle.Loader{Compiler: c}
	folders, err := fs.ReadDir(scripts.FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	packed := 0
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		t.Run(folder.Name(), func(t *testing.T) {
			data, err := bundle.Pack(scripts.FS, folder.Name())
			if err != nil {
				t.Fatal(err)
			}
			packed++
			files := fstest.MapFS{}
			for key, text := range data {
				files[path.Join("m", key)] = &fstest.MapFile{Data: []byte(text)}
			}
			before, err := loader.Load(scripts.FS, folder.Name(), nil)
			if err != nil {
				t.Fatal(err)
			}
			mounted := bundle.Mount(files)
			after, err := loader.Load(mounted, "m", nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := rules(after), rules(before); got != want {
				t.Errorf("the packed bundle has %d rules; want %d", got, want)
			}
			all, err := cases.InBundle(scripts.FS, before)
			if err != nil {
				t.Fatal(err)
			}
			same, err := cases.InBundle(mounted, after)
			if err != nil {
				t.Fatal(err)
			}
			if len(same) != len(all) {
				t.Errorf("the packed bundle has %d cases; want %d", len(same), len(all))
			}
		})
	}
	if packed == 0 {
		t.Error("no bundle was packed")
	}
}

// rules counts the rules of a bundle.
func rules(b *bundle.Bundle) int {
	n := 0
	for _, all := range b.Source.Kinds {
		n += len(all)
	}
	return n
}

func TestPackRefusesWhatAConfigMapCannotHold(t *testing.T) {
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  string
	}{
		"a folder below lib":  {fstest.MapFS{"b/lib/deep/a.lua": text("return {}")}, "b/lib/deep/a.lua: no key of a ConfigMap leads to this path"},
		"a space":             {fstest.MapFS{"b/Cache/testdata/a b.yaml": text("name: a")}, "b/Cache/testdata/a b.yaml: no key"},
		"more than a MiB":     {fstest.MapFS{"b/Cache/testdata/a.yaml": text(strings.Repeat("#", 600_000)), "b/Cache/testdata/b.yaml": text(strings.Repeat("#", 600_000))}, "the files of b have 1200000 bytes, and a ConfigMap takes 1048576"},
		"a folder that is no": {fstest.MapFS{}, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := bundle.Pack(c.files, "b")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %d files and error %v; want one with %q", len(data), err, c.want)
			}
		})
	}
	data, err := bundle.Pack(fstest.MapFS{"b/README.md": text("x"), "b/.hidden/a.lua": text("x"), "b/.x": text("x"), "b/bundle.yaml": text("y")}, "b")
	if err != nil || len(data) != 1 || data["bundle.yaml"] != "y" {
		t.Errorf("got %v, %v; want bundle.yaml alone", data, err)
	}
}
