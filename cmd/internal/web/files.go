// SPDX-License-Identifier: Apache-2.0

// Package web is the page of the playground: its files, a server for them on this machine, and
// their export as static files, where the engine runs in the browser.
//
//	page/    what both have: HTML, CSS, modules in JavaScript, and CodeMirror as codemirror.js, which
//	         is kept compressed
//	static/  what takes the place of page/engine.js in an export
//	wasm/    the engine as a program for the browser
//	editor/  what codemirror.js is made of; see make playground-editor
//
// The package decides nothing about scripts: requests go to engine/author/playground.
package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

//go:embed page static
var embedded embed.FS

// The folders of embedded.
const (
	page   = "page"
	static = "static"
)

// files returns the files of folders by their names; of two with one name that of the later folder.
// What is kept compressed is decompressed.
func files(folders ...string) (map[string][]byte, error) {
	all := map[string][]byte{}
	for _, folder := range folders {
		entries, err := fs.ReadDir(embedded, folder)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			text, err := fs.ReadFile(embedded, path.Join(folder, e.Name()))
			if err != nil {
				return nil, err
			}
			name, packed := strings.CutSuffix(e.Name(), ".gz")
			if packed {
				if text, err = unpack(text); err != nil {
					return nil, fmt.Errorf("%s: %w", e.Name(), err)
				}
			}
			all[name] = text
		}
	}
	return all, nil
}

// unpack decompresses a file.
func unpack(text []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
