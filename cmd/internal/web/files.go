// SPDX-License-Identifier: Apache-2.0

// Package web is the page of the playground: its files, a server for them on this machine, and
// their export as static files, where the engine runs in the browser.
//
//	page/    what both have: HTML, CSS, modules in JavaScript, and CodeMirror as codemirror.js
//	static/  what takes the place of page/engine.js in an export
//	wasm/    the engine as a program for the browser
//	editor/  what codemirror.js is made of; see make playground-editor
//
// The package decides nothing about scripts: requests go to engine/author/playground.
package web

import (
	"embed"
	"io/fs"
)

//go:embed page static
var embedded embed.FS

// folder returns the files of a folder of this package.
func folder(name string) fs.FS {
	files, err := fs.Sub(embedded, name)
	if err != nil {
		panic(err) // the name is one of this package
	}
	return files
}
