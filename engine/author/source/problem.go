// SPDX-License-Identifier: Apache-2.0

package source

import (
	"errors"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Problem is one thing that is wrong.
type Problem struct {
	File string `json:"file"`
	// Line is the line of the field, or if it is missing, that of the nearest field above
	// it; for a script, the line in the script. It starts at 1; 0 means the file as a
	// whole.
	Line int `json:"line"`
	// Column is that of a script, in bytes from 1; 0 where it is not known.
	Column int `json:"column,omitempty"`
	// Kind and Name are those of the object; "" where there is none.
	Kind string `json:"kind,omitempty"`
	Name string `json:"name,omitempty"`
	// Field is the path of the field within the object; "" for the object as a whole.
	Field string `json:"field,omitempty"`
	// Rule is the id of the rule that found it; "" for what no rule is about.
	Rule    string `json:"rule,omitempty"`
	Message string `json:"message"`
}

// String returns file:line:column: kind/name: field: message [rule], without the parts that are
// empty.
func (p Problem) String() string {
	text := p.File
	if p.Line > 0 {
		text = script.Position{File: text, Line: p.Line, Column: p.Column}.String()
	}
	if p.Kind != "" {
		text += ": " + p.Kind
	}
	if p.Name != "" {
		text += "/" + p.Name
	}
	if p.Field != "" {
		text += ": " + p.Field
	}
	if text += ": " + p.Message; p.Rule != "" {
		text += " [" + p.Rule + "]"
	}
	return text
}

// Text returns the message behind the field that it is about.
func (p Problem) Text() string {
	if p.Field == "" {
		return p.Message
	}
	return p.Field + ": " + p.Message
}

// ProblemOf returns an error as a problem at the place that it names. It is not placed where the error names none: then
// the problem has the message alone, and something could not be read. It looks at the error itself, not at those that
// it joins.
func ProblemOf(err error) (p Problem, placed bool) {
	var (
		place   *yamldoc.Error
		failure *script.Error
	)
	switch {
	case errors.As(err, &place):
		return Problem{File: place.File, Line: place.Line, Message: place.Message}, true
	case errors.As(err, &failure):
		return Problem{File: failure.File, Line: failure.Line, Column: failure.Column, Rule: failure.Rule, Message: failure.Message}, true
	}
	return Problem{Message: err.Error()}, false
}

// IsFinding reports whether an error is about the content of a script, a case, a bundle
// or a customization. Any other error, such as that of a missing file, kept the content
// from being read. It looks at the error itself, not at those that it joins.
func IsFinding(err error) bool {
	var (
		field *engine.FieldError
		more  yamldoc.More
	)
	_, placed := ProblemOf(err)
	return placed || errors.As(err, &more) || errors.As(err, &field)
}

// Flatten returns the errors that an error joins, none for nil.
func Flatten(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, Flatten(e)...)
	}
	return all
}
