// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/docs"
)

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
