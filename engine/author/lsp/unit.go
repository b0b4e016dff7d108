// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"io/fs"
	"path"
	"strings"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// unit is what is checked as a whole: a bundle, or a file that is in none. The zero unit is
// nothing.
type unit struct {
	// dir is the folder of a bundle, file the path of a document; one of them is "".
	dir, file string
}

// unitOf returns the unit of a document: the bundle in the nearest folder above it with a
// manifest, or itself.
func unitOf(files overlay, d *document) unit {
	if d.language == otherLanguage {
		return unit{}
	}
	if dir, found := bundleAbove(files, d.path); found {
		return unit{dir: dir}
	}
	return unit{file: d.path}
}

// bundleAbove returns the folder of the bundle that a file is in.
func bundleAbove(files overlay, file string) (dir string, found bool) {
	if !hasFile(file) {
		return "", false
	}
	name := file
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if bundle.Hidden(path.Base(name)) {
			return "", false
		}
		if isBundle(files, dir) {
			return dir, true
		}
		if dir == path.Dir(dir) || dir == "." {
			return "", false
		}
		name = dir
	}
}

// isBundle reports whether a folder has the manifest of a bundle, or one that is being written.
func isBundle(files fs.FS, dir string) bool {
	file := path.Join(dir, bundle.ManifestFile)
	info, err := fs.Stat(files, file)
	if err != nil || info.IsDir() {
		return false
	}
	data, err := yamldoc.ReadFile(files, file)
	if err != nil {
		return false
	}
	if strings.TrimSpace(string(data)) == "" {
		return true
	}
	nodes, err := yamldoc.Read(file, data)
	if err != nil || len(nodes) == 0 {
		return true
	}
	version := nodes[0].Get("apiVersion").Value
	return version == bundle.APIVersion || version == nil && nodes[0].Get("kind").Value == "Bundle"
}
