// SPDX-License-Identifier: Apache-2.0

// Package playground evaluates what a person types: in go the texts of an object and of a script,
// out come the answers of all operations that the script answers, with their gas, what it prints,
// which of its lines ran, and what is wrong where. All of it has a JSON form, so that a server and
// a WebAssembly module answer a page alike; see Playground.Respond.
//
// A script stands alone, or is a file of a bundle that is given: then the whole bundle is loaded
// with the text in the place of the file, so that its modules, parameters and limits count. The
// cases of these bundles are the samples.
//
// Limits are those of production. The package knows no transport and no page, and keeps no state
// between requests but for compiled scripts.
package playground
