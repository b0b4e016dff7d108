// SPDX-License-Identifier: Apache-2.0

package author

import (
	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine/author/reference"
)

func newDocsOperationsCommand(streams verb.Streams) *cobra.Command {
	c := referenceCommand(streams, reference.Operations())
	c.Use = "operations"
	c.Short = "Print the operations that a script can answer"
	return c
}
