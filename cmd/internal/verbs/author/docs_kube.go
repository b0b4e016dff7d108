// SPDX-License-Identifier: Apache-2.0

package author

import (
	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine/author/reference"
)

func newDocsKubeCommand(streams verb.Streams) *cobra.Command {
	c := referenceCommand(streams, reference.Functions())
	c.Use = "kube"
	c.Short = "Print the functions that scripts call as kube.NAME"
	c.Long = `docs kube prints the functions that scripts call as kube.NAME. With -o lua it is a
definition file for the Lua language server, also of params and of the functions that
scripts define; with -o cel it is what CEL knows of the same functions.`
	c.Example = `  dragoman docs kube
  dragoman docs kube -o lua > .lua/kube.lua`
	return c
}
