// SPDX-License-Identifier: Apache-2.0

package web

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// The files of the engine for the browser.
const (
	module = "dragoman.wasm"
	loader = "wasm_exec.js"
)

// wasmMagic is what a WebAssembly module begins with.
var wasmMagic = []byte("\x00asm\x01\x00\x00\x00")

// Export writes the page as static files into a folder, whole or not at all, and returns their
// names, sorted. The folder must be empty or not exist. The engine is read from a folder that
// has it as dragoman.wasm, with the wasm_exec.js of the Go release that compiled it.
func Export(to, engine string) (names []string, err error) {
	if err := isFree(to); err != nil {
		return nil, err
	}
	all, err := exported(engine)
	if err != nil {
		return nil, err
	}
	parent := filepath.Dir(filepath.Clean(to))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, err
	}
	beside, err := os.MkdirTemp(parent, ".dragoman-playground-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(beside)) }()
	whole := filepath.Join(beside, "new")
	if err := os.Mkdir(whole, 0o755); err != nil {
		return nil, err
	}
	names = slices.Sorted(maps.Keys(all))
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(whole, name), all[name], 0o644); err != nil {
			return nil, err
		}
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return names, os.Rename(whole, to)
}

// isFree returns an error where something is at a path other than an empty folder.
func isFree(to string) error {
	entries, err := os.ReadDir(to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty: choose another folder, or move what is in it away", filepath.ToSlash(to))
	}
	return nil
}

// exported returns the files of the page that runs by itself.
func exported(engine string) (map[string][]byte, error) {
	all, err := files(page, static)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{module, loader} {
		text, err := os.ReadFile(filepath.Join(engine, name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is not there: make playground-wasm builds it from the sources of Dragoman", filepath.ToSlash(filepath.Join(engine, name)))
		}
		if err != nil {
			return nil, err
		}
		all[name] = text
	}
	if !bytes.HasPrefix(all[module], wasmMagic) {
		return nil, fmt.Errorf("%s is no WebAssembly module", filepath.ToSlash(filepath.Join(engine, module)))
	}
	return all, nil
}
