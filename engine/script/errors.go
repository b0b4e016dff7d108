// SPDX-License-Identifier: Apache-2.0

package script

import (
	"fmt"
	"strings"
)

// Code reports what kind of failure ended a run or a compilation. It is a metric
// label, so the set is closed.
type Code string

const (
	// Syntax: the source does not compile.
	Syntax Code = "Syntax"
	// Type: a value has a type that the operation on it does not take.
	Type Code = "Type"
	// User: the script called error or assert.
	User Code = "User"
	// Gas, Memory and Depth: the run met its limit. A script cannot catch these.
	Gas    Code = "Gas"
	Memory Code = "Memory"
	Depth  Code = "Depth"
	// Input: there are more status items than a run takes.
	Input Code = "Input"
	// Result: the script returned something that the operation cannot use.
	Result Code = "Result"
	// Pending: the script is not compiled yet. It is no failure of the script.
	Pending Code = "Pending"
	// Internal: a defect of the engine, contained.
	Internal Code = "Internal"
	// Deadline: the run did not end in time, which is a defect of the engine too, or was
	// refused because others before it did not.
	Deadline Code = "Deadline"
)

// Position is a place in the source of a script. Lines and columns start at 1;
// 0 means that it is not known.
type Position struct {
	// File names the source: a path within its bundle, or for a customization
	// its name and field.
	File   string
	Line   int
	Column int
}

// String returns file:line:column without the parts that are not known.
func (p Position) String() string {
	s := p.File
	if p.Line > 0 {
		s = fmt.Sprintf("%s:%d", s, p.Line)
		if p.Column > 0 {
			s = fmt.Sprintf("%s:%d", s, p.Column)
		}
	}
	return s
}

// Frame is one call that was under way when a run failed.
type Frame struct {
	Position
	Function string
}

// Error is the failure of a script: what, where, and how it came to be there.
type Error struct {
	Code Code
	Position
	// Rule is the id of the rule of a check that the source breaks, such as
	// undefined-global; "" for all else.
	Rule string
	// Message is lower case, without the position.
	Message string
	// Expression is the source form of what failed, such as o.status.jobs, or "".
	Expression string
	// Snippet shows the source line with a caret, or is "".
	Snippet string
	// Trace lists the calls under way, innermost first.
	Trace []Frame
	// Value is what the script raised where that is not a string, as JSON; "" where it
	// is large or has no such form.
	Value string
}

// Error returns position and message on one line.
func (e *Error) Error() string {
	where := e.Position.String()
	if where == "" {
		return e.Message
	}
	return where + ": " + e.Message
}

// Backtrace returns the calls under way, one a line, innermost first, or "".
func (e *Error) Backtrace() string {
	var b strings.Builder
	for _, f := range e.Trace {
		fmt.Fprintf(&b, "\t%s: in %s\n", f.Position, f.Function)
	}
	return b.String()
}

// Errorf makes an Error whose position the caller does not know.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
