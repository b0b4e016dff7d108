// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"testing/fstest" // the only file system in memory of the standard library

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// MaxSize bounds the bytes of an archive. Files that do not compress fit too.
const MaxSize = bundle.MaxBytes + 1<<20

// Archive is an archive that was built or read. It is not changed.
type Archive struct {
	// Bytes are the archive itself, and Digest is theirs.
	Bytes  []byte
	Digest string
	// Files are sorted by path, each once.
	Files []File
}

// File is a file of a bundle.
type File struct {
	// Path is that within the bundle, with slashes.
	Path string
	Data []byte
}

// Build returns the archive of the bundle in dir: of all its files, as bundle.Files lists them. It
// can be read wherever it was built: what Read refuses is not built. The bundle is not loaded.
//
// The error is a *yamldoc.Error for what an archive cannot hold.
func Build(fsys fs.FS, dir string) (*Archive, error) {
	paths, err := bundle.Files(fsys, dir)
	if err != nil {
		return nil, err
	}
	a := &Archive{}
	left := bundle.MaxBytes
	for _, p := range paths {
		name := path.Join(dir, p)
		if problem := wrongPath(p); problem != "" {
			return nil, wrong(name, "%s; rename it", problem)
		}
		data, err := yamldoc.ReadAtMost(fsys, name, left)
		if err != nil {
			return nil, tooLarge(err, name)
		}
		left -= len(data)
		a.Files = append(a.Files, File{p, data})
	}
	data, err := encode(a.Files)
	if err != nil {
		return nil, fmt.Errorf("build the archive of %s: %w", dir, err)
	}
	return Read(dir, data)
}

// tooLarge is the error of a file that could not be read within what is left.
func tooLarge(err error, name string) error {
	if place, ok := err.(*yamldoc.Error); ok { //nolint:errorlint // ReadAtMost returns it as it is
		return wrong(place.File, "does not fit: the files of a bundle may have %d bytes together; split it", bundle.MaxBytes)
	}
	return fmt.Errorf("read %s: %w", name, err)
}

// DigestOf returns the digest of bytes.
func DigestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// FS returns a file system with the bundle in its folder dir; "." is its root.
func (a *Archive) FS(dir string) fs.FS {
	files := fstest.MapFS{}
	for _, f := range a.Files {
		files[path.Join(dir, f.Path)] = &fstest.MapFile{Data: f.Data, Mode: 0o444}
	}
	return files
}

// Size returns how many bytes the files have together.
func (a *Archive) Size() int {
	n := 0
	for _, f := range a.Files {
		n += len(f.Data)
	}
	return n
}

func wrong(file, format string, args ...any) error {
	return &yamldoc.Error{File: file, Message: diag.Clip(fmt.Sprintf(format, args...))}
}
