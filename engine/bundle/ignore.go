// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// IgnoreFile is the name of the file in the folder of a bundle that names what there is no
// part of the bundle.
const IgnoreFile = ".dragomanignore"

const (
	// maxIgnore bounds an IgnoreFile in bytes, maxPatterns the patterns in it.
	maxIgnore   = 16 << 10
	maxPatterns = 100
)

// Ignore holds the patterns of an IgnoreFile. The zero value ignores nothing.
//
// There is a pattern on each line, but for empty lines and those that begin with #. It is that
// of path.Match, with / at its end for folders alone. Without another / it is matched with the
// last part of each path, and with one with the whole path within the bundle, as .gitignore has
// it. What is below an ignored folder is ignored.
type Ignore struct{ patterns []ignorePattern }

type ignorePattern struct {
	// glob has no slash at its ends.
	glob string
	// whole means that it is matched with the whole path, folders that it is for folders alone.
	whole, folders bool
}

// ReadIgnore reads the IgnoreFile of the bundle in dir; without one, nothing is ignored. The
// error names each line that is wrong.
func ReadIgnore(fsys fs.FS, dir string) (Ignore, error) {
	var i Ignore
	file := path.Join(dir, IgnoreFile)
	data, err := yamldoc.ReadAtMost(fsys, file, maxIgnore)
	if errors.Is(err, fs.ErrNotExist) {
		return i, nil
	}
	if err != nil {
		return i, err
	}
	var problems yamldoc.Problems
	for n, line := range strings.Split(string(data), "\n") {
		line = strings.TrimRight(line, " \t\r")
		if line == "" || line[0] == '#' {
			continue
		}
		p, problem := newIgnorePattern(line)
		switch {
		case problem != "":
			problems.Add(&yamldoc.Error{File: file, Line: n + 1, Message: problem})
		case len(i.patterns) == maxPatterns:
			return i, &yamldoc.Error{File: file, Line: n + 1, Message: "too many patterns: at most 100 are read; move what is no part of the bundle into one folder"}
		default:
			i.patterns = append(i.patterns, p)
		}
	}
	return i, problems.Err()
}

// newIgnorePattern returns the pattern of a line, or what is wrong with it.
func newIgnorePattern(line string) (p ignorePattern, problem string) {
	p.glob, p.folders = strings.CutSuffix(line, "/")
	p.whole = strings.Contains(p.glob, "/")
	p.glob = strings.TrimPrefix(p.glob, "/")
	_, err := path.Match(p.glob, "")
	switch {
	case strings.HasPrefix(line, "!"):
		return p, "a pattern cannot take back another one with !; name what is ignored"
	case strings.Contains(line, "**"):
		return p, "** is not known; a pattern without / is matched at each depth"
	case err != nil || p.glob == "":
		return p, "not a pattern; want a name or a path, in which * stands for any characters but /, ? for one and [a-z] for one of several"
	case p.matches(ManifestFile, false):
		return p, "the pattern ignores " + ManifestFile + ", without which there is no bundle"
	}
	return p, ""
}

// matches reports whether the pattern matches a path within the bundle.
func (p ignorePattern) matches(name string, isDir bool) bool {
	if p.folders && !isDir {
		return false
	}
	if !p.whole {
		name = path.Base(name)
	}
	ok, _ := path.Match(p.glob, name)
	return ok
}

// Matches reports whether a file, or a folder with all that is in it, is ignored. name is its path
// within the bundle, with slashes.
func (i Ignore) Matches(name string, isDir bool) bool {
	for ; name != "." && name != "/"; name, isDir = path.Dir(name), true {
		for _, p := range i.patterns {
			if p.matches(name, isDir) {
				return true
			}
		}
	}
	return false
}
