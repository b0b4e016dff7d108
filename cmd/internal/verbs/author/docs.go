// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/docs"
	"github.com/dragoman-io/dragoman/engine/author"
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

// docsPage is a page that is printed, or one section of it.
type docsPage struct{ name, page, section, short string }

var docsPages = []docsPage{
	{"tutorial", "tutorial", "", "Print the way from a CRD to a tested bundle"},
	{"cases", "cases", "", "Print the form of cases, and how they are run"},
	{"bundle", "bundle", "", "Print the form of bundles"},
	{"shipping", "shipping", "", "Print how bundles are built, signed, pushed and pulled"},
	{"results", "operations", "", "Print each operation with its arguments and results, by examples"},
	{"editor", "editor", "", "Print how an editor checks and completes scripts as one types"},
	{"errors", "errors", "", "Print the codes of errors, and what to do about each"},
	{"laws", "cases", "Laws", "Print the laws that scripts must keep"},
	{"limits", "bundle", "Limits", "Print what a script may take"},
	{"drafts", "drafts", "", "Print what init recognizes"},
	{"placement-rules", "placement-rules", "", "Print the form of PlacementRules"},
}

// newDocsPageCommand returns a command that prints a page as it is in the repository.
func newDocsPageCommand(streams verb.Streams, p docsPage) *cobra.Command {
	return &cobra.Command{
		Use: p.name, Short: p.short, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := docs.Page(p.page)
			if p.section != "" {
				text, err = docs.Section(p.page, p.section)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(streams.Out, text)
			return err
		},
	}
}

func newDocsKubeCommand(streams verb.Streams) *cobra.Command {
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

func newDocsOperationsCommand(streams verb.Streams) *cobra.Command {
	c := referenceCommand(streams, author.OperationReference())
	c.Use = "operations"
	c.Short = "Print the operations that a script can answer"
	return c
}

// referenceCommand returns a command that prints a reference in one of its forms; the
// first is the default.
func referenceCommand(streams verb.Streams, forms []author.Reference) *cobra.Command {
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
