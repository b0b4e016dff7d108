// SPDX-License-Identifier: Apache-2.0

//go:build nocluster

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// clusterProgram is the name of the whole program beside the one of authors.
const clusterProgram = "dragoman-cluster"

// newClusterCommands returns the verbs that need a control plane, which another program has.
func newClusterCommands(streams Streams) []*cobra.Command {
	var all []*cobra.Command
	for _, v := range clusterVerbs {
		name, _, _ := strings.Cut(v.use, " ")
		all = append(all, &cobra.Command{
			Use: v.use, Short: v.short, DisableFlagParsing: true,
			RunE: func(_ *cobra.Command, args []string) error {
				return runCluster(streams, append([]string{name}, args...))
			},
		})
	}
	return all
}

// runCluster runs the program with the verbs that need a control plane, and exits as it does.
func runCluster(streams Streams, args []string) error {
	program, err := findCluster()
	if err != nil {
		return err
	}
	c := exec.Command(program, args...)
	c.Stdin, c.Stdout, c.Stderr = streams.In, streams.Out, streams.Err
	var exit *exec.ExitError
	switch err := c.Run(); {
	case errors.As(err, &exit):
		return &exitError{code: exit.ExitCode()}
	case err != nil:
		return fmt.Errorf("run %s: %w", program, err)
	}
	return nil
}

// findCluster returns the program: beside this one, or in the PATH.
func findCluster() (string, error) {
	if own, err := os.Executable(); err == nil {
		if own, err = filepath.EvalSymlinks(own); err == nil {
			if beside, err := exec.LookPath(filepath.Join(filepath.Dir(own), clusterProgram)); err == nil {
				return beside, nil
			}
		}
	}
	program, err := exec.LookPath(clusterProgram)
	if err != nil {
		return "", fmt.Errorf("this verb needs a control plane, and %s, which has it, is neither beside this program nor in the PATH; make build makes both", clusterProgram)
	}
	return program, nil
}

// readObject is not called: runByCluster was before.
func readObject(context.Context, string, string, string, string) (*unstructured.Unstructured, error) {
	return nil, errors.New("this program reads no cluster; " + clusterProgram + " does")
}

// runLive is not called: runByCluster was before.
func (o *explainOptions) runLive(context.Context, string, string) error {
	return errors.New("this program reads no cluster; " + clusterProgram + " does")
}

// runByCluster has another program run the whole command, which needs a cluster.
func runByCluster(streams Streams) (ran bool, err error) {
	return true, runCluster(streams, os.Args[1:])
}
