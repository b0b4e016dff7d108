// SPDX-License-Identifier: Apache-2.0

// Package image reads and changes references of container images. It knows no registry: a
// reference without one stays without one.
package image

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Reference is [registry/]repository[:tag][@digest]. Empty parts are absent.
type Reference struct {
	Registry, Repository, Tag, Digest string
}

var (
	registryForm   = regexp.MustCompile(`^[A-Za-z0-9_.:\[\]-]+$`)
	repositoryForm = regexp.MustCompile(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$`)
	tagForm        = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)
	digestForm     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$`)
)

// maxLength bounds a reference; those of registries have at most 255 bytes before the tag.
const maxLength = 4096

// Parse reads a reference. What is before the first slash is a registry if it has a dot or
// a colon or is localhost. Letters may be large, and a repository of any length.
func Parse(text string) (Reference, error) {
	if text == "" {
		return Reference{}, errors.New("there is no image")
	}
	if len(text) > maxLength {
		return Reference{}, fmt.Errorf("the image has %d bytes; want at most %d", len(text), maxLength)
	}
	var r Reference
	rest, digest, hasDigest := strings.Cut(text, "@")
	if first, after, ok := strings.Cut(rest, "/"); ok && (first == "localhost" || strings.ContainsAny(first, ".:")) {
		r.Registry, rest = first, after
	}
	tag, hasTag := "", false
	r.Repository, tag, hasTag = strings.Cut(rest, ":")
	r.Tag, r.Digest = tag, digest
	good := repositoryForm.MatchString(r.Repository) &&
		(r.Registry == "" || registryForm.MatchString(r.Registry)) &&
		hasTag == tagForm.MatchString(tag) &&
		hasDigest == digestForm.MatchString(digest)
	if !good {
		return Reference{}, fmt.Errorf("image %q is not of the form [registry/]repository[:tag][@digest]", text)
	}
	return r, nil
}

// String returns the reference as Parse reads it.
func (r Reference) String() string {
	text := r.Repository
	if r.Registry != "" {
		text = r.Registry + "/" + text
	}
	if r.Tag != "" {
		text += ":" + r.Tag
	}
	if r.Digest != "" {
		text += "@" + r.Digest
	}
	return text
}

// Version returns the tag, or the digest where there is no tag.
func (r Reference) Version() string {
	if r.Tag != "" {
		return r.Tag
	}
	return r.Digest
}

// WithVersion returns the reference with a tag or a digest in place of both. It is an error
// if the text is neither.
func (r Reference) WithVersion(text string) (Reference, error) {
	r.Tag, r.Digest = "", ""
	switch {
	case tagForm.MatchString(text):
		r.Tag = text
	case digestForm.MatchString(text):
		r.Digest = text
	default:
		return r, fmt.Errorf("%q is neither a tag nor a digest such as sha256:0123...; a tag has letters, digits and _.- and at most 128 of them", text)
	}
	return r, nil
}

// WithoutVersion returns the reference without its tag, or without its digest where there
// is no tag.
func (r Reference) WithoutVersion() Reference {
	if r.Tag != "" {
		r.Tag = ""
	} else {
		r.Digest = ""
	}
	return r
}
