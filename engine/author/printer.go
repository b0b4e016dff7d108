// SPDX-License-Identifier: Apache-2.0

package author

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Printer writes results for people. Errors of Out are dropped.
type Printer struct {
	Out io.Writer
	// Verbose also shows the gas of cases, who answered them, what they print and the errors that they expect.
	Verbose bool
}

// Case prints a line for a case, and below it the differences.
func (p Printer) Case(c CaseReport) {
	if c.Skipped != "" {
		fmt.Fprintf(p.Out, "skip %s (%s:%d) %s\n", inLine(c.Name), c.File, c.Line, inLine(c.Skipped))
		return
	}
	verdict := "ok  "
	if !c.Passed {
		verdict = "FAIL"
	}
	gas := ""
	if p.Verbose {
		gas = fmt.Sprintf(" %d gas", c.Gas)
		if c.AnsweredBy != "" {
			gas += ", by " + c.AnsweredBy
		}
	}
	unchecked := ""
	if len(c.Unchecked) > 0 {
		unchecked = " unchecked: " + strings.Join(c.Unchecked, ", ")
	}
	fmt.Fprintf(p.Out, "%s %s (%s:%d)%s%s\n", verdict, inLine(c.Name), c.File, c.Line, gas, unchecked)
	p.differences(c)
	if !c.Passed || p.Verbose {
		for _, line := range c.Printed {
			fmt.Fprintf(p.Out, "     printed %s\n", indented("     ", line))
		}
	}
}

// differences prints how the answer differs from what the case expects, and its error.
func (p Printer) differences(c CaseReport) {
	for _, f := range c.Failures {
		if f.Path != "error" || c.Err == nil {
			p.failure(f)
		}
	}
	if c.Err != nil && (!c.Passed || p.Verbose) {
		p.error("     ", c.Err)
	}
}

// maxAtOnce is how many cases a report has of which failures are still in sight.
const maxAtOnce = 20

// repeated prints the cases that failed once more where many others were printed between.
func (p Printer) repeated(r *Report) {
	if r.Failed == 0 || len(r.Cases) <= maxAtOnce {
		return
	}
	fmt.Fprintln(p.Out, "failed:")
	for _, c := range r.Cases {
		if !c.Passed && c.Skipped == "" {
			p.Case(c)
		}
	}
}

// Summary prints the cases that failed once more where there are many cases, the laws that are
// broken, and the counts: by kind where there are
// several, of the lines if coverage was asked for, of the laws, and of the cases.
func (p Printer) Summary(r *Report) {
	p.repeated(r)
	p.breaches(r.Laws.Broken)
	if len(r.Kinds) > 1 {
		table := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "KIND\tPASSED\tFAILED")
		for _, k := range r.Kinds {
			fmt.Fprintf(table, "%s\t%d\t%d\n", k.Kind, k.Passed, k.Failed)
		}
		_ = table.Flush()
	}
	p.coverage(r)
	if r.Laws.Checked > 0 {
		fmt.Fprintf(p.Out, "%d laws checked, %d broken\n", r.Laws.Checked, len(r.Laws.Broken))
	}
	switch {
	case r.Skipped > 0:
		fmt.Fprintf(p.Out, "%d passed, %d failed, %d skipped\n", r.Passed, r.Failed, r.Skipped)
	case r.Passed+r.Failed > 0:
		fmt.Fprintf(p.Out, "%d passed, %d failed\n", r.Passed, r.Failed)
	}
}

// maxErrors is how many errors are printed.
const maxErrors = 100

// Errors prints the errors that an error joins: the first ones, and the number of the
// others.
func (p Printer) Errors(err error) {
	all := source.Flatten(err)
	for _, e := range all[:min(maxErrors, len(all))] {
		p.Error(e)
	}
	if n := len(all) - maxErrors; n > 0 {
		p.Error(yamldoc.More(n))
	}
}

// Notes prints a line for each error that changes nothing.
func (p Printer) Notes(notes []error) {
	for _, n := range notes {
		fmt.Fprintf(p.Out, "note: %v\n", n)
	}
}

// Error prints an error, or nothing if it has no message. For the error of a script it
// also prints the line, the expression, and the call stack.
func (p Printer) Error(err error) { p.error("", err) }

// breaches prints a line for each broken law of each kind and answer, about the first case
// that breaks it, and below it the differences.
func (p Printer) breaches(broken []BreachReport) {
	type subject struct{ law, kind, group, answer string }
	of := func(b BreachReport) subject {
		answer := b.Failures[0].Path
		if end := strings.IndexAny(answer, " .["); end > 0 {
			answer = answer[:end]
		}
		return subject{b.Law, b.Kind, b.group, answer}
	}
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
		fmt.Fprintf(p.Out, "FAIL law %q of %s (%s:%d%s)\n", b.Law, b.Kind, b.File, b.Line, more)
		for _, f := range b.Failures {
			p.failure(f)
		}
	}
}

func (p Printer) failure(f cases.Failure) {
	if f.Message != "" {
		fmt.Fprintf(p.Out, "     %s: %s\n", f.Path, f.Message)
		for _, v := range f.Values {
			fmt.Fprintf(p.Out, "       %s -> %s\n", v.Expression, v.Value)
		}
		return
	}
	want, got := shortened(f.Want, f.Got)
	fmt.Fprintf(p.Out, "     %s: want %s, got %s\n", f.Path, want, got)
}

const (
	// maxValue bounds a value in a line, in characters; the JSON form has all of it.
	maxValue = 200
	// leadValue is how many characters of a value stand before the first that differs.
	leadValue = 40
)

// shortened returns two values as texts of which at most maxValue characters are left: those
// from a little before the first that differs.
func shortened(want, got json.RawMessage) (string, string) {
	a, b := []rune(string(want)), []rune(string(got))
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	from := 0
	if max(len(a), len(b)) > maxValue && same > leadValue {
		from = same - leadValue
	}
	return cutValue(want, a, from), cutValue(got, b, from)
}

// cutValue returns the characters of a value from one on; nothing for an absent value.
func cutValue(value json.RawMessage, text []rune, from int) string {
	if value == nil {
		return "nothing"
	}
	before, after := "", ""
	if from > 0 {
		before = "…"
	}
	text = text[min(from, len(text)):]
	if len(text) > maxValue {
		text, after = text[:maxValue], "…"
	}
	return before + string(text) + after
}

// error prints an error with indent before each line.
func (p Printer) error(indent string, err error) {
	if err.Error() == "" {
		return
	}
	fmt.Fprintf(p.Out, "%serror: %s\n", indent, indented(indent, err.Error()))
	var failure *script.Error
	if !errors.As(err, &failure) {
		return
	}
	if failure.Snippet != "" {
		fmt.Fprintf(p.Out, "%s  %s\n", indent, indented(indent+"  ", failure.Snippet))
	}
	fmt.Fprintf(p.Out, "%scode: %s\n", indent, failure.Code)
	if failure.Expression != "" {
		fmt.Fprintf(p.Out, "%sexpression: %s\n", indent, failure.Expression)
	}
	if trace := strings.TrimSuffix(failure.Backtrace(), "\n"); trace != "" && failure.Code != script.Internal {
		fmt.Fprintf(p.Out, "%scalls, innermost first:\n%s%s\n", indent, indent, indented(indent, trace))
	}
}

// indented puts indent before each line but the first.
func indented(indent, text string) string {
	return strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+indent)
}

// writeJSON writes a value as one indented JSON document.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// inLine returns a text without the ends of lines: a name must not look like lines of its own.
func inLine(text string) string { return strings.ReplaceAll(text, "\n", `\n`) }
