// SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

// interpretOptions are the flags of karmadactl interpret.
type interpretOptions struct {
	streams   verb.Streams
	files     []string
	recursive bool
	operation string
	desired   string
	observed  string
	status    string
	replicas  int64
	check     bool
	edit      bool
	showDoc   bool
}

func newInterpretCommand(streams verb.Streams) *cobra.Command {
	o := &interpretOptions{streams: streams}
	c := &cobra.Command{
		Use:   "interpret -f CUSTOMIZATION (--operation OPERATION | --check)",
		Short: "Ask a customization, with the flags of karmadactl interpret",
		Long: `interpret has the flags of karmadactl interpret, so that its commands go on working: -f is a file
with ResourceInterpreterCustomizations, which alone answer. With --check it is dragoman check, and
without dragoman eval --customization, whose output and exit codes it has: a script that fails exits
with 1. dragoman test runs cases.

Files are edited in place with an editor; --edit is refused. --show-doc is dragoman docs operations.`,
		Example: `  dragoman interpret -f customization.yaml --check
  dragoman interpret -f customization.yaml --operation InterpretHealth --observed-file observed.yaml
  dragoman interpret -f customization.yaml --operation Retain --desired-file desired.yaml --observed-file observed.yaml`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Flags().Changed) },
	}
	f := c.Flags()
	f.StringSliceVarP(&o.files, "filename", "f", nil, verb.InputUsage("ResourceInterpreterCustomizations")+"; with --check also several")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "folders below folders, too; they always are")
	f.StringVar(&o.operation, "operation", "", "the question; case does not matter")
	f.StringVar(&o.desired, "desired-file", "", "file with the desired object")
	f.StringVar(&o.observed, "observed-file", "", "file with the observed object")
	f.StringVar(&o.status, "status-file", "", "file with the status items, for AggregateStatus")
	f.Int64Var(&o.replicas, "desired-replica", 0, "number of replicas, for ReviseReplica")
	f.BoolVar(&o.check, "check", false, "check the customizations")
	f.BoolVar(&o.edit, "edit", false, "refused: edit the file with an editor")
	f.BoolVar(&o.showDoc, "show-doc", false, "refused: see dragoman docs operations")
	return c
}

// run runs the command of this program that the flags mean. given reports whether a flag was set.
func (o *interpretOptions) run(given func(string) bool) error {
	switch {
	case o.edit:
		return errors.New("--edit is not done here: edit the file with an editor, and run dragoman interpret --check, which keeps comments as they are")
	case o.showDoc:
		return errors.New("--show-doc is not done here: run dragoman docs operations")
	case len(o.files) == 0:
		return errors.New("no customization: pass -f FILE")
	case o.check && o.operation != "":
		return errors.New("--check asks nothing: leave out --operation, or --check")
	case o.check:
		check := newCheckCommand(o.streams)
		check.SetArgs(append([]string{"--"}, o.files...))
		check.SilenceErrors, check.SilenceUsage = true, true
		return check.Execute()
	case o.operation == "":
		return errors.New("nothing to do: pass --operation OPERATION, or --check; dragoman docs operations lists the operations")
	case len(o.files) > 1:
		return fmt.Errorf("%d files: pass one to --operation, which may hold several customizations", len(o.files))
	}
	names := map[string]string{"filename": "desired-file", "observed": "observed-file", "items": "status-file", "replicas": "desired-replica"}
	e := &evalOptions{
		streams: o.streams, object: o.desired, operation: o.operation, customization: o.files[0], observed: o.observed,
		items: o.status, replicas: o.replicas, namespace: "default", output: "yaml", print: true,
		recorder: evalRecorder{sort: "line", steps: defaultSteps},
		given:    func(flag string) bool { return names[flag] != "" && given(names[flag]) },
	}
	return e.run()
}
