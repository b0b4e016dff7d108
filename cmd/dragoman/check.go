// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
)

// checkOptions are the flags of check.
type checkOptions struct {
	streams   Streams
	paths     []string
	namespace string
	output    string
}

func newCheckCommand(streams Streams) *cobra.Command {
	o := &checkOptions{streams: streams}
	c := &cobra.Command{
		Use:   "check FILE|FOLDER|-...",
		Short: "Check policies, clusters, customizations and bundles",
		Long: `check reads objects as the control plane does, without a cluster, and prints every
problem as file:line: kind/name: field: message. It refuses fields that do not exist and
what the schema or the validation of a kind refuses, applies the defaults before, and
compiles the scripts of ResourceInterpreterCustomizations and bundles. Where the CRD of a
kind is among the files, it warns of paths in policies, and of fields that scripts read or
write, that the kind does not have; with warnings alone it exits 0.

It reads YAML documents and lists of objects, from files, from those that end in .yaml
or .yml below folders, or from stdin with -. Objects of other kinds are skipped, and in
folders also documents that are no objects.

With -o json stdout is one object:
  checked, skipped  numbers of objects
  problems          a list of {file, line, kind, name, field, message}
  warnings          a list like that of problems
  errors            what could not be read, a list of texts`,
		Example: `  dragoman check policy.yaml
  dragoman check -o json ./policies
  dragoman check policy.yaml crd.yaml
  kubectl get propagationpolicies -A -o yaml | dragoman check -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.paths = args
			return o.run()
		},
	}
	f := c.Flags()
	f.StringVarP(&o.namespace, "namespace", "n", "default", "namespace of namespaced objects that have none")
	f.StringVarP(&o.output, "output", "o", "text", "form of the report: text or json")
	return c
}

func (o *checkOptions) run() error {
	if o.output != "text" && o.output != "json" {
		return fmt.Errorf("output %q: want text or json", o.output)
	}
	found, err := o.check()
	if err != nil {
		return err
	}
	found.Review(reviewed)
	found.CheckFields()
	if o.output == "json" {
		if err := found.WriteJSON(o.streams.Out); err != nil {
			return err
		}
	} else {
		author.Printer{Out: o.streams.Out}.Findings(found)
	}
	switch {
	case len(found.Errs) > 0:
		return errors.Join(found.Errs...)
	case len(found.Problems) > 0:
		return &exitError{code: exitFound}
	case found.Checked == 0:
		return &exitError{exitNothing, "nothing was checked: there is no object of a known kind in " + fmt.Sprint(o.paths)}
	}
	return nil
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
	if err := onceStdin(o.paths); err != nil {
		return nil, err
	}
	found := checker.Files(hostFS{}, nil)
	for _, p := range o.paths {
		if p != "-" {
			found.Add(checker.Files(hostFS{}, []string{filepath.ToSlash(p)}))
			continue
		}
		name, data, err := o.streams.read(p)
		if err != nil {
			return nil, err
		}
		found.Add(checker.Text(name, data))
	}
	return found, nil
}
