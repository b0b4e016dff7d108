// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"fmt"
	"io"
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Trace is what one run did, in the order in which it did.
type Trace struct {
	Steps []TraceStep `json:"steps"`
	// Left is how many lines and parts of expressions ran that are not among the steps.
	Left int `json:"left"`
}

// TraceStep is a line of a script that ran, or a part of an expression. A line that calls a function
// of the script comes once more after that where the call changed something.
type TraceStep struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"`
	// Depth is how many functions of the script were under way around it.
	Depth int `json:"depth"`
	// Source is the text of the line.
	Source string `json:"source"`
	// Expression is the part of an expression in CEL, else "".
	Expression string `json:"expression,omitempty"`
	// Changes are the variables and fields that changed, with their values as text, which is cut
	// where it is long.
	Changes []script.Change `json:"changes,omitempty"`
	// Printed are the lines that it printed.
	Printed []string `json:"printed,omitempty"`
	// Condition is true or false where the line asks for it.
	Condition string `json:"condition,omitempty"`
	// Value is what the line returns, or what the expression is, as text.
	Value string `json:"value,omitempty"`
}

// TraceOf returns what was recorded of a run.
func TraceOf(r *script.Recording) Trace {
	kept, left := r.Steps()
	texts := r.Texts()
	t := Trace{Steps: []TraceStep{}, Left: left}
	for i, s := range kept {
		t.Steps = append(t.Steps, TraceStep{
			File: s.File, Line: s.Line, Column: s.Column, Depth: s.Depth, Source: strings.TrimSpace(texts[i]),
			Expression: s.Expression, Changes: s.Changes, Printed: s.Printed, Condition: s.Condition, Value: s.Value,
		})
	}
	return t
}

// WriteText writes a line for each step, and below it what it changed, for people. The error is that of w.
func (t Trace) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, s := range t.Steps {
		b.WriteString(s.text() + "\n")
		for _, c := range s.Changes {
			fmt.Fprintf(&b, "      %s = %s\n", c.Name, c.Value)
		}
		for _, line := range s.Printed {
			fmt.Fprintf(&b, "      prints %s\n", line)
		}
	}
	if t.Left > 0 {
		fmt.Fprintf(&b, "… and %d more\n", t.Left)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// maxSource is how many characters of a line of a script are printed.
const maxSource = 100

// text returns the line of a step.
func (s TraceStep) text() string {
	at := script.Position{File: s.File, Line: s.Line, Column: s.Column}
	text := s.Expression
	if text == "" {
		text = cut(s.Source)
	}
	line := fmt.Sprintf("%s: %s%s", at, strings.Repeat("  ", s.Depth), text)
	if s.Condition != "" {
		line += "  -> " + s.Condition
	}
	if s.Value != "" {
		line += "  -> " + s.Value
	}
	return line
}

// cut returns the first characters of a line of a script.
func cut(source string) string {
	if text := []rune(source); len(text) > maxSource {
		return string(text[:maxSource]) + "…"
	}
	return source
}
