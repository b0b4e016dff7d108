// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/printable"
	"github.com/dragoman-io/dragoman/cmd/internal/version"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Streams are where a command reads and writes. A terminal obeys nothing that is written to Out and
// Err, whoever it is from: package printable makes it visible.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
	// Raw is what Out writes to. It is for what must stay byte by byte, and is no text for people: the
	// messages of a protocol, and the codes by which this program itself moves a cursor.
	Raw io.Writer
}

// Execute runs the command line and returns the exit code. Out and Err of the streams need no care for
// what is written to them, and Raw is set here.
func Execute(streams Streams, args []string) int {
	raw := &checkedWriter{Writer: streams.Out}
	out, errs := printable.NewWriter(raw), printable.NewWriter(streams.Err)
	streams.Out, streams.Err, streams.Raw = out, errs, raw
	command := NewCommand(streams)
	command.SetArgs(args)
	err := run(command)
	_ = out.Flush() // raw keeps the error
	if raw.err != nil {
		err = fmt.Errorf("write the output: %w", raw.err)
	}
	author.Printer{Out: errs}.Errors(err)
	_ = errs.Flush() // an error of stderr can be told nowhere
	return codeOf(err)
}

// run runs a command. A panic is an error, which has no calls of Go: whoever meets it can do nothing with them.
func run(command *cobra.Command) (err error) {
	defer script.Recover(&err, script.Position{}, "the command")
	return command.Execute()
}

// writeYAML prints YAML documents, of which no value changes by what is made visible.
func (s Streams) writeYAML(documents []byte) error {
	_, err := s.Out.Write(printable.YAML(documents))
	return err
}

// checkedWriter keeps the first error of a writer: what was printed in part must not pass
// for the whole.
type checkedWriter struct {
	io.Writer
	err error
}

// Write writes to the writer.
func (w *checkedWriter) Write(text []byte) (int, error) {
	n, err := w.Writer.Write(text)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// NewCommand returns the command with all its verbs.
func NewCommand(streams Streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "dragoman",
		Short: "Evaluate and test scripts that interpret Kubernetes objects, and check policies",
		Long: `dragoman evaluates and tests scripts that interpret Kubernetes objects, and checks the
objects that the control plane reads, with the engine of the control plane and without a
cluster. Only explain without a file, clusters, failover, fence and unfence, and activate, promote, rollback,
shadow and status need a control plane: they show what became of an object there, what an earlier
membership left in a cluster, what failovers did and
would do, confirm that nothing runs in a cluster any more, and bring bundles there. push and pull, and inspect and verify where they are given a
reference, ask a registry of OCI artifacts.

Exit codes: 0 good; 1 it found something wrong in what it was given: a script that
fails, a case that does not pass, a policy or a bundle that is not valid, an object that
is not well everywhere; 2 it could not run, such
as for a flag or a file that is not there; 3 nothing ran.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	if isPlugin(os.Args[0]) {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl dragoman"}
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	version.SetFlag(root)
	root.AddCommand(
		newBenchCommand(streams), newBuildCommand(streams), newCheckCommand(streams), newDiffCommand(streams), newDocsCommand(streams),
		newEvalCommand(streams), newExplainCommand(streams), newFmtCommand(streams), newFuzzCommand(streams), newInitCommand(streams), newInspectCommand(streams), newInterpretCommand(streams), newLSPCommand(streams),
		newMigrateCommand(streams), newOverrideCommand(streams), newPackCommand(streams), newPlaygroundCommand(streams), newPullCommand(streams),
		newPushCommand(streams), newRecordCommand(streams), newReplCommand(streams), newSignCommand(streams), newTestCommand(streams), newTypesCommand(streams),
		newVerifyCommand(streams), newVersionCommand(streams),
	)
	root.AddCommand(newClusterCommands(streams)...)
	addCompletions(root)
	return root
}

// isPlugin reports whether the program was started by kubectl, under the name of a plugin.
func isPlugin(program string) bool {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	return name == "kubectl-dragoman"
}
