// SPDX-License-Identifier: Apache-2.0

package source

import (
	"io/fs"
	"maps"
	"path"
	"sync"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// Tree is a file system that remembers what it read: the texts of YAML files, their documents, and which
// folders are homes. It shows the files as they were when a tool first asked, so that it is made for one run.
//
// It is safe for many goroutines.
type Tree struct {
	overlay

	mu    sync.Mutex
	files map[string]*File
	// kept is the length of all texts of files.
	kept int
	// homes are the folders that were looked at; nil is one that is no home.
	homes map[string]*Home
}

// New returns a tree of files, or files themselves where they are a tree. The folders above a path are
// searched for a home as far as files have them: a file system that takes "..", such as one of the host,
// also beyond the working folder.
func New(files fs.FS) *Tree {
	if t, is := files.(*Tree); is {
		return t
	}
	return newTree(overlay{FS: files})
}

func newTree(o overlay) *Tree {
	return &Tree{overlay: o, files: map[string]*File{}, homes: map[string]*Home{}}
}

// With returns a tree of the same files in which some have other texts, by their paths, and which
// remembers nothing yet. The files need not be there, nor the folders above them.
func (t *Tree) With(texts map[string]string) *Tree {
	all := make(map[string]string, len(t.texts)+len(texts))
	maps.Copy(all, t.texts)
	for name, text := range texts {
		all[path.Clean(name)] = text
	}
	return newTree(overlay{t.FS, all})
}

// Unsaved returns the text that stands in the place of a file, "" for none.
func (t *Tree) Unsaved(name string) string { return t.texts[path.Clean(name)] }

// maxKept bounds the texts that a tree keeps, in bytes. What is beyond it is read each time.
const maxKept = 16 << 20

// File returns a file, read once. The error is that of reading, or a *yamldoc.Error where the file is
// longer than readers of YAML take.
func (t *Tree) File(name string) (*File, error) {
	name = path.Clean(name)
	t.mu.Lock()
	f, known := t.files[name]
	t.mu.Unlock()
	if known {
		return f, nil
	}
	data, err := yamldoc.ReadFile(t, name)
	if err != nil {
		return nil, err
	}
	f = Read(name, data)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept+len(data) <= maxKept {
		t.files[name] = f
		t.kept += len(data)
	}
	return f, nil
}

// hasFile reports whether a folder has a regular file.
func (t *Tree) hasFile(dir, file string) bool {
	info, err := fs.Stat(t, path.Join(dir, file))
	return err == nil && info.Mode().IsRegular()
}

// upwards yields name and the folders above it, as far as the files reach.
func (t *Tree) upwards(name string) func(yield func(dir string) bool) {
	return func(yield func(string) bool) {
		for dir := path.Clean(name); yield(dir); {
			parent := path.Join(dir, "..")
			if _, err := fs.Stat(t, parent); err != nil || parent == dir {
				return
			}
			dir = parent
		}
	}
}

// Walk calls f for root and all files and folders below it, without hidden ones: those that begin with a dot, or end with ~. It
// calls failed for a folder that cannot be read, and continues.
func Walk(files fs.FS, root string, failed func(error), f func(name string, d fs.DirEntry) error) error {
	return fs.WalkDir(files, root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			failed(err)
			return fs.SkipDir
		case name != root && bundle.Hidden(d.Name()) && d.IsDir():
			return fs.SkipDir
		case name != root && bundle.Hidden(d.Name()):
			return nil
		}
		return f(name, d)
	})
}
