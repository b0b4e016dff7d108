// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A ConfigMap that is mounted is a bundle too. Its keys cannot hold a slash, so that the files
// lie beside the manifest, with a dot in place of each slash:
//
//	bundle.yaml                           bundle.yaml
//	FlinkDeployment.health.lua            FlinkDeployment/health.lua
//	FlinkDeployment.testdata.health.yaml  FlinkDeployment/testdata/health.yaml
//	lib.memory.lua                        lib/memory.lua, which is required as lib.memory

// PathOf returns the path within its bundle of a file that lies at name in the folder of the
// bundle: that of its folder may stand before its own, with a dot.
func PathOf(name string) string {
	if strings.Contains(name, "/") || strings.Count(name, ".") < 2 || path.Ext(name) == ".md" {
		return name
	}
	dir, rest, _ := strings.Cut(name, ".")
	if file, isCase := strings.CutPrefix(rest, CasesDir+"."); isCase && strings.Contains(file, ".") {
		return path.Join(dir, CasesDir, file)
	}
	return path.Join(dir, rest)
}

// Mount returns a file system in which the folder of a bundle that is the mount of a
// ConfigMap looks as that of any other: its files are where PathOf says, and links are what
// they lead to. All else is that of fsys.
func Mount(fsys fs.FS) fs.FS { return mount{fsys} }

type mount struct{ under fs.FS }

// Open opens a file.
func (m mount) Open(name string) (fs.File, error) {
	f, err := m.under.Open(name)
	if at := m.flat(name, err); at != "" {
		return m.under.Open(at)
	}
	return f, err
}

// Stat describes a file or a folder.
func (m mount) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(m.under, name)
	if at := m.flat(name, err); at != "" {
		return fs.Stat(m.under, at)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if entries, _ := m.below(name); len(entries) > 0 {
			return virtualDir(path.Base(name)), nil
		}
	}
	return info, err
}

// ReadFile reads a file.
func (m mount) ReadFile(name string) ([]byte, error) {
	data, err := fs.ReadFile(m.under, name)
	if at := m.flat(name, err); at != "" {
		return fs.ReadFile(m.under, at)
	}
	return data, err
}

// ReadDir reads a folder, sorted by name.
func (m mount) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(m.under, name)
	if err == nil && m.isBundle(name) {
		entries = m.unfold(name, entries)
	}
	more, known := m.below(name)
	if known && err != nil {
		err = nil
	}
	for _, e := range more {
		if !slices.ContainsFunc(entries, func(other fs.DirEntry) bool { return other.Name() == e.Name() }) {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// isBundle reports whether a folder has a manifest.
func (m mount) isBundle(dir string) bool {
	_, err := fs.Stat(m.under, path.Join(dir, ManifestFile))
	return err == nil
}

// unfold returns the entries of a bundle's folder with folders in place of the files that
// stand for files in them, and with what links lead to.
func (m mount) unfold(dir string, entries []fs.DirEntry) []fs.DirEntry {
	var all []fs.DirEntry
	seen := map[string]bool{}
	for _, e := range entries {
		seen[e.Name()] = true
	}
	for _, e := range entries {
		at := PathOf(e.Name())
		if e.IsDir() || Hidden(e.Name()) || at == e.Name() {
			all = append(all, m.target(dir, e))
			continue
		}
		first, _, _ := strings.Cut(at, "/")
		if !seen[first] {
			seen[first] = true
			all = append(all, fs.FileInfoToDirEntry(virtualDir(first)))
		}
	}
	return all
}

// target returns what a link leads to, under its own name; the entry itself where it is none.
func (m mount) target(dir string, e fs.DirEntry) fs.DirEntry {
	if e.Type()&fs.ModeSymlink == 0 {
		return e
	}
	info, err := fs.Stat(m.under, path.Join(dir, e.Name()))
	switch {
	case err != nil:
		return e
	case info.IsDir():
		return fs.FileInfoToDirEntry(virtualDir(e.Name()))
	}
	return fs.FileInfoToDirEntry(info)
}

// below returns the entries of a folder that only files beside the manifest stand for, and
// whether there is one.
func (m mount) below(name string) (entries []fs.DirEntry, known bool) {
	dir, inside := m.bundleAbove(name)
	if inside == "" {
		return nil, false
	}
	files, err := fs.ReadDir(m.under, dir)
	if err != nil {
		return nil, false
	}
	for _, e := range files {
		at := PathOf(e.Name())
		rest, isInside := strings.CutPrefix(at, inside)
		if !isInside || at == e.Name() || e.IsDir() || Hidden(e.Name()) {
			continue
		}
		first, _, isDir := strings.Cut(rest, "/")
		if isDir && slices.ContainsFunc(entries, func(other fs.DirEntry) bool { return other.Name() == first }) {
			continue
		}
		if isDir {
			entries = append(entries, fs.FileInfoToDirEntry(virtualDir(first)))
			continue
		}
		if info, err := fs.Stat(m.under, path.Join(dir, e.Name())); err == nil {
			entries = append(entries, fs.FileInfoToDirEntry(named{info, first}))
		}
	}
	return entries, len(entries) > 0
}

// bundleAbove returns the folder of the bundle that a folder may be in, one or two levels above
// it, and the path of the folder within it, which ends in a slash; "" where there is none.
func (m mount) bundleAbove(name string) (dir, inside string) {
	dir = path.Dir(name)
	for range 2 {
		if m.isBundle(dir) {
			break
		}
		dir = path.Dir(dir)
	}
	switch {
	case dir == name || !m.isBundle(dir):
		return dir, ""
	case dir == ".":
		return dir, name + "/"
	}
	return dir, strings.TrimPrefix(strings.TrimPrefix(name, dir), "/") + "/"
}

// flat returns the file beside a manifest that stands for a file which does not exist, "" for
// none; err is that of looking at the file itself.
func (m mount) flat(name string, err error) string {
	if !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	dir, rest := path.Dir(name), path.Base(name)
	for range 2 {
		at := path.Join(dir, "..")
		rest = path.Base(dir) + "." + rest
		if dir == "." {
			return ""
		}
		file := path.Join(at, rest)
		if m.isBundle(at) && path.Join(at, PathOf(rest)) == path.Clean(name) {
			if info, err := fs.Stat(m.under, file); err == nil && !info.IsDir() {
				return file
			}
		}
		dir = at
	}
	return ""
}
