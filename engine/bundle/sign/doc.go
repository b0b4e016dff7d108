// SPDX-License-Identifier: Apache-2.0

// Package sign signs the digests of archives with ed25519 keys, and finds out which keys signed
// one. A signature is kept apart from what it signs, in an envelope of the form DSSE
// (https://github.com/secure-systems-lab/dsse), whose payload names the digest:
//
//	{"payloadType": "application/vnd.dragoman.bundle.digest.v1+json",
//	 "payload": "<base64 of {"digest":"sha256:..."}>",
//	 "signatures": [{"keyid": "sha256:...", "sig": "<base64>"}]}
//
// Keys are PEM files: PKCS #8 for private keys, PKIX for public ones, as openssl writes them. The
// id of a key is the SHA-256 of its public key in the form of PKIX.
//
// The package does not know where envelopes and keys are kept.
package sign
