// SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// customization checks the scripts of a customization that compile. The published form allows
// what the rules find, so that all of it are warnings.
func (l *linter) customization(f *Findings, o checked) {
	object, ok := o.object.(*configv1alpha1.ResourceInterpreterCustomization)
	if !ok {
		return
	}
	mistakes := l.compiler.Mistakes(object)
	kind := schema.FromAPIVersionAndKind(object.Spec.Target.APIVersion, object.Spec.Target.Kind)
	for _, op := range engine.Operations() {
		for _, language := range []string{"luaScript", "celExpression"} {
			field := "spec.customizations." + op.Field + "." + language
			n := o.node.At(field)
			text, isText := n.Value.(string)
			if !isText || n.Path != field || slices.Contains(o.broken, field) {
				continue
			}
			s := linted{text: text, expression: language == "celExpression", answers: []answer{{op: op, kinds: []schema.GroupVersionKind{kind}}}}
			if !s.expression {
				s.answers[0].entry = op.Entry
			}
			places := yamldoc.NewTextPlaces(n.File, f.texts[n.File], n.Line, language, text)
			for _, found := range l.script(s, mistakesIn(mistakes, field)...) {
				o.addLint(f, places.Place(found.Position), field, found)
			}
		}
	}
}

// mistakesIn returns the mistakes in one script as findings.
func mistakesIn(all []*engine.FieldError, field string) []lint.Finding {
	var found []lint.Finding
	for _, e := range all {
		if e.Field != field {
			continue
		}
		var failure *script.Error
		if errors.As(e.Err, &failure) {
			found = append(found, lint.Finding{Rule: failure.Rule, Position: failure.Position, Message: failure.Message})
		}
	}
	return found
}

// addLint adds a finding about a script of a customization, at a place of its file.
func (o *checked) addLint(f *Findings, at script.Position, field string, found lint.Finding) {
	if found.Field != "" {
		field = found.Field
	}
	p := source.Problem{
		File: at.File, Line: at.Line, Column: at.Column, Kind: o.kind, Name: o.name,
		Field: field, Rule: found.Rule, Message: diag.Clip(found.Message),
	}
	if found.Rule == lint.BadDirective {
		f.Problems = append(f.Problems, p)
		return
	}
	f.Warnings = append(f.Warnings, p)
}
