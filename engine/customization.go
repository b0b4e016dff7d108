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

// Customization compiles the scripts of a customization and runs each once on an
// empty object of its kind. It is all or nothing: with any error there is no rule,
// and the errors, each a *FieldError, name every field that is broken.
//
// A customization without any script is a rule set without rules.
//
// In messages of runs a script is called name/field.luaScript, such as
// nginx/healthInterpretation.luaScript.
func (c *Compiler) Customization(cr *configv1alpha1.ResourceInterpreterCustomization) (RuleSet, []error) {
	kind, errs := targetKind(cr.Spec.Target)
	rules := Rules{}
	scripts := maps.Collect(cr.Spec.Customizations.Scripts())
	for _, found := range operations {
		op := found.describe()
		if scripts[op.Field] == nil {
			continue
		}
		rule, err := c.customizedRule(cr.Name, op, scripts[op.Field], kind)
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

func targetKind(t configv1alpha1.CustomizationTarget) (schema.GroupVersionKind, []error) {
	var errs []error
	version, err := schema.ParseGroupVersion(t.APIVersion)
	if err == nil && version.Version == "" {
		err = errors.New("a customization must name the group and version of its target, such as apps/v1")
	}
	if err != nil {
		errs = append(errs, &FieldError{"spec.target.apiVersion", err})
	}
	if t.Kind == "" {
		errs = append(errs, &FieldError{"spec.target.kind", errors.New("a customization must name the kind of its target")})
	}
	return version.WithKind(t.Kind), errs
}

// customizedRule makes the rule of one field. The error is a *FieldError.
func (c *Compiler) customizedRule(name string, op *Operation, s *configv1alpha1.Script, kind schema.GroupVersionKind) (*Rule, error) {
	path := "spec.customizations." + op.Field
	rule := &Rule{Origin: "customization " + name, Customization: name}
	unit := Script{Operation: op.Name}
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
	if err := c.compileRule(rule, kind, unit); err != nil {
		return nil, &FieldError{path, err}
	}
	return rule, nil
}
