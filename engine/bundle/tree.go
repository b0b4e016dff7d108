// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

const (
	// MaxBytes bounds the files of one bundle together.
	MaxBytes = 16 << 20
	// MaxEntries bounds how many files and folders of one bundle are looked at.
	MaxEntries = 2000
	// MaxDepth bounds how deep its folders nest; links could go round.
	MaxDepth = 8
)

// Files returns the paths within the bundle in dir of all its files, sorted: what is neither
// hidden nor ignored, at most MaxEntries with the folders, and MaxDepth deep.
//
// The error is a *yamldoc.Error for what is neither a file nor a folder, such as a link.
func Files(fsys fs.FS, dir string) ([]string, error) {
	ignore, err := ReadIgnore(fsys, dir)
	if err != nil {
		return nil, err
	}
	var files []string
	err = walk(fsys, dir, ignore, func(name, within string, d fs.DirEntry) error {
		if !d.Type().IsRegular() {
			return wrong(name, "neither a file nor a folder: a bundle holds no links and no devices; put the file itself there")
		}
		files = append(files, within)
		return nil
	})
	slices.Sort(files)
	return files, err
}

// walk calls visit for each entry of the bundle in dir that is no folder, is not hidden, and not
// ignored: with its path in fsys and within the bundle. Their order is that of fs.WalkDir.
func walk(fsys fs.FS, dir string, ignore Ignore, visit func(name, within string, d fs.DirEntry) error) error {
	dir = path.Clean(dir)
	entries := 0
	return fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		within := name
		if dir != "." {
			within = strings.TrimPrefix(strings.TrimPrefix(name, dir), "/")
		}
		entries++
		switch {
		case entries > MaxEntries:
			return wrong(dir, "too many entries: a bundle has at most %d files and folders; split it, or ignore some in %s", MaxEntries, IgnoreFile)
		case Hidden(d.Name()) || ignore.Matches(within, d.IsDir()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case strings.Count(within, "/") > MaxDepth:
			return wrong(name, "folders nest deeper than %d", MaxDepth)
		case d.IsDir():
			return nil
		}
		return visit(name, within, d)
	})
}
