// SPDX-License-Identifier: Apache-2.0

package source

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// overlay is a file system in which texts stand in the place of files, also of files that
// are not there yet, and of folders above them.
type overlay struct {
	fs.FS
	// texts are by clean paths. They are never changed.
	texts map[string]string
}

// Open opens a file.
func (o overlay) Open(name string) (fs.File, error) {
	name = path.Clean(name)
	if text, has := o.texts[name]; has {
		return &textFile{Reader: strings.NewReader(text), info: textInfo{path.Base(name), int64(len(text))}}, nil
	}
	return o.FS.Open(name)
}

// Stat describes a file.
func (o overlay) Stat(name string) (fs.FileInfo, error) {
	name = path.Clean(name)
	if text, has := o.texts[name]; has {
		return textInfo{path.Base(name), int64(len(text))}, nil
	}
	info, err := fs.Stat(o.FS, name)
	if errors.Is(err, fs.ErrNotExist) && len(o.below(name)) > 0 {
		return textInfo{path.Base(name), -1}, nil
	}
	return info, err
}

// ReadFile reads a file.
func (o overlay) ReadFile(name string) ([]byte, error) {
	if text, has := o.texts[path.Clean(name)]; has {
		return []byte(text), nil
	}
	return fs.ReadFile(o.FS, name)
}

// ReadDir reads a folder, sorted by name.
func (o overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.FS, name)
	open := o.below(path.Clean(name))
	if errors.Is(err, fs.ErrNotExist) && len(open) > 0 {
		err = nil
	}
	if err != nil {
		return entries, err
	}
	for _, info := range open {
		is := func(e fs.DirEntry) bool { return e.Name() == info.name }
		if i := slices.IndexFunc(entries, is); i < 0 {
			entries = append(entries, fs.FileInfoToDirEntry(info))
		} else if !info.IsDir() {
			entries[i] = fs.FileInfoToDirEntry(info)
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// below returns the texts in a folder, and the folders above others, each once.
func (o overlay) below(dir string) []textInfo {
	var all []textInfo
	seen := map[string]bool{}
	for name, text := range o.texts {
		rest, is := strings.CutPrefix(name, strings.TrimSuffix(dir, "/")+"/")
		if dir == "." {
			rest, is = name, !path.IsAbs(name) && !strings.HasPrefix(name, "../")
		}
		if !is {
			continue
		}
		first, _, deeper := strings.Cut(rest, "/")
		if seen[first] {
			continue
		}
		seen[first] = true
		size := int64(len(text))
		if deeper {
			size = -1
		}
		all = append(all, textInfo{first, size})
	}
	return all
}

// textFile is an text as a file.
type textFile struct {
	io.Reader
	info textInfo
}

// Stat describes the file.
func (f *textFile) Stat() (fs.FileInfo, error) { return f.info, nil }

// Close does nothing.
func (f *textFile) Close() error { return nil }

// textInfo describes an text, or a folder above one, of size -1.
type textInfo struct {
	name string
	size int64
}

// Name returns the name.
func (i textInfo) Name() string { return i.name }

// Size returns the length in bytes.
func (i textInfo) Size() int64 { return max(i.size, 0) }

// Mode returns that of a file, or of a folder.
func (i textInfo) Mode() fs.FileMode {
	if i.IsDir() {
		return fs.ModeDir | 0o755
	}
	return 0o644
}

// ModTime returns no time.
func (i textInfo) ModTime() time.Time { return time.Time{} }

// IsDir reports whether it is a folder.
func (i textInfo) IsDir() bool { return i.size < 0 }

// Sys returns nil.
func (i textInfo) Sys() any { return nil }
