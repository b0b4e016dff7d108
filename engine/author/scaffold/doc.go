// SPDX-License-Identifier: Apache-2.0

// Package scaffold writes a first bundle for kinds that are known from their CRDs, from
// objects, or from both.
//
// In go the documents of CRDs and objects; out come the files of a bundle: the manifest, the
// scripts of the operations that the shape of the kind allows an answer to, and cases. What
// is recognized are shapes that many kinds share: a number of replicas (the path of the scale
// subresource, else spec.replicas), pod templates, names of Secrets and ConfigMaps, the usual
// conditions, phases and counts of a status, and spec.suspend. Where a kind has none of them
// it gets no script, and what is built in for any kind goes on to answer.
//
// The outputs of the cases are what the scripts answered when they were written. They are a
// draft: only a person knows whether an answer is right, and the files say so.
//
// The package writes no file and asks no cluster.
package scaffold
