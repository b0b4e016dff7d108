// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// luaFiles returns the scripts and modules in Lua of the bundles in a folder, sorted, or a file that
// is named. A folder may be a part of a bundle.
func luaFiles(root string) ([]string, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		if filepath.Ext(root) != ".lua" {
			return nil, fmt.Errorf("%s: want a file that ends in .lua, or a folder", filepath.ToSlash(root))
		}
		return []string{root}, nil
	}
	var all []string
	parts := map[string]*bundlePart{}
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != root && bundle.Hidden(d.Name()):
			return skipHidden(d)
		case d.IsDir():
			p, err := bundlePartOf(name, parts[filepath.Dir(name)], name == root)
			if err != nil {
				return err
			}
			if parts[name] = p; p.ignores(name, true) {
				return fs.SkipDir
			}
		case filepath.Ext(name) == ".lua" && d.Type()&fs.ModeType&^fs.ModeSymlink == 0:
			if p := parts[filepath.Dir(name)]; p != nil && !p.ignores(name, false) {
				all = append(all, name)
			}
		}
		return nil
	})
	return all, err
}

func skipHidden(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// bundlePart is a folder of a bundle.
type bundlePart struct {
	// bundle is the folder of the bundle, absolute.
	bundle string
	ignore bundle.Ignore
}

// bundlePartOf returns the bundle that a folder is in: its own, or that of the folder above; for the first
// folder, the one that is nearest above it. It is nil where there is none.
func bundlePartOf(dir string, above *bundlePart, first bool) (*bundlePart, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for at := abs; ; at = filepath.Dir(at) {
		if verb.IsBundle(at) {
			ignore, err := bundle.ReadIgnore(verb.HostFS{}, filepath.ToSlash(at))
			return &bundlePart{at, ignore}, err
		}
		if !first || at == filepath.Dir(at) {
			return above, nil
		}
	}
}

// ignores reports whether the bundle ignores a file or a folder. No bundle ignores nothing.
func (p *bundlePart) ignores(name string, isDir bool) bool {
	if p == nil {
		return false
	}
	abs, err := filepath.Abs(name)
	if err != nil || abs == p.bundle {
		return false
	}
	within := strings.TrimPrefix(filepath.ToSlash(abs), filepath.ToSlash(p.bundle)+"/")
	return p.ignore.Matches(within, isDir)
}
