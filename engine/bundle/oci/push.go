// SPDX-License-Identifier: Apache-2.0

package oci

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry"

	"github.com/dragoman-io/dragoman/engine/bundle/archive"
	"github.com/dragoman-io/dragoman/engine/bundle/sign"
)

// Target is what Push needs of a repository.
type Target interface {
	Source
	content.Storage
	registry.ReferencePusher
}

// ConflictError is the error of a tag that stands for another bundle, or for one with signatures
// that would be lost.
type ConflictError struct{ message string }

// Error returns the message.
func (e *ConflictError) Error() string { return e.message }

// Upload is what Push sends.
type Upload struct {
	Archive *archive.Archive
	// Envelope has the signatures of the archive; nil for none.
	Envelope *sign.Envelope
	// Tag is what the artifact is found by.
	Tag string
	// Replace lets the tag be moved from another bundle.
	Replace bool
}

// Push sends a bundle with its signatures, and returns the digest of its manifest and whether it
// was not there yet. The manifest comes last, so that whoever finds it finds all. Without Replace,
// a tag that stands for another bundle is a *ConflictError, and nothing is sent.
func Push(ctx context.Context, to Target, u Upload) (digest string, changed bool, err error) {
	all, err := blobs(u.Archive, u.Envelope)
	if err != nil {
		return "", false, err
	}
	last := len(all) - 1
	manifest := all[last]
	there, err := to.Resolve(ctx, u.Tag)
	switch {
	case errors.Is(err, errdef.ErrNotFound):
	case err != nil:
		return "", false, fmt.Errorf("look for the tag %s: %w", u.Tag, err)
	case there.Digest == manifest.Digest:
		return string(manifest.Digest), false, nil
	case !u.Replace:
		if err := conflict(ctx, to, there, u); err != nil {
			return "", false, err
		}
	}
	for _, b := range all[:last] {
		if err := send(ctx, to, b); err != nil {
			return "", false, err
		}
	}
	if err := to.PushReference(ctx, manifest.Descriptor, bytes.NewReader(manifest.data), u.Tag); err != nil {
		return "", false, fmt.Errorf("push the manifest as %s: %w", u.Tag, err)
	}
	return string(manifest.Digest), true, nil
}

// send sends a blob that is not there.
func send(ctx context.Context, to Target, b blob) error {
	there, err := to.Exists(ctx, b.Descriptor)
	if err == nil && !there {
		err = to.Push(ctx, b.Descriptor, bytes.NewReader(b.data))
	}
	if err != nil && !errors.Is(err, errdef.ErrAlreadyExists) {
		return fmt.Errorf("push %s of the type %s: %w", b.Digest, b.MediaType, err)
	}
	return nil
}

// conflict returns a *ConflictError where what a tag stands for is not the same archive with the
// same signatures or fewer.
func conflict(ctx context.Context, to Target, there ocispec.Descriptor, u Upload) error {
	p, err := fetchParts(ctx, to, there, "the artifact of the tag "+u.Tag)
	if err != nil || string(p.archive.Digest) != u.Archive.Digest {
		return &ConflictError{fmt.Sprintf("the tag %s stands for another artifact, %s", u.Tag, there.Digest)}
	}
	if p.envelope == nil {
		return nil
	}
	text, err := fetch(ctx, to, *p.envelope, sign.MaxSize, "the signatures of the tag "+u.Tag)
	if err != nil {
		return err
	}
	before, err := sign.Parse(text)
	if err != nil {
		return &ConflictError{fmt.Sprintf("the tag %s stands for this archive with signatures that cannot be read: %v", u.Tag, err)}
	}
	for _, s := range before.Signatures {
		kept := u.Envelope != nil && slices.ContainsFunc(u.Envelope.Signatures, func(ours sign.Signature) bool { return ours.KeyID == s.KeyID })
		if !kept {
			return &ConflictError{fmt.Sprintf("the tag %s stands for this archive with a signature of %s, which would be lost", u.Tag, s.KeyID)}
		}
	}
	return nil
}
