// SPDX-License-Identifier: Apache-2.0

package author

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/internal/lint"
)

// levelled is a problem or a warning with its severity.
type levelled struct {
	source.Problem
	level lint.Severity
}

// levelled returns the problems, the warnings, and what could not be read, in this order.
func (f *Findings) levelled() []levelled {
	var all []levelled
	for _, p := range f.Problems {
		all = append(all, levelled{p, lint.Error})
	}
	for _, p := range f.Warnings {
		all = append(all, levelled{p, lint.Warning})
	}
	for _, err := range f.Errs {
		p, _ := source.ProblemOf(err)
		all = append(all, levelled{source.Problem{File: p.File, Line: p.Line, Message: err.Error()}, lint.Error})
	}
	return all
}

// title names what a problem is about: its rule, or its object.
func (p levelled) title() string {
	switch {
	case p.Rule != "":
		return p.Rule
	case p.Kind != "":
		return strings.TrimSuffix(p.Kind+"/"+p.Name, "/")
	}
	return "dragoman check"
}

// outcomes returns what was found, in the form of those of a report.
func (f *Findings) outcomes() []outcome {
	var all []outcome
	for _, p := range f.levelled() {
		o := outcome{group: cmp.Or(p.File, "errors"), name: p.title(), file: p.File, line: p.Line, column: p.Column, detail: p.String()}
		if p.level == lint.Error {
			o.failure = p.Text()
		} else {
			o.warning = p.Text()
		}
		all = append(all, o)
	}
	return all
}

// WriteGitHub writes the findings as annotations of a workflow of GitHub.
func (f *Findings) WriteGitHub(w io.Writer) error { return writeGitHub(w, f.outcomes()) }

// WriteJUnit writes the findings as XML in the form of JUnit: a suite for each file with
// findings, in which a problem is a failure and a warning an output of a case that passed.
// Without any findings it has one case that passed.
func (f *Findings) WriteJUnit(w io.Writer) error {
	all := f.outcomes()
	if len(all) == 0 && f.Checked > 0 {
		all = []outcome{{group: "check", name: fmt.Sprintf("%d checked", f.Checked)}}
	}
	return writeJUnit(w, all)
}
