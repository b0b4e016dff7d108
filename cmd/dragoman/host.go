// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/fs"
	"os"
	"path/filepath"
)

// hostFS is the file system of the host with paths as the shell gives them, relative
// to the working folder or not. Unlike os.DirFS it takes ../x and /x, so that messages
// name files as the user did.
type hostFS struct{}

// Open opens a file.
func (hostFS) Open(name string) (fs.File, error) { return os.Open(filepath.FromSlash(name)) }

// ReadFile reads a file.
func (hostFS) ReadFile(name string) ([]byte, error) { return os.ReadFile(filepath.FromSlash(name)) }

// ReadDir reads a folder, sorted by name.
func (hostFS) ReadDir(name string) ([]fs.DirEntry, error) {
	return os.ReadDir(filepath.FromSlash(name))
}
