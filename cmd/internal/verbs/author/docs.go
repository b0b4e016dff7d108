// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine/author/reference"
)

// newDocsCommand returns the command with the reference for authors.
func newDocsCommand(streams verb.Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "docs",
		Short: "Print the reference for authors of scripts",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newDocsKubeCommand(streams), newDocsOperationsCommand(streams), newDocsLintCommand(streams))
	c.AddCommand(newDocsRuleCommands(streams)...)
	for _, p := range docsPages {
		c.AddCommand(newDocsPageCommand(streams, p))
	}
	return c
}

// referenceCommand returns a command that prints a reference in one of its forms; the
// first is the default.
func referenceCommand(streams verb.Streams, forms []reference.Page) *cobra.Command {
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
				return fmt.Errorf("output %q: want %s", output, joinOr(names))
			}
			return forms[i].Write(streams.Out)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", names[0], "form of the output: "+joinOr(names))
	return c
}

// joinOr lists words as a, b or c.
func joinOr(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
