// SPDX-License-Identifier: Apache-2.0

package author

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine/internal/lint"
)

// levelled is a problem or a warning with its severity.
type levelled struct {
	Problem
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
		file, line := placeOf(err)
		all = append(all, levelled{Problem{File: file, Line: line, Message: err.Error()}, lint.Error})
	}
	return all
}

// title names what a problem is about: its rule, or its object.
func (p Problem) title() string {
	switch {
	case p.Rule != "":
		return p.Rule
	case p.Kind != "":
		return strings.TrimSuffix(p.Kind+"/"+p.Name, "/")
	}
	return "dragoman check"
}

// Text returns the message behind the field that it is about.
func (p Problem) Text() string {
	if p.Field == "" {
		return p.Message
	}
	return p.Field + ": " + p.Message
}

// WriteGitHub writes the findings as annotations of a workflow of GitHub.
func (f *Findings) WriteGitHub(w io.Writer) error {
	var b strings.Builder
	for _, p := range f.levelled() {
		annotation{string(p.level), p.File, p.Line, p.Column, p.title(), p.Text()}.write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// annotation is a note at a place of a file, in the form of GitHub's workflows.
type annotation struct {
	level, file    string
	line, column   int
	title, message string
}

var (
	escapeValue    = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func (a annotation) write(b *strings.Builder) {
	var properties []string
	if a.file != "" {
		properties = append(properties, "file="+escapeProperty.Replace(a.file))
	}
	if a.line > 0 {
		properties = append(properties, fmt.Sprintf("line=%d", a.line))
	}
	if a.column > 0 {
		properties = append(properties, fmt.Sprintf("col=%d", a.column))
	}
	properties = append(properties, "title="+escapeProperty.Replace(a.title))
	fmt.Fprintf(b, "::%s %s::%s\n", a.level, strings.Join(properties, ","), escapeValue.Replace(a.message))
}

// WriteJUnit writes the findings as XML in the form of JUnit: a suite for each file with
// findings, in which a problem is a failure and a warning an output of a case that passed.
// Without any findings it has one case that passed.
func (f *Findings) WriteJUnit(w io.Writer) error {
	report := junitReport{}
	for _, p := range f.levelled() {
		name := p.File
		if name == "" {
			name = "errors"
		}
		i := slices.IndexFunc(report.Suites, func(s *junitSuite) bool { return s.Name == name })
		if i < 0 {
			i = len(report.Suites)
			report.Suites = append(report.Suites, &junitSuite{Name: name})
		}
		suite := report.Suites[i]
		one := junitCase{Class: name, Name: p.title(), File: p.File, Line: p.Line}
		if p.level == lint.Error {
			one.Failure = &junitFailure{firstLine(p.Text()), p.String()}
			suite.Failures++
			report.Failures++
		} else {
			one.Output = p.String()
		}
		suite.Tests++
		report.Tests++
		suite.Cases = append(suite.Cases, one)
	}
	if report.Tests == 0 && f.Checked > 0 {
		report.Tests = 1
		report.Suites = []*junitSuite{{Name: "check", Tests: 1, Cases: []junitCase{{Class: "check", Name: fmt.Sprintf("%d checked", f.Checked)}}}}
	}
	text, err := xml.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}
