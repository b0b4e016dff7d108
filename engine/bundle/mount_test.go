// SPDX-License-Identifier: Apache-2.0

package bundle_test

import (
	"io/fs"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/dragoman-io/dragoman/engine/bundle"
)

// TestMountIsTheFolderThatItStandsFor compares the mount of a ConfigMap with the folder whose
// files have the same content, by all that a file system shows.
func TestMountIsTheFolderThatItStandsFor(t *testing.T) {
	flat := map[string]string{
		"bundle.yaml": "bundle.yaml", "README.md": "README.md", "Site.health.lua": "Site/health.lua",
		"Site.testdata.health.yaml": "Site/testdata/health.yaml", "Other.status.cel": "Other/status.cel",
		"lib.text.lua": "lib/text.lua",
	}
	mounted, folders := fstest.MapFS{}, fstest.MapFS{}
	for name, at := range flat {
		for prefix := range maps.Keys(map[string]bool{"a/": true, "": true}) {
			mounted[prefix+name] = &fstest.MapFile{Data: []byte(name)}
			folders[prefix+at] = &fstest.MapFile{Data: []byte(name)}
		}
	}
	mounted["a/..data/bundle.yaml"] = &fstest.MapFile{}
	seen := func(fsys fs.FS) map[string]string {
		all := map[string]string{}
		err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case bundle.Hidden(d.Name()) && name != ".":
				return fs.SkipDir
			case d.IsDir():
				all[name] = "a folder"
				return nil
			}
			data, err := fs.ReadFile(fsys, name)
			all[name] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	want, got := seen(folders), seen(bundle.Mount(mounted))
	if !maps.Equal(want, got) {
		t.Errorf("got %v\nwant %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

func TestMountLeavesOtherFoldersAlone(t *testing.T) {
	fsys := bundle.Mount(fstest.MapFS{"a/Site.health.lua": {}, "a/b.c.yaml": {}})
	if _, err := fs.Stat(fsys, "a/Site/health.lua"); err == nil {
		t.Error("a folder without a manifest is read as the mount of a bundle")
	}
	entries, err := fs.ReadDir(fsys, "a")
	if err != nil || len(entries) != 2 || entries[0].Name() != "Site.health.lua" {
		t.Errorf("got %v, error %v", entries, err)
	}
}
