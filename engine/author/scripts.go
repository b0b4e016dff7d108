// SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// scripts adds what is wrong with the scripts of an object. A field that was refused already is
// skipped.
func (o *check) scripts(errs []error, refused field.ErrorList) {
	for _, err := range errs {
		var at *engine.FieldError
		if !errors.As(err, &at) {
			o.problem(o.node, "", err.Error())
			continue
		}
		below := func(e *field.Error) bool { return strings.HasPrefix(e.Field, at.Field) }
		if slices.ContainsFunc(refused, below) {
			continue
		}
		o.scriptProblem(at)
	}
}

// scriptProblem adds what is wrong with a script, with the place in the file where it is
// known.
func (o *check) scriptProblem(e *engine.FieldError) {
	at, message := o.inScript(e)
	p := source.Problem{File: at.File, Line: at.Line, Kind: o.object.GetKind(), Name: o.object.GetName(), Field: e.Field, Message: message}
	if failure, ok := errors.AsType[*script.Error](e.Err); ok {
		p.Rule = failure.Rule
		if place := o.placeInScript(e.Field, failure.Position); place.Column > 0 {
			p.Line, p.Column, p.Message = place.Line, place.Column, failure.Message
		}
	}
	o.findings.Problems = append(o.findings.Problems, p)
}

// placeInScript returns the place in the file of one in the script under a field.
func (o *check) placeInScript(field string, at script.Position) script.Position {
	n := o.node.At(field)
	text, _ := n.Value.(string)
	return yamldoc.NewTextPlaces(n.File, o.findings.texts[n.File], n.Line, field[strings.LastIndex(field, ".")+1:], text).Place(at)
}

// brokenFields returns the fields of errors.
func brokenFields(errs []error) []string {
	var fields []string
	for _, err := range errs {
		if e, ok := errors.AsType[*engine.FieldError](err); ok {
			fields = append(fields, e.Field)
		}
	}
	return fields
}

// inScript returns where an error of a script is in the file, and its message.
func (o *check) inScript(e *engine.FieldError) (at yamldoc.Node, message string) {
	at = o.node.At(e.Field)
	failure, ok := errors.AsType[*script.Error](e.Err)
	if !ok {
		return at, e.Err.Error()
	}
	message = failure.Message
	line, known := at.TextLine(failure.Line)
	if !known && failure.Line > 0 {
		message = fmt.Sprintf("line %d of the script: %s", failure.Line, message)
	}
	at.Line = line
	return at, message
}
