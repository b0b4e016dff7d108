// SPDX-License-Identifier: Apache-2.0

// Package archive is the form in which a bundle ships: one file, a tar archive compressed with
// gzip, that has the same bytes wherever and whenever it is built of the same files. In goes a
// folder, or the bytes of an archive from anywhere; out come the files of the bundle, or every
// way in which the bytes are not what Build writes.
//
// An archive holds files alone, with their paths within the bundle, sorted: no folders, links
// and devices, no times, owners and modes. The digest of an archive is the SHA-256 of its bytes,
// as sha256: and 64 hexadecimal digits; registries and signatures name it by that.
//
// The package does not know what the files mean, and writes none.
package archive
