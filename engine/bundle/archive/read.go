// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dragoman-io/dragoman/engine/bundle"
)

const (
	// maxTar bounds what the archive is once it is unpacked: its files, and for each a header,
	// that of a long path, and what fills the last block.
	maxTar = bundle.MaxBytes + bundle.MaxEntries*5*512 + 1<<20
	// maxPath bounds a path in bytes.
	maxPath = 1024
)

// Read returns the archive of bytes from anywhere; name is what they are called in messages.
//
// It takes what Build writes, and nothing else: an entry that is no file, a path that leads out of
// the bundle, is hidden, out of order or there twice, more or larger files than a bundle may have,
// times and owners, and bytes behind the end are a *yamldoc.Error. At most about 60 MiB of memory
// are used, however much the bytes unpack to.
func Read(name string, data []byte) (*Archive, error) {
	if len(data) > MaxSize {
		return nil, wrong(name, "too large: an archive has at most %d bytes", MaxSize)
	}
	unpacked, err := unpack(data)
	if err != nil {
		return nil, wrong(name, "%v", err)
	}
	r := reader{tar: tar.NewReader(bytes.NewReader(unpacked)), seen: map[string]bool{}}
	if err := r.files(); err != nil {
		return nil, wrong(name, "%v", err)
	}
	if err := writeTar(&comparison{rest: unpacked}, r.all); err != nil {
		return nil, wrong(name, "%v", err)
	}
	return &Archive{Bytes: data, Digest: DigestOf(data), Files: r.all}, nil
}

// unpack returns the tar archive within the bytes.
func unpack(data []byte) ([]byte, error) {
	in := bufio.NewReader(bytes.NewReader(data))
	zipped, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("not an archive of a bundle: %w; dragoman build makes one", err)
	}
	zipped.Multistream(false)
	if h := zipped.Header; h.Name != "" || h.Comment != "" || len(h.Extra) > 0 || !h.ModTime.IsZero() {
		return nil, errors.New("dragoman build did not make this archive: it has a name, a comment or a time")
	}
	unpacked, err := io.ReadAll(io.LimitReader(zipped, maxTar+1))
	switch {
	case len(unpacked) > maxTar:
		return nil, fmt.Errorf("it unpacks to more than %d bytes, which is more than a bundle has", int64(maxTar))
	case err != nil:
		return nil, damaged(err)
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more bytes come behind the end of the archive")
	}
	return unpacked, nil
}

func damaged(err error) error {
	return fmt.Errorf("the archive is damaged: %w; build or fetch it again", err)
}

// comparison is a writer that refuses other bytes than the rest of some.
type comparison struct{ rest []byte }

// Write takes the bytes from the rest.
func (c *comparison) Write(p []byte) (int, error) {
	if len(p) > len(c.rest) || !bytes.Equal(p, c.rest[:len(p)]) {
		return 0, errors.New("dragoman build did not make this archive: its entries have times, owners, modes or attributes, or more comes behind them")
	}
	c.rest = c.rest[len(p):]
	return len(p), nil
}

// reader reads the entries of an archive.
type reader struct {
	tar *tar.Reader
	all []File
	// seen has the paths of files and of the folders above them, in lower case: some file
	// systems do not tell them apart. The value is whether it is a file.
	seen map[string]bool
	size int64
}

// entryError is the error of an entry.
type entryError struct{ path, message string }

// Error returns the path and the message.
func (e *entryError) Error() string {
	path := e.path
	if len(path) > maxShown {
		path = path[:maxShown] + "..."
	}
	return fmt.Sprintf("entry %q: %s", path, e.message)
}

// maxShown is how many bytes of a path are shown.
const maxShown = 200

// files reads all entries.
func (r *reader) files() error {
	for {
		header, err := r.tar.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return damaged(err)
		}
		if problem := r.check(header); problem != "" {
			return &entryError{header.Name, problem}
		}
		data, err := io.ReadAll(r.tar)
		if err != nil {
			return damaged(err)
		}
		r.all = append(r.all, File{header.Name, data})
	}
	if len(r.all) == 0 {
		return errors.New("the archive holds no file")
	}
	return nil
}

// check returns what is wrong with an entry, and counts it.
func (r *reader) check(h *tar.Header) string {
	r.size += h.Size
	switch {
	case h.Typeflag != tar.TypeReg:
		return kindOf(h.Typeflag) + ", and an archive of a bundle holds files alone"
	case wrongPath(h.Name) != "":
		return wrongPath(h.Name)
	case len(r.all) == bundle.MaxEntries:
		return fmt.Sprintf("too many files: a bundle has at most %d", bundle.MaxEntries)
	case h.Size < 0 || r.size > bundle.MaxBytes:
		return fmt.Sprintf("too large: the files of a bundle have at most %d bytes together", bundle.MaxBytes)
	case len(h.PAXRecords) > 1 || len(h.PAXRecords) == 1 && h.PAXRecords["path"] == "":
		return "it has attributes, which dragoman build does not write"
	}
	return r.place(h.Name)
}

// place checks the path of an entry against those before, and adds it.
func (r *reader) place(name string) string {
	if n := len(r.all); n > 0 && name <= r.all[n-1].Path {
		if name == r.all[n-1].Path {
			return "it is there twice"
		}
		return fmt.Sprintf("it comes after %q: the paths are not sorted, so that dragoman build did not make this archive", r.all[n-1].Path)
	}
	lower := strings.ToLower(name)
	if _, taken := r.seen[lower]; taken {
		return "another entry has this path, or one that differs in capital letters alone"
	}
	for dir := path.Dir(lower); dir != "."; dir = path.Dir(dir) {
		if r.seen[dir] {
			return "a folder above it is a file"
		}
		r.seen[dir] = false
	}
	r.seen[lower] = true
	return ""
}

// wrongPath returns what is wrong with a path within a bundle, "" for nothing.
func wrongPath(name string) string {
	switch {
	case !utf8.ValidString(name) || len(name) > maxPath:
		return fmt.Sprintf("a path is text in UTF-8 of at most %d bytes", maxPath)
	case !fs.ValidPath(name) || name == ".":
		return "a path leads from the folder of the bundle to a file in it, with no .. and no / at its ends"
	case strings.ContainsFunc(name, func(c rune) bool { return c == '\\' || c == ':' || !unicode.IsPrint(c) }):
		return "a path has no \\, no : and no characters that do not print"
	case strings.Count(name, "/") > bundle.MaxDepth:
		return fmt.Sprintf("folders nest deeper than %d", bundle.MaxDepth)
	case slices.ContainsFunc(strings.Split(name, "/"), bundle.Hidden):
		return "hidden files are no part of a bundle"
	}
	return ""
}

// kindOf names what an entry is that is no file.
func kindOf(flag byte) string {
	switch flag {
	case tar.TypeDir:
		return "it is a folder"
	case tar.TypeSymlink, tar.TypeLink:
		return "it is a link"
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
		return "it is a device"
	}
	return fmt.Sprintf("it is of the unknown type %q", flag)
}
