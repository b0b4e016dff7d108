// SPDX-License-Identifier: Apache-2.0

package shipped

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/archive"
)

// WriteFolder writes the files of a bundle called name as a folder, whole or not at all. A folder
// that is there is replaced, where all in it is of a bundle of that name.
func WriteFolder(folder string, a *archive.Archive, name string) (err error) {
	folder = filepath.Clean(folder)
	if base := filepath.Base(folder); base == "." || base == ".." || base == string(filepath.Separator) {
		return fmt.Errorf("%s: name the folder of the bundle itself, such as %s", filepath.ToSlash(folder), filepath.ToSlash(filepath.Join(folder, name)))
	}
	there, err := isReplaceable(folder, name)
	if err != nil {
		return err
	}
	parent := filepath.Dir(folder)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	beside, err := os.MkdirTemp(parent, verb.BesidePattern)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(beside)) }()
	whole := filepath.Join(beside, "new")
	if err := extractArchive(whole, a); err != nil {
		return err
	}
	if !there {
		return os.Rename(whole, folder)
	}
	return exchangeFolders(whole, folder, filepath.Join(beside, "old"))
}

// exchangeFolders puts a folder in the place of another one: at once where the system can, so that no
// program finds neither.
func exchangeFolders(whole, folder, old string) error {
	if swapPaths(whole, folder) == nil {
		return nil
	}
	return replaceFolder(whole, folder, old)
}

// replaceFolder puts a folder in the place of another one, which goes to old. If it cannot be put there,
// the other one comes back.
func replaceFolder(whole, folder, old string) error {
	if err := os.Rename(folder, old); err != nil {
		return err
	}
	if err := os.Rename(whole, folder); err != nil {
		return errors.Join(err, os.Rename(old, folder))
	}
	return nil
}

// extractArchive writes the files of an archive below a folder that is made for them. os.Root keeps them
// there, whatever their paths.
func extractArchive(folder string, a *archive.Archive) (err error) {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, f := range a.Files {
		file := filepath.FromSlash(f.Path)
		if err := root.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(file, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// isReplaceable reports whether a folder is there. It is an error if it must not be replaced: it is
// no bundle of the name, or has something that is no part of one.
func isReplaceable(folder, name string) (there bool, err error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if len(entries) == 0 {
		return true, nil
	}
	shown := filepath.ToSlash(folder)
	outline, err := bundle.ReadOutline(verb.Disk{}, shown)
	if err != nil {
		return true, fmt.Errorf("%s is there and holds no bundle: choose another folder, or move it away", shown)
	}
	if outline.Name != name {
		return true, fmt.Errorf("%s is there and holds the bundle %s, not %s: choose another folder, or move it away", shown, outline.Name, name)
	}
	kept, err := bundle.Files(verb.Disk{}, shown)
	if err != nil {
		return true, err
	}
	all := 0
	err = filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case file != folder && bundle.Hidden(d.Name()):
			return fmt.Errorf("%s is no part of the bundle and would be lost: choose another folder, or move it away", filepath.ToSlash(file))
		case !d.IsDir():
			all++
		}
		return nil
	})
	if err == nil && all != len(kept) {
		err = fmt.Errorf("%s holds files that are no part of the bundle and would be lost: choose another folder, or move it away", shown)
	}
	return true, err
}
