// SPDX-License-Identifier: Apache-2.0

package verb

import (
	"bytes"
	"encoding/json"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/dragoman-io/dragoman/cmd/internal/printable"
)

// Encode writes an answer in the form of the flag output.
func Encode(output string, answer any) ([]byte, error) {
	if output != "json" {
		return printable.MarshalYAML(answer)
	}
	text, err := json.MarshalIndent(answer, "", "  ")
	return append(text, '\n'), err
}

// Diff returns what differs between two values as YAML, as a unified diff of texts of these names; nothing
// where they are the same.
func Diff(from string, before any, to string, after any) ([]byte, error) {
	was, err := printable.MarshalYAML(before)
	if err != nil {
		return nil, err
	}
	is, err := printable.MarshalYAML(after)
	if err != nil {
		return nil, err
	}
	unified := diff.Diff(from, was, to, is)
	_, unified, _ = bytes.Cut(unified, []byte("\n")) // the line with the command
	return unified, nil
}
