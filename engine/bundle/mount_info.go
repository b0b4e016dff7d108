// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"io/fs"
	"time"
)

// named is a file under another name.
type named struct {
	fs.FileInfo
	name string
}

// Name returns the name.
func (n named) Name() string { return n.name }

// virtualDir describes a folder that files stand for.
type virtualDir string

// Name returns the name.
func (f virtualDir) Name() string { return string(f) }

// Size returns 0.
func (f virtualDir) Size() int64 { return 0 }

// Mode returns that of a folder.
func (f virtualDir) Mode() fs.FileMode { return fs.ModeDir | 0o555 }

// ModTime returns no time.
func (f virtualDir) ModTime() time.Time { return time.Time{} }

// IsDir returns true.
func (f virtualDir) IsDir() bool { return true }

// Sys returns nil.
func (f virtualDir) Sys() any { return nil }
