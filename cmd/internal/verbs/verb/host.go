// SPDX-License-Identifier: Apache-2.0

package verb

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dragoman-io/dragoman/engine/bundle"
)

// HostFS is the file system of the host with paths as the shell has them, relative
// to the working folder or not. Unlike os.DirFS it takes ../x and /x, so that messages
// name files as the user did. The mount of a ConfigMap looks as any other bundle in it, as it
// does to dragoman-manager.
type HostFS struct{}

// Open opens a file.
func (HostFS) Open(name string) (fs.File, error) { return bundle.Mount(Disk{}).Open(name) }

// Stat describes a file, as Disk does.
func (HostFS) Stat(name string) (fs.FileInfo, error) { return fs.Stat(bundle.Mount(Disk{}), name) }

// ReadFile reads a file.
func (HostFS) ReadFile(name string) ([]byte, error) {
	return fs.ReadFile(bundle.Mount(Disk{}), name)
}

// ReadDir reads a folder, sorted by name.
func (HostFS) ReadDir(name string) ([]fs.DirEntry, error) {
	return fs.ReadDir(bundle.Mount(Disk{}), name)
}

// Disk is what HostFS reads.
type Disk struct{}

// Open opens a file.
func (Disk) Open(name string) (fs.File, error) { return os.Open(filepath.FromSlash(name)) }

// Stat describes a file. A path with more ".." than there are folders above the working
// folder does not exist, so that a search upwards ends.
func (Disk) Stat(name string) (fs.FileInfo, error) {
	if up, err := filepath.Abs("."); err == nil && leadingParents(name) > folderDepth(up) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return os.Stat(filepath.FromSlash(name))
}

// leadingParents counts the leading ".." of a clean path.
func leadingParents(name string) int {
	n := 0
	for ; name == ".." || strings.HasPrefix(name, "../"); n++ {
		name = strings.TrimPrefix(name[2:], "/")
	}
	return n
}

// folderDepth counts the folders of an absolute path below the root.
func folderDepth(dir string) int {
	below := filepath.ToSlash(strings.TrimPrefix(dir, filepath.VolumeName(dir)))
	return len(strings.FieldsFunc(below, func(r rune) bool { return r == '/' }))
}

// ReadFile reads a file.
func (Disk) ReadFile(name string) ([]byte, error) { return os.ReadFile(filepath.FromSlash(name)) }

// ReadDir reads a folder, sorted by name.
func (Disk) ReadDir(name string) ([]fs.DirEntry, error) {
	return os.ReadDir(filepath.FromSlash(name))
}
