// SPDX-License-Identifier: Apache-2.0

package verb

import (
	"encoding/json"

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
