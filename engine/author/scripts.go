// SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
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

// scriptProblem adds what is wrong with a script, with the line in the file where it is
// known.
func (o *check) scriptProblem(e *engine.FieldError) {
	text := o.node.At(e.Field)
	var failure *script.Error
	if !errors.As(e.Err, &failure) {
		o.problem(text, e.Field, e.Err.Error())
		return
	}
	message := failure.Message
	line, known := text.TextLine(failure.Line)
	if !known && failure.Line > 0 {
		message = fmt.Sprintf("line %d of the script: %s", failure.Line, message)
	}
	text.Line = line
	o.problem(text, e.Field, message)
}

// undefinedGlobals adds a warning for each global that a script of a customization reads and
// that nothing defines.
func (o *check) undefinedGlobals(cr *configv1alpha1.ResourceInterpreterCustomization) {
	for name, s := range cr.Spec.Customizations.Scripts() {
		if s == nil {
			continue
		}
		field := "spec.customizations." + name + ".luaScript"
		text := o.node.At(field)
		for _, e := range engine.UndefinedGlobals(s.LuaScript) {
			message := e.Message
			line, known := text.TextLine(e.Line)
			if !known && e.Line > 0 {
				message = fmt.Sprintf("line %d of the script: %s", e.Line, message)
			}
			o.findings.Warnings = append(o.findings.Warnings, Problem{
				File: text.File, Line: line, Kind: o.object.GetKind(), Name: o.object.GetName(), Field: field, Message: message,
			})
		}
	}
}
