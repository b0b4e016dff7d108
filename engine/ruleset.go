// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// RuleSet is the rules of one customization, of one bundle, or of one call of Compile.
type RuleSet struct {
	// Name orders the rule sets of one layer, and names this one for replacement.
	Name string
	// Kinds holds the rules; it must not be changed once an interpreter has the rule set.
	Kinds map[schema.GroupVersionKind]Rules
}

// Rules are the rules of one rule set for one kind, by operation.
type Rules map[Op]*Rule

// validate returns what is wrong with a rule set that an interpreter refuses: rules for
// operations that do not exist, rules that are nil or have no program, rules for AnyKind in
// another layer than Embedded, and such for one of Demand.
func (s *RuleSet) validate(layer Layer) error {
	if _, any := s.Kinds[AnyKind]; any && layer != Embedded {
		return fmt.Errorf("rules of %s: only the bundles of this program answer for any kind; name the kinds", s.Name)
	}
	for kind, rules := range s.Kinds {
		for op, rule := range rules {
			_, err := entryOf(op)
			switch {
			case err != nil:
			case rule == nil || rule.Program == nil:
				err = fmt.Errorf("the rule for %s has no program", op)
			case kind == AnyKind && slices.Contains(Demand(), op):
				err = fmt.Errorf("no rule answers %s for any kind: not every kind has replicas that can be divided", op)
			}
			if err != nil {
				return fmt.Errorf("rules of %s for %s %s: %w", s.Name, kind.GroupVersion(), kind.Kind, err)
			}
		}
	}
	return nil
}

// Compile compiles scripts of one kind, one for each operation, and runs each once on an
// empty object of the kind, as Smoke does. It returns them as a rule set, ready for
// Interpreter.Set: the rules have name as their Origin, and the Limits, Params and
// Function of their scripts. A script without a File is called name/health.lua, or what
// else the File of its operation is, in messages.
//
// # Errors
//
// It is all or nothing: with any error there is no rule, and the error joins those of all
// scripts. That of a script that does not compile, or that meets a limit, is or wraps a
// *script.Error. An operation that does not exist, a second script for an operation, and
// a kind without version or name are errors too.
func (c *Compiler) Compile(name string, kind schema.GroupVersionKind, scripts ...Script) (RuleSet, error) {
	if kind.Version == "" || kind.Kind == "" {
		return RuleSet{}, fmt.Errorf("rules of %s: a kind must have a version and a name, got %q", name, kind)
	}
	rules := Rules{}
	var errs []error
	for _, s := range scripts {
		rule := &Rule{Origin: name, Function: s.Function, Limits: s.Limits, Params: s.Params}
		switch err := c.compileRule(rule, kind, s.named(name)); {
		case err != nil:
			errs = append(errs, err)
		case rules[s.Operation] != nil:
			errs = append(errs, fmt.Errorf("rules of %s: there are two scripts for %s", name, s.Operation))
		default:
			rules[s.Operation] = rule
		}
	}
	if len(errs) > 0 {
		return RuleSet{}, errors.Join(errs...)
	}
	return RuleSet{Name: name, Kinds: map[schema.GroupVersionKind]Rules{kind: rules}}, nil
}

// compileRule compiles a script, sets it as the program of a rule, and tries the rule.
func (c *Compiler) compileRule(rule *Rule, kind schema.GroupVersionKind, s Script) error {
	if s.Module != "" && s.Function == "" {
		return fmt.Errorf("%s: a module without a function answers no operation", s.File)
	}
	compile := c.Lua
	if s.Expression {
		compile = c.CEL
	}
	var err error
	if rule.Program, err = compile(s); err != nil {
		return err
	}
	rule.Expression = s.Expression
	return c.Smoke(kind, s.Operation, rule)
}

// named returns the script with a File, which by default is as in a bundle called name.
func (u Script) named(name string) Script {
	e, err := entryOf(u.Operation)
	if u.File != "" || err != nil {
		return u
	}
	ending := ".lua"
	if u.Expression {
		ending = ".cel"
	}
	u.File = path.Join(name, e.describe().File) + ending
	return u
}
