// SPDX-License-Identifier: Apache-2.0

package author

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/internal/lint"
)

// outcome is a case, a broken law, a problem, a warning or an error, in the forms that other tools read.
type outcome struct {
	// group is what it is listed under: a file, laws, or errors.
	group string
	name  string
	// title is that of an annotation; "" is name.
	title        string
	file         string
	line, column int
	// failure is what is wrong, warning what is probably not meant, and skipped why a case was not run; "" is
	// nothing.
	failure, warning, skipped string
	// detail is the failure or the warning with its place; "" is the failure.
	detail string
}

// where returns file and line.
func (o outcome) where() string { return fmt.Sprintf("%s:%d", o.file, o.line) }

// outcomes returns all of a report: its cases, then the laws that are broken, then the
// errors, so that no form leaves out what makes a run fail.
func (r *Report) outcomes() []outcome {
	var all []outcome
	for _, c := range r.Cases {
		o := outcome{group: c.File, name: c.Name, file: c.File, line: c.Line, skipped: c.Skipped}
		if !c.Passed && c.Skipped == "" {
			o.failure = described(func(p Printer) { p.differences(c) })
		}
		all = append(all, o)
	}
	for _, b := range r.Laws.Broken {
		all = append(all, outcome{
			group: "laws", name: fmt.Sprintf("law %q of %s: %s", b.Law, b.Kind, b.Name), file: b.File, line: b.Line,
			failure: described(func(p Printer) {
				for _, f := range b.Failures {
					p.failure(f)
				}
			}),
		})
	}
	for _, err := range r.Errs {
		p, _ := source.ProblemOf(err)
		all = append(all, outcome{group: "errors", name: firstLine(err.Error()), title: "dragoman test", file: p.File, line: p.Line, failure: err.Error()})
	}
	return all
}

// described returns what is printed, without the indent of its lines.
func described(write func(Printer)) string {
	var b strings.Builder
	write(Printer{Out: &b})
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "     ")
	}
	return strings.Join(lines, "\n")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// WriteTAP writes the report in version 13 of the Test Anything Protocol.
func (r *Report) WriteTAP(w io.Writer) error {
	all := r.outcomes()
	text := fmt.Sprintf("TAP version 13\n1..%d\n", len(all))
	for i, o := range all {
		verdict := "ok"
		if o.failure != "" {
			verdict = "not ok"
		}
		inLine := strings.NewReplacer("\n", " ", "#", "\\#")
		name := inLine.Replace(o.name)
		text += fmt.Sprintf("%s %d - %s", verdict, i+1, name)
		if o.group != "errors" {
			text += " (" + o.where() + ")"
		}
		if o.skipped != "" {
			text += " # SKIP " + inLine.Replace(o.skipped)
		}
		text += "\n"
		if o.failure != "" {
			text += "# " + strings.ReplaceAll(o.failure, "\n", "\n# ") + "\n"
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// WriteGitHub writes what is wrong as annotations of a workflow of GitHub, warnings too.
func (r *Report) WriteGitHub(w io.Writer) error {
	var warnings []outcome
	for _, p := range r.Warnings {
		warnings = append(warnings, outcome{name: p.Kind + " " + p.Name, file: p.File, line: p.Line, column: p.Column, warning: p.Message})
	}
	return writeGitHub(w, append(warnings, r.outcomes()...))
}

// writeGitHub writes outcomes as annotations of a workflow of GitHub, without what is right.
func writeGitHub(w io.Writer, all []outcome) error {
	value := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var b strings.Builder
	for _, o := range all {
		level, message := lint.Error, o.failure
		if message == "" {
			level, message = lint.Warning, o.warning
		}
		if message == "" {
			continue
		}
		var properties []string
		if o.file != "" {
			properties = append(properties, "file="+property.Replace(o.file))
		}
		if o.line > 0 {
			properties = append(properties, fmt.Sprintf("line=%d", o.line))
		}
		if o.column > 0 {
			properties = append(properties, fmt.Sprintf("col=%d", o.column))
		}
		properties = append(properties, "title="+property.Replace(cmp.Or(o.title, o.name)))
		fmt.Fprintf(&b, "::%s %s::%s\n", level, strings.Join(properties, ","), value.Replace(message))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// The elements of a report in the form of JUnit.
type (
	junitReport struct {
		XMLName  xml.Name      `xml:"testsuites"`
		Tests    int           `xml:"tests,attr"`
		Failures int           `xml:"failures,attr"`
		Skipped  int           `xml:"skipped,attr,omitempty"`
		Suites   []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr,omitempty"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		File    string        `xml:"file,attr,omitempty"`
		Line    int           `xml:"line,attr,omitempty"`
		Failure *junitFailure `xml:"failure"`
		Skipped *junitSkipped `xml:"skipped"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the report as XML in the form of JUnit: a suite for each file, one for
// the laws that are broken, and one for errors.
func (r *Report) WriteJUnit(w io.Writer) error { return writeJUnit(w, r.outcomes()) }

// writeJUnit writes outcomes: a suite for each group, in which what is wrong is a failure and what is
// probably not meant an output of a case that passed.
func writeJUnit(w io.Writer, all []outcome) error {
	report := junitReport{Tests: len(all)}
	for _, o := range all {
		i := slices.IndexFunc(report.Suites, func(s *junitSuite) bool { return s.Name == o.group })
		if i < 0 {
			i = len(report.Suites)
			report.Suites = append(report.Suites, &junitSuite{Name: o.group})
		}
		suite := report.Suites[i]
		one := junitCase{Class: o.group, Name: o.name, File: o.file, Line: o.line}
		switch {
		case o.failure != "":
			one.Failure = &junitFailure{firstLine(o.failure), cmp.Or(o.detail, o.failure)}
			suite.Failures++
			report.Failures++
		case o.warning != "":
			one.Output = o.detail
		case o.skipped != "":
			one.Skipped = &junitSkipped{o.skipped}
			suite.Skipped++
			report.Skipped++
		}
		suite.Tests++
		suite.Cases = append(suite.Cases, one)
	}
	text, err := xml.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}

// WriteLCOV writes the coverage in the form of lcov, with how often each line ran.
func (r *Report) WriteLCOV(w io.Writer) error {
	var b strings.Builder
	for _, f := range r.Coverage {
		fmt.Fprintf(&b, "TN:\nSF:%s\n", f.File)
		for _, line := range f.all {
			fmt.Fprintf(&b, "DA:%d,%d\n", line, f.hits[line])
		}
		fmt.Fprintf(&b, "LF:%d\nLH:%d\nend_of_record\n", f.Lines, f.Lines-len(f.Missed))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
