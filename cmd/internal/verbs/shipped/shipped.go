// SPDX-License-Identifier: Apache-2.0

// Package shipped reads, builds, pulls and writes bundles in the form in which they ship: an archive, with
// signatures, in a folder, in a file, or in a registry that flags describe. An error about what the user
// gave ends the command with verb.ExitFound.
package shipped

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/archive"
	"github.com/dragoman-io/dragoman/engine/bundle/oci"
	"github.com/dragoman-io/dragoman/engine/bundle/sign"
)

// Bundle is a bundle in the form in which it ships, and where it was found.
type Bundle struct {
	// Where is what the user called it: a folder, a file, or a reference.
	Where   string
	Archive *archive.Archive
	// Envelope has the signatures; nil where there are none.
	Envelope *sign.Envelope
	// Reference names it in a registry by its digest; "" for a folder or a file.
	Reference string
}

// Form is what an argument names.
type Form int

const (
	// Folder is that of a bundle which is not built yet.
	Folder Form = iota
	// File has an archive.
	File
	// Reference names an artifact in a registry.
	Reference
)

// FormOf returns what an argument names. What exists is a folder or a file; what looks like the
// path of one is not taken for a reference.
func FormOf(arg string) (Form, error) {
	if strings.HasPrefix(arg, oci.Scheme) {
		return Reference, nil
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return Folder, nil
	case err == nil:
		return File, nil
	case !errors.Is(err, fs.ErrNotExist) || looksLikePath(arg):
		return File, err
	}
	if _, wrong := oci.ParseReference(arg); wrong != nil {
		return File, fmt.Errorf("%w, nor is there a file or a folder of this name", wrong)
	}
	return Reference, nil
}

// looksLikePath reports whether an argument is more likely a path than a reference: the first part
// of a reference is a host, with a dot or a port.
func looksLikePath(arg string) bool {
	host, _, below := strings.Cut(filepath.ToSlash(arg), "/")
	return !below || host == "" || host == "." || host == ".." || IsArchiveName(arg) ||
		host != "localhost" && !strings.ContainsAny(host, ".:") || filepath.VolumeName(arg) != ""
}

// IsArchiveName reports whether a path is that of an archive by its ending.
func IsArchiveName(name string) bool {
	return strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")
}

// BuildFolder loads the bundle in a folder, as the control plane does, and returns its archive. What
// ships is what was loaded.
func BuildFolder(dir string) (*archive.Archive, error) {
	dir = filepath.ToSlash(filepath.Clean(dir))
	compiler, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	loader := bundle.Loader{Compiler: compiler}
	if _, err := loader.Load(verb.Disk{}, dir, nil); err != nil {
		return nil, err
	}
	a, err := archive.Build(verb.Disk{}, dir)
	if err != nil {
		return nil, err
	}
	_, err = loader.Load(a.FS("."), ".", nil)
	return a, err
}

// CheckArchive loads the bundle of an archive, as the control plane does.
func CheckArchive(a *archive.Archive) error {
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
		return nil, verb.Foundf("%s: %v", filepath.ToSlash(name), err)
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

// ReadFile reads an archive with its signatures.
func ReadFile(file string) (*Bundle, error) {
	a, err := readArchive(file)
	if err != nil {
		return nil, err
	}
	e, err := readEnvelope(file)
	return &Bundle{Where: filepath.ToSlash(file), Archive: a, Envelope: e}, err
}

// Pull fetches what a reference names.
func (o *Registry) Pull(ctx context.Context, arg string) (*Bundle, error) {
	ref, err := oci.ParseReference(arg)
	if err != nil {
		return nil, err
	}
	if ref.Reference == "" {
		return nil, fmt.Errorf("%s has no tag and no digest: add one, as in %s:1.0.0", arg, arg)
	}
	connection, err := o.Connection()
	if err != nil {
		return nil, err
	}
	ctx, cancel := o.Within(ctx)
	defer cancel()
	found, err := oci.Pull(ctx, connection.Connect(ref), ref.Reference, ref.String())
	if err != nil {
		return nil, Advise(ref, err)
	}
	ref.Reference = found.Digest
	return &Bundle{Where: strings.TrimPrefix(arg, oci.Scheme), Archive: found.Archive, Envelope: found.Envelope, Reference: ref.String()}, nil
}

// Outline returns what the bundle answers.
func (b *Bundle) Outline() (bundle.Outline, error) {
	outline, err := bundle.ReadOutline(b.Archive.FS("."), ".")
	if err != nil {
		return outline, FoundIn(b.Where, err)
	}
	return outline, nil
}

// FoundIn names what errors about files of a bundle are in.
func FoundIn(where string, err error) error {
	var all []error
	for _, e := range source.Flatten(err) {
		all = append(all, fmt.Errorf("%s: %w", where, e))
	}
	return errors.Join(all...)
}

// Verify returns the key that signed the archive, of some.
func (b *Bundle) Verify(keys []sign.PublicKey) (sign.PublicKey, error) {
	by, err := sign.Verify(b.Envelope, b.Archive.Digest, keys)
	if errors.As(err, new(*sign.Error)) {
		return by, verb.Foundf("%s: %v", b.Where, err)
	}
	return by, err
}

// Keys returns the ids of the keys that are said to have signed a bundle, an empty list for none.
func (b *Bundle) Keys() []string {
	ids := []string{}
	if b.Envelope != nil {
		for _, signature := range b.Envelope.Signatures {
			ids = append(ids, signature.KeyID)
		}
	}
	return ids
}
