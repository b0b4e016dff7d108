// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest" // the only file system in memory of the standard library
	"time"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/script"
)

const (
	maxBytes = bundle.MaxBytes
	// maxEntries counts what a link to a folder leads to for each link.
	maxEntries = bundle.MaxEntries
	maxDepth   = bundle.MaxDepth
)

// listing is what is known of a bundle's folder without reading its files.
type listing struct {
	// sum identifies names, sizes, times and the targets of links.
	sum [sha256.Size]byte
	// files are the files, by their names within the bundle.
	files map[string]file
	// dirs are the paths of the folders, without those that links point to.
	dirs []string
	// newest is the time of the file that changed last.
	newest time.Time
	size   int64
	// entries is how many entries of folders were looked at.
	entries int
	// ignore is what the bundle names as no part of it.
	ignore bundle.Ignore
}

// file is a file of a listing.
type file struct {
	path string
	size int64
}

// attempts is how often a folder is read that keeps changing meanwhile.
const attempts = 3

// list returns the listing of a bundle's folder. A panic is an error of the bundle.
func list(root string) (l *listing, err error) {
	defer script.Recover(&err, script.Position{File: root}, "listing the files")
	for range attempts { // the target of a link may be removed at any moment
		if l, err = listOnce(root); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return l, err
}

func listOnce(root string) (*listing, error) {
	ignore, err := bundle.ReadIgnore(os.DirFS(filepath.Dir(root)), filepath.Base(root))
	if err != nil {
		return nil, err
	}
	l := &listing{files: map[string]file{}, ignore: ignore}
	sum := sha256.New()
	if err := l.walk(sum, root, ".", 0); err != nil {
		return nil, err
	}
	if l.size > maxBytes {
		return nil, fmt.Errorf("%s has %d bytes; at most %d are read", root, l.size, maxBytes)
	}
	sum.Sum(l.sum[:0])
	return l, nil
}

// walk adds the folder dir, which is called name within the bundle.
func (l *listing) walk(sum io.Writer, dir, name string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s: folders nest deeper than %d", dir, maxDepth)
	}
	entries, err := readDir(dir, maxEntries-l.entries)
	if errors.Is(err, errTooMany) {
		return fmt.Errorf("%s: %w: at most %d files and folders are read of a bundle, those behind a link counted for each link; "+
			"remove some, or links to folders", dir, err, maxEntries)
	}
	if err != nil {
		return err
	}
	l.entries += len(entries)
	for _, e := range entries {
		if bundle.Hidden(e.Name()) || l.ignore.Matches(bundle.PathOf(path.Join(name, e.Name())), e.IsDir()) {
			continue
		}
		if err := l.entry(sum, filepath.Join(dir, e.Name()), path.Join(name, e.Name()), depth); err != nil {
			return err
		}
	}
	return nil
}

// errTooMany is the error of a folder with more entries than are read.
var errTooMany = errors.New("too many entries")

// readDir returns the entries of a folder, sorted by name. With more than most it returns
// errTooMany, and reads no further.
func readDir(dir string, most int) ([]os.DirEntry, error) {
	f, err := os.Open(dir) //nolint:gosec // the folder is the user's choice
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	entries, err := f.ReadDir(most + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(entries) > most {
		return nil, errTooMany
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// entry adds what lies at a path.
func (l *listing) entry(sum io.Writer, at, name string, depth int) error {
	info, err := os.Stat(at)
	if err != nil {
		return err
	}
	linked := ""
	if link, err := os.Readlink(at); err == nil {
		linked = link + " " + identity(info)
	}
	fmt.Fprintf(sum, "%q %q %s\n", name, linked, info.Mode())
	switch {
	case info.IsDir():
		if linked == "" {
			l.dirs = append(l.dirs, at)
		}
		return l.walk(sum, at, name, depth+1)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is neither a file nor a folder", at)
	}
	return l.file(sum, at, name, info)
}

// file adds a file.
func (l *listing) file(sum io.Writer, at, name string, info os.FileInfo) error {
	fmt.Fprintf(sum, "%d %d\n", info.Size(), info.ModTime().UnixNano())
	l.size += info.Size()
	if info.ModTime().After(l.newest) {
		l.newest = info.ModTime()
	}
	in := bundle.PathOf(name)
	if other, taken := l.files[in]; taken {
		return fmt.Errorf("%s and %s both are %s", other.path, at, in)
	}
	l.files[in] = file{at, info.Size()}
	return nil
}

// errChanging is the error of a folder that changed while it was read.
var errChanging = errors.New("it changed while it was read")

// read returns a consistent copy of the files of a folder, all below the folder called
// dir; l is their listing, or an earlier one. The error is errChanging where the folder
// keeps changing; the next change is an event of its own. A panic is an error of the bundle.
func read(root, dir string, l *listing) (copied fs.FS, now *listing, err error) {
	defer script.Recover(&err, script.Position{File: root}, "reading the files")
	for range attempts {
		files := fstest.MapFS{}
		err := l.read(files, dir)
		now, again := list(root)
		switch {
		case again != nil:
			return nil, nil, again
		case now.sum == l.sum:
			return files, l, err
		}
		l = now
	}
	return nil, nil, errChanging
}

func (l *listing) read(into fstest.MapFS, dir string) error {
	for name, f := range l.files {
		data, err := f.read()
		if err != nil {
			return err
		}
		into[path.Join(dir, name)] = &fstest.MapFile{Data: data, Mode: 0o444}
	}
	return nil
}

// read returns the content of a file, as long as it was when it was listed: some files of
// the system have no size and no end. One that became longer has another listing.
func (f file) read() ([]byte, error) {
	r, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	data := make([]byte, f.size)
	n, err := io.ReadFull(r, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data[:n], nil
}
