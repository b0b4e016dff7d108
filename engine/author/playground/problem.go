// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"errors"
	"path"
	"strings"

	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Where is the text that a problem is in.
type Where string

// The texts of an Input.
const (
	InObject    Where = "object"
	InArguments Where = "arguments"
	InScript    Where = "script"
)

// The names of the texts in messages.
const (
	objectFile    = "object.yaml"
	argumentsFile = "arguments.yaml"
)

// Problem is something that is wrong, and its place.
type Problem struct {
	// Where is the text it is in, "" for none of them. A file of the bundle that is given is a
	// script too.
	Where Where `json:"where,omitempty"`
	// File is the name of the text. Line and Column, in bytes, start at 1; 0 where they are not
	// known.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Start and End are the part of the line to be marked, in UTF-16 code units from 0.
	Start int `json:"start,omitempty"`
	End   int `json:"end,omitempty"`
	// Code is that of a script.Error, or "".
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
	// Backtrace has the calls that were under way, one a line; "" for none.
	Backtrace string `json:"backtrace,omitempty"`
	// Operation was asked when the problem came up; "" where none was.
	Operation string `json:"operation,omitempty"`
}

// texts are the texts of an input by the names that errors have for them.
type texts struct {
	Input
	// scripts are the script and the files of its bundle that are given.
	scripts map[string]string
}

// textsOf returns the texts of an input whose script has a name.
func textsOf(in Input, name string) texts {
	t := texts{Input: in, scripts: map[string]string{name: in.Script}}
	for file, text := range in.Files {
		t.scripts[path.Join(in.Bundle, file)] = text
	}
	return t
}

// has reports whether a file is a script of the input.
func (t texts) has(file string) bool {
	_, has := t.scripts[file]
	return has
}

// problems returns the problems that an error joins.
func (t texts) problems(err error) []Problem {
	var all []Problem
	for _, e := range source.Flatten(err) {
		all = append(all, t.problem(e))
	}
	return all
}

// problem returns an error as a problem.
func (t texts) problem(err error) Problem {
	var (
		failure *script.Error
		place   *yamldoc.Error
	)
	switch {
	case errors.As(err, &failure):
		return t.failure(failure)
	case errors.As(err, &place):
		return t.marked(Problem{File: place.File, Line: place.Line, Message: place.Message}, "")
	}
	return Problem{Message: err.Error()}
}

// failure returns the error of a script as a problem. One in another file of the bundle is at the
// innermost call that led there from the text, if there is one.
func (t texts) failure(e *script.Error) Problem {
	p := Problem{
		File: e.File, Line: e.Line, Column: e.Column,
		Code: string(e.Code), Message: e.Message, Backtrace: strings.TrimRight(e.Backtrace(), "\n"),
	}
	if t.has(e.File) {
		return t.marked(p, e.Expression)
	}
	for _, call := range e.Trace {
		if t.has(call.File) {
			p.File, p.Line, p.Column, p.Message = call.File, call.Line, call.Column, e.Error()
			return t.marked(p, "")
		}
	}
	return p
}

// marked returns a problem with the text that it is in, and the part of the line to be marked: an
// expression, if it stands there, or a word, or the whole line where the column is not known.
func (t texts) marked(p Problem, expression string) Problem {
	var text string
	switch {
	case p.File == objectFile:
		p.Where, text = InObject, t.Object
	case p.File == argumentsFile:
		p.Where, text = InArguments, t.Arguments
	case t.has(p.File):
		p.Where, text = InScript, t.scripts[p.File]
	default:
		return p
	}
	lines := strings.Split(text, "\n")
	p.Line = min(max(p.Line, 1), len(lines))
	p.Start, p.End = diag.Span(lines[p.Line-1], p.Column, expression)
	return p
}
