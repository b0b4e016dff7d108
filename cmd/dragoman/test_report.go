// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// report is the JSON form of a run; its fields are documented in the help of test.
type report struct {
	Passed   int            `json:"passed"`
	Failed   int            `json:"failed"`
	Kinds    []*kindReport  `json:"kinds"`
	Cases    []caseReport   `json:"cases"`
	Laws     lawsReport     `json:"laws"`
	Coverage []fileCoverage `json:"coverage,omitempty"`
	Errors   []string       `json:"errors"`
}

type kindReport struct {
	Kind   string `json:"kind"`
	Passed int    `json:"passed"`
	Failed int    `json:"failed"`
}

type caseReport struct {
	File       string          `json:"file"`
	Line       int             `json:"line"`
	Name       string          `json:"name"`
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Operation  string          `json:"operation"`
	Passed     bool            `json:"passed"`
	Gas        int64           `json:"gas"`
	Failures   []cases.Failure `json:"failures"`
	Unchecked  []string        `json:"unchecked,omitempty"`
}

type lawsReport struct {
	Checked int            `json:"checked"`
	Broken  []breachReport `json:"broken"`
}

type breachReport struct {
	Law      string          `json:"law"`
	File     string          `json:"file"`
	Line     int             `json:"line"`
	Name     string          `json:"name"`
	Kind     string          `json:"kind"`
	Failures []cases.Failure `json:"failures"`
}

func newReport() *report {
	return &report{Kinds: []*kindReport{}, Cases: []caseReport{}, Laws: lawsReport{Broken: []breachReport{}}, Errors: []string{}}
}

// add counts a result.
func (r *report) add(result cases.Result) {
	c := result.Case
	kind := r.kind(c.Kind().GroupKind().String())
	if result.Passed() {
		r.Passed++
		kind.Passed++
	} else {
		r.Failed++
		kind.Failed++
	}
	failures := result.Failures
	if failures == nil {
		failures = []cases.Failure{}
	}
	r.Cases = append(r.Cases, caseReport{
		File: c.File, Line: c.Line, Name: c.Name, APIVersion: c.Kind().GroupVersion().String(), Kind: c.Kind().Kind,
		Operation: string(c.Operation.Name), Passed: result.Passed(), Gas: result.Gas, Failures: failures, Unchecked: result.Unchecked,
	})
}

// kind returns the counts of a kind.
func (r *report) kind(name string) *kindReport {
	for _, k := range r.Kinds {
		if k.Kind == name {
			return k
		}
	}
	k := &kindReport{Kind: name}
	r.Kinds = append(r.Kinds, k)
	return k
}

// addLaws counts what the laws say of a case.
func (r *report) addLaws(checked int, broken []cases.Breach) {
	r.Laws.Checked += checked
	for _, b := range broken {
		r.Laws.Broken = append(r.Laws.Broken, breachReport{
			Law: b.Law.Name, File: b.Case.File, Line: b.Case.Line, Name: b.Case.Name, Kind: b.Case.Kind().Kind, Failures: b.Failures,
		})
	}
}

func (r *report) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// writeSummary prints the counts: by kind where there are several, of the lines with
// --coverage, of the laws, and of the cases.
func (r *report) writeSummary(w io.Writer) {
	if len(r.Kinds) > 1 {
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "KIND\tPASSED\tFAILED")
		for _, k := range r.Kinds {
			fmt.Fprintf(table, "%s\t%d\t%d\n", k.Kind, k.Passed, k.Failed)
		}
		_ = table.Flush()
	}
	r.writeCoverage(w)
	if r.Laws.Checked > 0 {
		fmt.Fprintf(w, "%d laws checked, %d broken\n", r.Laws.Checked, len(r.Laws.Broken))
	}
	if r.Passed+r.Failed > 0 {
		fmt.Fprintf(w, "%d passed, %d failed\n", r.Passed, r.Failed)
	}
}

// printCase prints a line for a case, and below it how it differs.
func (o *testOptions) printCase(result cases.Result) {
	verdict := "ok  "
	if !result.Passed() {
		verdict = "FAIL"
	}
	c := result.Case
	gas := ""
	if o.verbose {
		gas = fmt.Sprintf(" %d gas", result.Gas)
	}
	unchecked := ""
	if len(result.Unchecked) > 0 {
		unchecked = " unchecked: " + strings.Join(result.Unchecked, ", ")
	}
	fmt.Fprintf(o.streams.Out, "%s %s (%s)%s%s\n", verdict, c.Name, c.Where(), gas, unchecked)
	for _, f := range result.Failures {
		if f.Path != "error" || result.Err == nil {
			o.printFailure(f)
		}
	}
	if result.Err != nil && (!result.Passed() || o.verbose) {
		printProblem(o.streams.Out, "     ", result.Err)
	}
}

// printBreaches prints a line for each law and kind, about the first case that breaks
// it, and below it how.
func (o *testOptions) printBreaches(broken []cases.Breach) {
	type subject struct{ law, kind string }
	of := func(b cases.Breach) subject { return subject{b.Law.Name, b.Case.Kind().GroupKind().String()} }
	count := map[subject]int{}
	for _, b := range broken {
		count[of(b)]++
	}
	for _, b := range broken {
		n := count[of(b)]
		if n == 0 {
			continue
		}
		count[of(b)] = 0
		more := ""
		if n > 1 {
			more = fmt.Sprintf(" and %d more", n-1)
		}
		fmt.Fprintf(o.streams.Out, "FAIL law %q of %s (%s%s)\n", b.Law.Name, b.Case.Kind().Kind, b.Case.Where(), more)
		for _, f := range b.Failures {
			o.printFailure(f)
		}
	}
}

func (o *testOptions) printFailure(f cases.Failure) {
	fmt.Fprintf(o.streams.Out, "     %s: want %s, got %s\n", f.Path, shown(f.Want), shown(f.Got))
}

// maxShown bounds a value in a line of the report; -o json has all of it.
const maxShown = 200

// shown returns a value as text.
func shown(v json.RawMessage) string {
	if v == nil {
		return "nothing"
	}
	if text := []rune(string(v)); len(text) > maxShown {
		return string(text[:maxShown]) + "…"
	}
	return string(v)
}
