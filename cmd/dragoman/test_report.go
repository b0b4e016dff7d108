package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// report is the JSON form of a run; its fields are documented in the help of test.
type report struct {
	Passed int          `json:"passed"`
	Failed int          `json:"failed"`
	Cases  []caseReport `json:"cases"`
	Errors []string     `json:"errors"`
}

type caseReport struct {
	File      string          `json:"file"`
	Line      int             `json:"line"`
	Name      string          `json:"name"`
	Kind      string          `json:"kind"`
	Operation string          `json:"operation"`
	Passed    bool            `json:"passed"`
	Gas       int64           `json:"gas"`
	Failures  []cases.Failure `json:"failures"`
	Unchecked []string        `json:"unchecked,omitempty"`
}

// add counts a result.
func (r *report) add(result cases.Result) {
	c := result.Case
	if result.Passed() {
		r.Passed++
	} else {
		r.Failed++
	}
	failures := result.Failures
	if failures == nil {
		failures = []cases.Failure{}
	}
	r.Cases = append(r.Cases, caseReport{
		File: c.File, Line: c.Line, Name: c.Name, Kind: c.Kind().Kind, Operation: c.Operation.Name,
		Passed: result.Passed(), Gas: result.Gas, Failures: failures, Unchecked: result.Unchecked,
	})
}

func (r *report) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
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
			fmt.Fprintf(o.streams.Out, "     %s: want %s, got %s\n", f.Path, shown(f.Want), shown(f.Got))
		}
	}
	if result.Err != nil && (!result.Passed() || o.verbose) {
		printProblem(o.streams.Out, "     ", result.Err)
	}
}

// maxShown bounds a value in a line of the report; -o json has all of it.
const maxShown = 200

// shown gives a value as text.
func shown(v json.RawMessage) string {
	if v == nil {
		return "nothing"
	}
	if text := []rune(string(v)); len(text) > maxShown {
		return string(text[:maxShown]) + "…"
	}
	return string(v)
}
