// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/engine/author"
)

// newDocsCommand returns the command with the reference for authors.
func newDocsCommand(streams Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "docs",
		Short: "Print the reference for authors of scripts",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newDocsKubeCommand(streams), newDocsOperationsCommand(streams))
	return c
}

func newDocsKubeCommand(streams Streams) *cobra.Command {
	c := referenceCommand(streams, author.FunctionReference())
	c.Use = "kube"
	c.Short = "Print the functions that scripts call as kube.NAME"
	c.Long = `docs kube prints the functions that scripts call as kube.NAME. With -o lua it is a
definition file for the Lua language server, also of params and of the functions that
scripts define; with -o cel it is what CEL knows of the same functions.`
	c.Example = `  dragoman docs kube
  dragoman docs kube -o lua > .lua/kube.lua`
	return c
}

func newDocsOperationsCommand(streams Streams) *cobra.Command {
	c := referenceCommand(streams, author.OperationReference())
	c.Use = "operations"
	c.Short = "Print the operations that a script can answer"
	return c
}

// referenceCommand returns a command that prints a reference in one of its forms; the
// first is the default.
func referenceCommand(streams Streams, forms []author.Reference) *cobra.Command {
	var names []string
	for _, f := range forms {
		names = append(names, f.Form)
	}
	var output string
	c := &cobra.Command{
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			i := slices.Index(names, output)
			if i < 0 {
				return fmt.Errorf("output %q: want %s", output, either(names))
			}
			return forms[i].Write(streams.Out)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", names[0], "form of the output: "+either(names))
	return c
}

// either lists words as a, b or c.
func either(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
