// SPDX-License-Identifier: Apache-2.0

// Package oci keeps bundles in registries of OCI artifacts. In goes an archive with its
// signatures, or a reference to one; out comes a digest, or the archive, each of whose bytes was
// compared with the digests that lead to it.
//
// An artifact is one image manifest (OCI image-spec 1.1):
//
//	artifactType  application/vnd.dragoman.bundle.v1
//	config        application/vnd.dragoman.bundle.config.v1+json: the manifest of the bundle
//	layers        application/vnd.dragoman.bundle.layer.v1.tar+gzip: the archive
//	              application/vnd.dsse.envelope.v1+json: its signatures, where it has some
//
// The signatures are in the artifact, and not referrers of it: many registries do not list those,
// and some answer wrongly. The config is for who looks at the registry: what counts is the manifest
// in the archive, which the signatures cover.
//
// The package does not know whom to trust; see package sign.
package oci
