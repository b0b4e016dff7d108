// SPDX-License-Identifier: Apache-2.0

// Package jsonrpc reads and writes the messages of JSON-RPC 2.0 in the framing of the Language
// Server Protocol: a header with Content-Length, an empty line, and a JSON document of that many
// bytes. It knows no method, and keeps no requests.
//
// A header that cannot be read is the end of a stream: where the next message begins is not known.
// A document that is no message is an *Error, behind which the next message can be read.
package jsonrpc
