// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"io/fs"
	"slices"
	"strings"
)

// edited is the folder of one bundle, in which files have other texts.
type edited struct {
	fs.FS
	// bundle is the name of the folder.
	bundle string
	// texts are by the paths of the files from the root.
	texts map[string]string
}

// Open opens a file.
func (e edited) Open(name string) (fs.File, error) {
	f, err := e.FS.Open(name)
	text, has := e.texts[name]
	if !has || err != nil {
		return f, err
	}
	return editedFile{File: f, text: strings.NewReader(text)}, nil
}

// ReadDir reads a folder; the root holds the bundle alone.
func (e edited) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(e.FS, name)
	if name == "." {
		entries = slices.DeleteFunc(entries, func(d fs.DirEntry) bool { return d.Name() != e.bundle })
	}
	return entries, err
}

// editedFile is a file with another text.
type editedFile struct {
	fs.File
	text *strings.Reader
}

// Read reads the text.
func (f editedFile) Read(into []byte) (int, error) { return f.text.Read(into) }

// Stat describes the file, with the size of the text.
func (f editedFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return editedInfo{info, f.text.Size()}, err
}

// editedInfo describes a file of another size.
type editedInfo struct {
	fs.FileInfo
	size int64
}

// Size returns the length of the text in bytes.
func (i editedInfo) Size() int64 { return i.size }
