// SPDX-License-Identifier: Apache-2.0

// Package compare asks two sets of rules the same questions, and groups where their answers
// differ. In go snapshots of interpreters and requests; out comes a Comparison. It reads no files
// and no control plane.
package compare
