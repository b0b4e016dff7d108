// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"runtime"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack"
	"github.com/dragoman-io/dragoman/test/attack/measure"
)

// serve runs the attacks that in names, one a line, and writes the figures of each as a
// line of JSON.
func serve(in io.Reader, out io.Writer) error {
	runtime.GOMAXPROCS(1)
	all := map[string]attack.Question{}
	for _, q := range attack.All() {
		all[q.Name] = q
	}
	runner, err := measure.NewRunner()
	if err != nil {
		return err
	}
	if err := warm(runner); err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		q, ok := all[lines.Text()]
		if !ok {
			return fmt.Errorf("there is no attack %q", lines.Text())
		}
		figures, err := runner.Attack(q)
		if err != nil {
			return fmt.Errorf("%s: %w", q.Name, err)
		}
		if err := encoder.Encode(figures); err != nil {
			return err
		}
	}
	return nil
}

// warm does what is done once in a process: it makes the environments of CEL and the
// pages of the heap.
func warm(runner *measure.Runner) error {
	for _, op := range engine.Operations() {
		for form, source := range map[attack.Form]string{attack.Expression: "1", attack.Published: "return 1", attack.Bundle: "return 1"} {
			q := attack.Question{Name: "warm", Form: form, Operation: string(op.Name), Source: source, Want: attack.Bounded}
			f, err := runner.Attack(q)
			if err != nil {
				return err
			}
			if f.Code == script.Internal {
				return fmt.Errorf("warm up: %s", f.Message)
			}
		}
	}
	return nil
}
