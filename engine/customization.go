// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine/script"
)

// FieldError is what is wrong with one field of a customization.
type FieldError struct {
	// Field is the path from the root of the object.
	Field string
	// Err is a *script.Error where the script is at fault; its position is within
	// the script.
	Err error
}

// Error returns the field, the line within its script, and the message.
func (e *FieldError) Error() string {
	var failure *script.Error
	if errors.As(e.Err, &failure) && failure.Line > 0 {
		return fmt.Sprintf("%s: line %d: %s", e.Field, failure.Line, failure.Message)
	}
	if failure != nil {
		return e.Field + ": " + failure.Message
	}
	return e.Field + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *FieldError) Unwrap() error { return e.Err }

// CustomizationSource is where the scripts of a customization come from, for tools that
// read it from a file.
type CustomizationSource struct {
	// Coverage counts the lines that run, as lines of each script; nil counts nothing.
	Coverage *script.Coverage
	// Recording is told what the scripts do as they run; nil records nothing.
	Recording *script.Recording
	// Place returns the place in the file for one in the script under a field, which is a
	// path from the root of the object. It is called for each position of each error; nil
	// keeps positions as they are.
	Place func(field string, at script.Position) script.Position
}

// Customization compiles the scripts of a customization and runs each once on an
// empty object of its kind. It is all or nothing: with any error there is no rule,
// and the errors, each a *FieldError, name every field that is broken.
//
// A customization without any script is a rule set without rules.
//
// In messages of runs a script is called name/field.luaScript, such as
// nginx/healthInterpretation.luaScript.
func (c *Compiler) Customization(cr *configv1alpha1.ResourceInterpreterCustomization) (RuleSet, []error) {
	return c.CustomizationFrom(cr, CustomizationSource{})
}

// CustomizationFrom is Customization for a customization that was read from a file.
func (c *Compiler) CustomizationFrom(cr *configv1alpha1.ResourceInterpreterCustomization, source CustomizationSource) (RuleSet, []error) {
	kind, errs := targetKind(cr.Spec.Target)
	if len(cr.Name) > maxObjectName {
		errs = append(errs, tooLong("metadata.name", cr.Name, maxObjectName))
		return RuleSet{}, errs
	}
	rules := Rules{}
	scripts := maps.Collect(cr.Spec.Customizations.Scripts())
	for _, found := range operations {
		op := found.describe()
		if scripts[op.Field] == nil {
			continue
		}
		rule, err := c.customizedRule(cr.Name, op, scripts[op.Field], customizedFor{kind, source})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		rules[op.Name] = rule
	}
	if len(errs) > 0 {
		return RuleSet{}, errs
	}
	return RuleSet{Name: cr.Name, Kinds: map[schema.GroupVersionKind]Rules{kind: rules}}, nil
}

// The longest names that an object, and the group, version and kind of a resource can
// have, in bytes.
const (
	maxObjectName = 253
	maxGroup      = 253
	maxVersion    = 63
	maxKind       = 63
)

// targetKind returns the kind that a customization is for, or what is wrong with it, as
// *FieldErrors. What it returns is short: it is part of messages and the label of metrics.
func targetKind(t configv1alpha1.CustomizationTarget) (schema.GroupVersionKind, []error) {
	var errs []error
	version, err := targetVersion(t.APIVersion)
	if err != nil {
		errs = append(errs, err)
	}
	switch {
	case t.Kind == "":
		errs = append(errs, &FieldError{"spec.target.kind", errors.New("a customization must name the kind of its target")})
	case len(t.Kind) > maxKind:
		errs = append(errs, tooLong("spec.target.kind", t.Kind, maxKind))
	}
	return version.WithKind(t.Kind), errs
}

// targetVersion returns the group and version of a target. The error is a *FieldError.
func targetVersion(apiVersion string) (schema.GroupVersion, error) {
	const field = "spec.target.apiVersion"
	if most := maxGroup + len("/") + maxVersion; len(apiVersion) > most {
		return schema.GroupVersion{}, tooLong(field, apiVersion, most)
	}
	version, err := schema.ParseGroupVersion(apiVersion)
	switch {
	case err != nil:
		return schema.GroupVersion{}, &FieldError{field, err}
	case version.Version == "":
		return schema.GroupVersion{}, &FieldError{field, errors.New("a customization must name the group and version of its target, such as apps/v1")}
	case len(version.Group) > maxGroup:
		return schema.GroupVersion{}, tooLong(field+": the group", version.Group, maxGroup)
	case len(version.Version) > maxVersion:
		return schema.GroupVersion{}, tooLong(field+": the version", version.Version, maxVersion)
	}
	return version, nil
}

// tooLong returns the error of a field whose value is longer than most bytes; it has no
// more of the value than its beginning.
func tooLong(field, value string, most int) error {
	return &FieldError{field, fmt.Errorf("%.40q... has %d bytes; at most %d are allowed", value, len(value), most)}
}

// customizedFor is what the rule of a script is for, and where the script comes from.
type customizedFor struct {
	kind   schema.GroupVersionKind
	source CustomizationSource
}

// customizedRule makes the rule of one field. The error is a *FieldError.
func (c *Compiler) customizedRule(name string, op *Operation, s *configv1alpha1.Script, of customizedFor) (*Rule, error) {
	path := "spec.customizations." + op.Field
	rule := &Rule{Origin: "customization " + name, Customization: name}
	unit := Script{Operation: op.Name, Coverage: of.source.Coverage, Recording: of.source.Recording}
	switch {
	case s.LuaScript != "" && s.CELExpression != "":
		return nil, &FieldError{path, errors.New("give luaScript or celExpression, not both")}
	case s.LuaScript != "":
		path += ".luaScript"
		rule.Compat = true
		unit.File, unit.Text = name+"/"+op.Field+".luaScript", s.LuaScript
	case s.CELExpression != "":
		path += ".celExpression"
		unit.Expression = true
		unit.File, unit.Text = name+"/"+op.Field+".celExpression", s.CELExpression
	default:
		return nil, &FieldError{path, errors.New("there is neither luaScript nor celExpression")}
	}
	if place := of.source.Place; place != nil {
		rule.Place = func(at script.Position) script.Position { return place(path, at) }
		if unit.Recording != nil {
			unit.Recording.Place(unit.File, rule.Place)
		}
	}
	if err := c.compileRule(rule, of.kind, unit); err != nil {
		return nil, &FieldError{path, rule.placed(err)}
	}
	return rule, nil
}
