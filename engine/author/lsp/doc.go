// SPDX-License-Identifier: Apache-2.0

// Package lsp is a server of the Language Server Protocol 3.17 for bundles and customizations. In
// go the messages of an editor and a file system; out come what check finds in the bundle or the
// file of each open document, completions, what a name under the cursor is, and where it is
// defined. The texts of open documents stand in the place of the files.
//
// It has four subjects:
//
//   - the protocol: Server (server.go, lifecycle.go) answers messages (protocol.go), which
//     package jsonrpc reads and writes;
//   - documents: their texts with changes (document.go, text.go), by URIs (uri.go), as a source.Tree;
//   - diagnostics: the unit that a document belongs to (unit.go), its home, is checked (check.go) by one
//     worker (worker.go), and what is found is published (diagnostic.go);
//   - answers: completion.go, hover.go and definition.go, from the text up to the cursor
//     (cursor.go, paths.go) and the schemas of CRDs (schema.go, kinds.go). A text that does not parse has them
//     too.
//
// It writes no files, and knows no cluster.
package lsp
