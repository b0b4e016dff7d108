// SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// customizedScript is a script of a customization in a file.
type customizedScript struct {
	// name is that of the customization, set that of its rule set.
	name, set string
	kind      schema.GroupVersionKind
	op        engine.Operation
	// field is the path of the script.
	field string
	text  *yamldoc.TextPlaces
	// coverage counts the lines of the script; nil counts nothing.
	coverage *script.Coverage
}

// newCustomizedScript returns the script of a part of the customization at n, in a file of
// these lines.
func newCustomizedScript(n yamldoc.Node, part customizationPart, lines []string) *customizedScript {
	target := part.of.Spec.Target
	s := &customizedScript{
		name: part.of.Name, op: part.op, kind: schema.FromAPIVersionAndKind(target.APIVersion, target.Kind),
		field: "spec.customizations." + part.op.Field, text: yamldoc.NewTextPlaces(n.File, nil, n.Line, "", ""),
	}
	if part.op.Name == "" {
		return s
	}
	at := n.At(s.field)
	s.text.Line = at.Line
	for _, key := range []string{"luaScript", "celExpression"} {
		value, ok := at.Get(key).Value.(string)
		if !ok {
			continue
		}
		s.field += "." + key
		s.text = yamldoc.NewTextPlaces(n.File, lines, at.Get(key).Line, key, value)
		break
	}
	return s
}

// place returns the place in the file of one in the script.
func (s *customizedScript) place(_ string, at script.Position) script.Position {
	return s.text.Place(at)
}

// where returns file and line.
func (s *customizedScript) where() string { return fmt.Sprintf("%s:%d", s.text.File, s.text.Line) }

// customizationError is what is wrong with a customization, at a line of its file.
type customizationError struct {
	message string
	err     error
}

func (e *customizationError) Error() string { return e.message }
func (e *customizationError) Unwrap() error { return e.err }

// problem returns an error of the compiler with the line of the file.
func (s *customizedScript) problem(err error) error {
	var (
		field   *engine.FieldError
		failure *script.Error
	)
	where, message := s.where(), err.Error()
	if errors.As(err, &failure) && errors.As(err, &field) {
		where, message = failure.Position.String(), field.Field+": "+failure.Message
	}
	return &customizationError{fmt.Sprintf("%s: %s: %s", where, s.name, message), err}
}

// warnings returns what the script has that is probably not meant.
func (s *customizedScript) warnings(mistakes []*engine.FieldError) []source.Problem {
	var all []source.Problem
	for _, e := range mistakes {
		p := source.Problem{File: s.text.File, Line: s.text.Line, Kind: source.CustomizationKind().Kind, Name: s.name, Field: s.field, Message: e.Err.Error()}
		if failure, ok := errors.AsType[*script.Error](e.Err); ok {
			at := s.text.Place(failure.Position)
			p.File, p.Line, p.Column, p.Rule, p.Message = at.File, at.Line, at.Column, failure.Rule, failure.Message
		}
		all = append(all, p)
	}
	return all
}

// customizationSet are the customizations that answer the cases of a home.
type customizationSet struct {
	customizationReader
	// files are where the customizations of a name are.
	files map[string][]string
}

// where returns the files of the customizations that an origin names.
func (s *customizationSet) where(origin string) string {
	return "in " + strings.Join(s.files[strings.TrimPrefix(origin, "customization ")], " and ")
}

// readCustomizations compiles the customizations of files. Where a file is one by its name
// it must hold nothing else; any other may.
func (p *Plan) readCustomizations(files []string, named bool) *customizationSet {
	s := &customizationSet{files: map[string][]string{}}
	s.compiler, s.named, s.coverage = p.loader.Compiler, named, p.loader.Coverage != nil
	for _, file := range files {
		f, err := p.tree.File(file)
		if err == nil {
			err = s.read(f)
		}
		if err != nil {
			p.fail(err)
		}
	}
	for _, script := range s.scripts {
		if !slices.Contains(s.files[script.name], script.text.File) {
			s.files[script.name] = append(s.files[script.name], script.text.File)
		}
	}
	p.Warnings = append(p.Warnings, s.warnings...)
	if err := s.shadowed(); err != nil {
		p.fail(err)
	}
	return s
}

// shadowed returns an error for each script that never answers, because another one does.
func (s *customizationSet) shadowed() error {
	var problems yamldoc.Problems
	for _, a := range s.scripts {
		for _, b := range s.scripts {
			if a.kind == b.kind && a.op.Name == b.op.Name && a.set > b.set && a.op.Name != engine.InterpretDependency {
				problems.Add(&yamldoc.Error{File: a.text.File, Line: a.text.Line, Message: fmt.Sprintf(
					"the script of %s is never asked: %s answers %s for %s too, at %s, and comes before it by its name; keep one",
					a.name, b.name, a.op.Name, a.kind.Kind, b.where())})
				break
			}
		}
	}
	return problems.Err()
}

// gaps returns an error for each script that none of the cases asks.
func (s *customizationSet) gaps(all []*cases.Case) error {
	var problems yamldoc.Problems
	for _, one := range s.scripts {
		asks := func(c *cases.Case) bool { return c.Kind() == one.kind && c.Operation.Name == one.op.Name }
		if !slices.ContainsFunc(all, asks) {
			problems.Add(&yamldoc.Error{File: one.text.File, Line: one.text.Line, Message: fmt.Sprintf(
				"no case asks it: there is none of %s for %s %s", one.op.Name, one.kind.GroupVersion(), one.kind.Kind)})
		}
	}
	return problems.Err()
}

// reset forgets which lines ran.
func (s *customizationSet) reset() {
	if s == nil {
		return
	}
	for _, one := range s.scripts {
		one.coverage.Reset()
	}
}
