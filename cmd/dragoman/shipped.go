// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/archive"
	"github.com/dragoman-io/dragoman/engine/bundle/oci"
	"github.com/dragoman-io/dragoman/engine/bundle/sign"
)

// shipped is a bundle in the form in which it ships, and where it was found.
type shipped struct {
	// where is what the user called it: a folder, a file, or a reference.
	where    string
	archive  *archive.Archive
	envelope *sign.Envelope
	// reference names it in a registry by its digest; "" for a folder or a file.
	reference string
}

// form is what an argument names.
type form int

const (
	isFolder form = iota
	isFile
	isReference
)

// formOf returns what an argument names. What exists is a folder or a file; what looks like the
// path of one is not taken for a reference.
func formOf(arg string) (form, error) {
	if strings.HasPrefix(arg, oci.Scheme) {
		return isReference, nil
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return isFolder, nil
	case err == nil:
		return isFile, nil
	case !errors.Is(err, fs.ErrNotExist) || looksLikePath(arg):
		return isFile, err
	}
	if _, wrong := oci.ParseReference(arg); wrong != nil {
		return isFile, fmt.Errorf("%w, nor is there a file or a folder of this name", wrong)
	}
	return isReference, nil
}

// looksLikePath reports whether an argument is more likely a path than a reference: the first part
// of a reference is a host, with a dot or a port.
func looksLikePath(arg string) bool {
	host, _, below := strings.Cut(filepath.ToSlash(arg), "/")
	return !below || host == "" || host == "." || host == ".." || isArchiveName(arg) ||
		host != "localhost" && !strings.ContainsAny(host, ".:") || filepath.VolumeName(arg) != ""
}

// isArchiveName reports whether a path is that of an archive by its ending.
func isArchiveName(name string) bool {
	return strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")
}

// buildFolder loads the bundle in a folder, as the control plane does, and returns its archive. What
// ships is what was loaded.
func buildFolder(dir string) (*archive.Archive, error) {
	dir = filepath.ToSlash(filepath.Clean(dir))
	compiler, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	loader := bundle.Loader{Compiler: compiler}
	if _, err := loader.Load(disk{}, dir, nil); err != nil {
		return nil, err
	}
	a, err := archive.Build(disk{}, dir)
	if err != nil {
		return nil, err
	}
	_, err = loader.Load(a.FS("."), ".", nil)
	return a, err
}

// checkArchive loads the bundle of an archive, as the control plane does.
func checkArchive(a *archive.Archive) error {
	compiler, err := engine.NewCompiler()
	if err != nil {
		return err
	}
	_, err = bundle.Loader{Compiler: compiler}.Load(a.FS("."), ".", nil)
	return err
}

// readArchive reads the archive in a file.
func readArchive(file string) (*archive.Archive, error) {
	data, err := readBytes(file, archive.MaxSize)
	if err != nil {
		return nil, err
	}
	return archive.Read(filepath.ToSlash(file), data)
}

// readEnvelope reads the signatures beside the archive in a file; nil where there are none.
func readEnvelope(file string) (*sign.Envelope, error) {
	name := file + oci.SignatureSuffix
	text, err := readBytes(name, sign.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e, err := sign.Parse(text)
	if err != nil {
		return nil, foundWrong("%s: %v", filepath.ToSlash(name), err)
	}
	return e, nil
}

// readBytes reads a file, of which at most one byte more than most is kept: whoever parses it
// refuses that.
func readBytes(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder; want a file", filepath.ToSlash(file))
	}
	return io.ReadAll(io.LimitReader(f, most+1))
}

// readFile reads an archive with its signatures.
func readFile(file string) (*shipped, error) {
	a, err := readArchive(file)
	if err != nil {
		return nil, err
	}
	e, err := readEnvelope(file)
	return &shipped{where: filepath.ToSlash(file), archive: a, envelope: e}, err
}

// pull fetches what a reference names.
func (o *registryOptions) pull(ctx context.Context, arg string) (*shipped, error) {
	ref, err := oci.ParseReference(arg)
	if err != nil {
		return nil, err
	}
	if ref.Reference == "" {
		return nil, fmt.Errorf("%s has no tag and no digest: add one, as in %s:1.0.0", arg, arg)
	}
	connection, err := o.connection()
	if err != nil {
		return nil, err
	}
	ctx, cancel := o.within(ctx)
	defer cancel()
	found, err := oci.Pull(ctx, connection.Connect(ref), ref.Reference, ref.String())
	if err != nil {
		return nil, adviceOf(ref, err)
	}
	ref.Reference = found.Digest
	return &shipped{where: strings.TrimPrefix(arg, oci.Scheme), archive: found.Archive, envelope: found.Envelope, reference: ref.String()}, nil
}

// outline returns what the bundle answers.
func (s *shipped) outline() (bundle.Outline, error) {
	outline, err := bundle.ReadOutline(s.archive.FS("."), ".")
	if err != nil {
		return outline, foundIn(s.where, err)
	}
	return outline, nil
}

// foundIn names what errors about files of a bundle are in.
func foundIn(where string, err error) error {
	var all []error
	for _, e := range author.Flatten(err) {
		all = append(all, fmt.Errorf("%s: %w", where, e))
	}
	return errors.Join(all...)
}

// verify returns the key that signed the archive, of some.
func (s *shipped) verify(keys []sign.PublicKey) (sign.PublicKey, error) {
	by, err := sign.Verify(s.envelope, s.archive.Digest, keys)
	if errors.As(err, new(*sign.Error)) {
		return by, foundWrong("%s: %v", s.where, err)
	}
	return by, err
}

// foundWrong is the error of something that is wrong in what the user gave.
func foundWrong(format string, args ...any) error {
	return &exitError{exitFound, fmt.Sprintf(format, args...)}
}

// readKeys reads public keys from files.
func readKeys(files []string) ([]sign.PublicKey, error) {
	var keys []sign.PublicKey
	for _, file := range files {
		text, err := readBytes(file, maxKey)
		if err != nil {
			return nil, err
		}
		key, err := sign.ParsePublicKey(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.ToSlash(file), err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// readPrivateKey reads a key that signs.
func readPrivateKey(file string) (sign.PrivateKey, error) {
	text, err := readBytes(file, maxKey)
	if err != nil {
		return sign.PrivateKey{}, err
	}
	key, err := sign.ParsePrivateKey(text)
	if err != nil {
		return key, fmt.Errorf("%s: %w", filepath.ToSlash(file), err)
	}
	return key, nil
}

// maxKey is how much of the file of a key is read.
const maxKey = 64 << 10
