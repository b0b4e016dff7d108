// SPDX-License-Identifier: Apache-2.0

package oci

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/dragoman-io/dragoman/engine/bundle/archive"
	"github.com/dragoman-io/dragoman/engine/bundle/sign"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// Source is what Pull needs of a repository.
type Source interface {
	content.Fetcher
	content.Resolver
}

// Pull returns the artifact of a reference: the tag or the digest within the repository. name is
// what it is called in messages. No signature is verified.
//
// The error is a *yamldoc.Error where the registry has something else than a bundle, or sends other
// bytes than a digest names; any other means that it could not be read.
func Pull(ctx context.Context, from Source, reference, name string) (*Artifact, error) {
	root, err := from.Resolve(ctx, reference)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", name, err)
	}
	p, err := fetchParts(ctx, from, root, name)
	if err != nil {
		return nil, err
	}
	found := &Artifact{Digest: string(root.Digest)}
	if p.envelope != nil {
		text, err := fetch(ctx, from, *p.envelope, sign.MaxSize, name)
		if err != nil {
			return nil, err
		}
		if found.Envelope, err = sign.Parse(text); err != nil {
			return nil, wrong(name, "%v", err)
		}
	}
	data, err := fetch(ctx, from, p.archive, archive.MaxSize, name)
	if err != nil {
		return nil, err
	}
	if found.Archive, err = archive.Read(name, data); err != nil {
		return nil, err
	}
	return found, nil
}

// fetchParts reads the manifest of an artifact.
func fetchParts(ctx context.Context, from Source, root ocispec.Descriptor, name string) (parts, error) {
	if root.MediaType != ocispec.MediaTypeImageManifest {
		return parts{}, wrong(name, "it is no bundle: its manifest is of the type %q; want %q", root.MediaType, ocispec.MediaTypeImageManifest)
	}
	text, err := fetch(ctx, from, root, maxManifest, name)
	if err != nil {
		return parts{}, err
	}
	p, err := partsOf(text)
	if err != nil {
		return parts{}, wrong(name, "%v", err)
	}
	return p, nil
}

// fetch returns the bytes that a descriptor names, at most most of them.
func fetch(ctx context.Context, from Source, d ocispec.Descriptor, most int64, name string) ([]byte, error) {
	if d.Size < 0 || d.Size > most {
		return nil, wrong(name, "%s has %d bytes; at most %d are read of the type %s", d.Digest, d.Size, most, d.MediaType)
	}
	if err := d.Digest.Validate(); err != nil {
		return nil, wrong(name, "the digest %q: %v", d.Digest, err)
	}
	r, err := from.Fetch(ctx, d)
	if err != nil {
		if isAnswer(err) {
			return nil, wrong(name, "the registry sent something else than %s names: %v; the artifact is damaged or was tampered with", d.Digest, err)
		}
		return nil, fmt.Errorf("fetch %s of %s: %w", d.Digest, name, err)
	}
	defer func() { _ = r.Close() }()
	data, err := content.ReadAll(r, d)
	switch {
	case errors.Is(err, content.ErrMismatchedDigest), errors.Is(err, content.ErrTrailingData), errors.Is(err, content.ErrInvalidDescriptorSize):
		return nil, wrong(name, "the registry sent other bytes than %s names: %v; the artifact is damaged or was tampered with", d.Digest, err)
	case err != nil:
		return nil, fmt.Errorf("read %s of %s: %w", d.Digest, name, err)
	}
	return data, nil
}

// isAnswer reports whether an error of fetching is about what a registry sent, such as another
// length or digest, and not about reaching the registry or about what it refused to send.
func isAnswer(err error) bool {
	var (
		transport *url.Error
		refusal   *errcode.ErrorResponse
	)
	return !errors.As(err, &transport) && !errors.As(err, &refusal) &&
		!errors.Is(err, errdef.ErrNotFound) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// IsWrong reports whether the error of Pull is about what a registry has, and not about reaching it.
func IsWrong(err error) bool { return errors.As(err, new(*yamldoc.Error)) }
