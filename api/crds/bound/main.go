// SPDX-License-Identifier: Apache-2.0

// Bound changes what the generated CRDs of a folder say and their generator has no marker for. It
// shortens the pattern of quantities: the generated one admits 1e-999999999, which nothing
// decodes within hours. And it accepts conditions of a Cluster that have but a type and a status. It
// fails if a file has another form of either.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

const (
	// generated is what controller-gen writes.
	generated = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`
	// bounded is the same with at most 60 digits on each side of the point and two in the
	// exponent.
	bounded = `^(\+|-)?(([0-9]{1,60}(\.[0-9]{0,60})?)|(\.[0-9]{1,60}))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?[0-9]{1,2}))?$`
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bound:", err)
		os.Exit(1)
	}
}

func run(folders []string) error {
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := rewrite(file); err != nil {
				return err
			}
		}
	}
	return nil
}

func rewrite(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	short := bytes.ReplaceAll(text, []byte(generated), []byte(bounded))
	if n, left := bytes.Count(text, []byte("x-kubernetes-int-or-string: true")), bytes.Count(short, []byte(bounded)); n != left {
		return fmt.Errorf("%s has %d quantities, of which %d have the bounded pattern: controller-gen writes another one now", file, n, left)
	}
	if filepath.Base(file) == clusterFile {
		if short, err = loosen(short); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	if bytes.Equal(text, short) {
		return nil
	}
	return os.WriteFile(file, short, 0o600)
}
