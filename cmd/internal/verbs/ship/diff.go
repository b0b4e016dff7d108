// SPDX-License-Identifier: Apache-2.0

package ship

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
)

// diffOptions are the flags of diff.
type diffOptions struct {
	streams verb.Streams
	output  string
}

func newDiffCommand(streams verb.Streams) *cobra.Command {
	o := &diffOptions{streams: streams}
	c := &cobra.Command{
		Use:   "diff OLD NEW [FILE|FOLDER]...",
		Short: "Show which answers change from one revision of scripts to the next",
		Long: `diff asks two revisions of the scripts for some kinds the same questions, and shows which
answers are not the same. A revision is the folder of a bundle, or a file of
ResourceInterpreterCustomizations.

It asks what the cases of both bundles ask, and all operations about the objects of the
files and folders that follow, as kubectl get -o yaml writes them. What an operation takes
beside the object is what the old scripts answer about it, or the new ones where those do not:
one replica more than InterpretReplica counts, the status that InterpretStatus reports from one
cluster, the state that InterpretState leaves. An object is observed as it is. What cannot be
asked is said. Changes of the same fields of the same kind are shown once.

It exits 0 where all answers are the same, and 1 where one is not.

With -o json stdout is one object:
  asked, same, changed    numbers of questions
  newErrors, fixedErrors  numbers of questions that only one of the two fails
  gasBefore, gasAfter     the steps that all questions took
  changes                 a list of {operation, kind, what, differences, message, where};
                          what is "changed", "new error", "fixed error", "new answer" or
                          "no answer"; differences is a list of {path, before, after};
                          where names the objects
  unasked                 a list of {operation, kind, reason, count}: what could not be asked`,
		Example: `  dragoman diff released/flink flink
  kubectl get flinkdeployments -A -o yaml > live.yaml && dragoman diff released/flink flink live.yaml`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0], args[1], args[2:]) },
	}
	c.Flags().StringVarP(&o.output, "output", "o", "text", "form of the report: text or json")
	c.ValidArgsFunction = verb.CompleteArguments(verb.CompleteBundles, verb.CompleteBundles, nil)
	return c
}

func (o *diffOptions) run(before, after string, files []string) error {
	if o.output != "text" && o.output != "json" {
		return fmt.Errorf("output %q: want text or json", o.output)
	}
	c, err := engine.NewCompiler()
	if err != nil {
		return err
	}
	was, err := author.ReadRevision(c, verb.HostFS{}, filepath.ToSlash(before))
	if err != nil {
		return err
	}
	is, err := author.ReadRevision(c, verb.HostFS{}, filepath.ToSlash(after))
	if err != nil {
		return err
	}
	for i := range files {
		files[i] = filepath.ToSlash(files[i])
	}
	found, err := author.Compare(was, is, verb.HostFS{}, files)
	switch {
	case err != nil:
		return err
	case found.Asked == 0:
		return verb.Nothingf("nothing was asked: %s and %s have no case, and answer nothing about the objects of %v", before, after, files)
	}
	if o.output == "json" {
		if err := author.WriteComparison(o.streams.Out, found); err != nil {
			return err
		}
	} else {
		author.Printer{Out: o.streams.Out}.Comparison(found)
	}
	if len(found.Changes) > 0 {
		return verb.Exit(verb.ExitFound, "")
	}
	return nil
}
