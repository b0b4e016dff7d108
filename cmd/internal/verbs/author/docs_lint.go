// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/docs"
	"github.com/dragoman-io/dragoman/engine/author"
)

// newDocsLintCommand returns the command that lists the rules of check, or prints what one is
// about.
func newDocsLintCommand(streams verb.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "lint [RULE]",
		Short: "Print the rules of check, or one with what to avoid and to prefer",
		Example: `  dragoman docs lint
  dragoman docs lint undefined-global
  dragoman docs lint/undefined-global`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: verb.CompleteArguments(verb.CompleteRules, verb.CompleteNothing),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return printRule(streams, args[0])
			}
			w := tabwriter.NewWriter(streams.Out, 0, 0, 2, ' ', 0)
			for _, r := range author.LintRules() {
				fmt.Fprintf(w, "%s\t%s\t%s\n", r.ID, r.Severity, r.Summary)
			}
			return w.Flush()
		},
	}
}

// newDocsRuleCommands returns a command lint/RULE for each rule, the form in which reports name
// a page.
func newDocsRuleCommands(streams verb.Streams) []*cobra.Command {
	var all []*cobra.Command
	for _, r := range author.LintRules() {
		all = append(all, &cobra.Command{
			Use: "lint/" + r.ID, Short: r.Summary, Hidden: true, Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return printRule(streams, r.ID) },
		})
	}
	return all
}

// printRule prints the section of a rule.
func printRule(streams verb.Streams, id string) error {
	if err := author.CheckRule(id); err != nil {
		return err
	}
	text, err := docs.Section("lint", id)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(streams.Out, text)
	return err
}
