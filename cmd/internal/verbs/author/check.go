// SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
)

// checkOptions are the flags of check.
type checkOptions struct {
	streams   verb.Streams
	paths     []string
	namespace string
	output    string
	disable   []string
	failLevel string
}

func newCheckCommand(streams verb.Streams) *cobra.Command {
	o := &checkOptions{streams: streams}
	c := &cobra.Command{
		Use:   "check FILE|FOLDER|-...",
		Short: "Check policies, clusters, customizations and bundles",
		Long: `check reads objects as the control plane does, without a cluster, and prints every
problem as file:line: kind/name: field: message. It refuses fields that do not exist and
what the schema or the validation of a kind refuses, applies the defaults before, and
compiles the scripts of ResourceInterpreterCustomizations and bundles. Rules find what is
probably not meant in scripts: dragoman docs lint lists them. Where the CRD of a kind is
among the files, it warns of paths in policies, and of fields that scripts read or write,
that the kind does not have; with warnings alone it exits 0, unless --fail-level is warning.

A rule is switched off by --disable RULE, or in a script by a comment: -- lint:disable RULE
(in CEL // lint:disable RULE) behind a line or above it, lint:disable-file for all of it.

It reads YAML documents and lists of objects, from files, from those that end in .yaml
or .yml below folders, or from stdin with -. Objects of other kinds are skipped, and in
folders also documents that are no objects.

With -o json stdout is one object:
  checked, skipped  numbers of objects
  problems          a list of {file, line, column, kind, name, field, rule, message}
  warnings          a list like that of problems
  errors            what could not be read, a list of texts

The forms github (annotations of a workflow), sarif (2.1.0) and junit are for other tools.`,
		Example: `  dragoman check policy.yaml
  dragoman check -o json ./policies
  dragoman check policy.yaml crd.yaml
  dragoman check --fail-level warning --disable shadowed ./bundle crd.yaml
  dragoman check -o sarif ./bundle > check.sarif
  kubectl get propagationpolicies -A -o yaml | dragoman check -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.paths = args
			return o.run()
		},
	}
	f := c.Flags()
	f.StringVarP(&o.namespace, "namespace", "n", "default", "namespace of namespaced objects that have none")
	f.StringVarP(&o.output, "output", "o", "text", "form of the report: text, json, github, sarif or junit")
	f.StringSliceVar(&o.disable, "disable", nil, "rules that find nothing, by their ids; the flag may be repeated")
	f.StringVar(&o.failLevel, "fail-level", "error", "what makes the check fail: error, or warning for both")
	return c
}

func (o *checkOptions) run() error {
	write, err := o.writer()
	if err != nil {
		return err
	}
	if o.failLevel != "error" && o.failLevel != "warning" {
		return fmt.Errorf("fail-level %q: want error or warning", o.failLevel)
	}
	for _, rule := range o.disable {
		if err := author.CheckRule(rule); err != nil {
			return fmt.Errorf("disable: %w", err)
		}
	}
	found, err := o.check()
	if err != nil {
		return err
	}
	if err := write(found, o.streams.Out); err != nil {
		return err
	}
	switch {
	case len(found.Errs) > 0:
		return errors.Join(found.Errs...)
	case len(found.Problems) > 0 || o.failLevel == "warning" && len(found.Warnings) > 0:
		return verb.Exit(verb.ExitFound, "")
	case found.Checked == 0:
		return verb.Exit(verb.ExitNothing, "nothing was checked: there is no object of a known kind in "+fmt.Sprint(o.paths))
	}
	return nil
}

// writer returns the function that writes findings in the form that is asked for.
func (o *checkOptions) writer() (func(*author.Findings, io.Writer) error, error) {
	switch o.output {
	case "text":
		return func(f *author.Findings, w io.Writer) error {
			author.Printer{Out: w}.Findings(f)
			return nil
		}, nil
	case "json":
		return (*author.Findings).WriteJSON, nil
	case "github":
		return (*author.Findings).WriteGitHub, nil
	case "sarif":
		return (*author.Findings).WriteSARIF, nil
	case "junit":
		return (*author.Findings).WriteJUnit, nil
	}
	return nil, fmt.Errorf("output %q: want text, json, github, sarif or junit", o.output)
}

// check checks the paths in their order.
func (o *checkOptions) check() (*author.Findings, error) {
	compiler, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	checker, err := author.NewChecker(compiler, o.namespace)
	if err != nil {
		return nil, err
	}
	if err := verb.OnceStdin(o.paths); err != nil {
		return nil, err
	}
	found := checker.Files(verb.HostFS{}, nil)
	for _, p := range o.paths {
		if p != "-" && !verb.IsURL(p) {
			found.Add(checker.Files(verb.HostFS{}, []string{filepath.ToSlash(p)}))
			continue
		}
		name, data, err := o.streams.Read(p)
		if err != nil {
			return nil, err
		}
		found.Add(checker.Text(name, data))
	}
	found.Review(reviewed)
	found.Lint(checker, o.disable)
	return found, nil
}
