// SPDX-License-Identifier: Apache-2.0

package shipped

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dragoman-io/dragoman/engine/bundle/archive"
)

// bundleOf returns an archive of a bundle called web, with further files.
func bundleOf(more ...archive.File) *archive.Archive {
	manifest := "apiVersion: interpreter.dragoman.io/v1alpha1\nkind: Bundle\nmetadata: {name: web}\n" +
		"spec: {kinds: [{group: web.example, versions: [v1], kind: Site}]}\n"
	return &archive.Archive{Files: append([]archive.File{
		{Path: "bundle.yaml", Data: []byte(manifest)},
		{Path: "Site/health.lua", Data: []byte("function InterpretHealth(object) return true end\n")},
	}, more...)}
}

// tree lists what is below a folder.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			all = append(all, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A folder that cannot be written to its end leaves what was there, and nothing beside it.
func TestAFolderIsWrittenWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "bundles", "web")
	if err := WriteFolder(folder, bundleOf(archive.File{Path: "a.md", Data: []byte("x")}), "web"); err != nil {
		t.Fatal(err)
	}
	before := []string{"bundles/web/Site/health.lua", "bundles/web/a.md", "bundles/web/bundle.yaml"}
	if got := tree(t, dir); !slices.Equal(got, before) {
		t.Errorf("there is %q; want %q", got, before)
	}
	for name, file := range map[string]archive.File{
		"a file below a file":          {Path: "bundle.yaml/x"},
		"a path that leads out":        {Path: "../../x"},
		"a path that is no file's":     {Path: "Site"},
		"an absolute path":             {Path: "/x"},
		"a path that leads out inside": {Path: "Site/../../x"},
	} {
		if err := WriteFolder(folder, bundleOf(file), "web"); err == nil {
			t.Errorf("%s: it was written", name)
		}
		if got := tree(t, dir); !slices.Equal(got, before) {
			t.Errorf("%s: there is %q; want %q", name, got, before)
		}
	}
	if err := WriteFolder(folder, bundleOf(), "web"); err != nil {
		t.Fatal(err)
	}
	if got, want := tree(t, dir), []string{"bundles/web/Site/health.lua", "bundles/web/bundle.yaml"}; !slices.Equal(got, want) {
		t.Errorf("there is %q; want %q", got, want)
	}
}

// Where two paths cannot be exchanged at once, a folder that cannot be put into its place leaves the
// other one there.
func TestReplaceBringsBackWhatWasThere(t *testing.T) {
	dir := t.TempDir()
	folder, old := filepath.Join(dir, "web"), filepath.Join(dir, "old")
	if err := extractArchive(folder, bundleOf()); err != nil {
		t.Fatal(err)
	}
	if err := replaceFolder(filepath.Join(dir, "none"), folder, old); err == nil {
		t.Error("a folder that is not there took the place")
	}
	want := []string{"web/Site/health.lua", "web/bundle.yaml"}
	if got := tree(t, dir); !slices.Equal(got, want) {
		t.Errorf("there is %q; want %q", got, want)
	}
	whole := filepath.Join(dir, "whole")
	if err := extractArchive(whole, bundleOf(archive.File{Path: "a.md"})); err != nil {
		t.Fatal(err)
	}
	if err := replaceFolder(whole, folder, old); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, folder); len(got) != 3 {
		t.Errorf("there is %q", got)
	}
}
