// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/dragoman-io/dragoman/engine/internal/cel/check"
	"github.com/dragoman-io/dragoman/engine/internal/cel/parse"
	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/script"
)

// maxIssues is how many faults a message lists.
const maxIssues = 5

// syntaxOf makes the error of a source that does not parse.
func (p *program) syntaxOf(err error) *script.Error {
	fault, ok := errors.AsType[*parse.Error](err)
	if !ok {
		return p.syntax(0, 0, err.Error())
	}
	line, column := position(p.source, fault.Offset)
	return p.syntax(line, column, diag.Clip(fault.Message))
}

// typesOf makes the error of an expression whose types do not fit. The first fault is the
// position; the message lists all.
func (p *program) typesOf(faults []check.Fault) *script.Error {
	first := p.at(faults[0].Node)
	messages := make([]string, 0, maxIssues)
	for i, f := range faults {
		if i == maxIssues {
			messages = append(messages, fmt.Sprintf("%d more", len(faults)-i))
			break
		}
		message := tidy(diag.Clip(f.Message))
		if at := p.at(f.Node); i > 0 && at.Line > 0 {
			message = fmt.Sprintf("%d:%d: %s", at.Line, at.Column, message)
		}
		messages = append(messages, message)
	}
	e := p.syntax(first.Line, first.Column, strings.Join(messages, "; "))
	e.Rule = faults[0].Rule
	return e
}

// validate looks at the format strings of p, if there are any.
func (p *program) validate(env *cel.Env) error {
	if !strings.Contains(p.source, "format") {
		return nil
	}
	errs := common.NewErrors(common.NewTextSource(p.source))
	issues := cel.NewIssuesWithSourceInfo(errs, p.tree.SourceInfo())
	for _, v := range env.Validators() {
		v.Validate(env, defaults{}, p.tree, issues)
	}
	faults := make([]check.Fault, 0, len(errs.GetErrors()))
	for _, e := range errs.GetErrors() {
		faults = append(faults, check.Fault{Node: e.ExprID, Message: e.Message})
	}
	if len(faults) > 0 {
		return p.typesOf(faults)
	}
	return nil
}

// defaults is the configuration of validators that have none.
type defaults struct{}

// GetOrDefault returns the default.
func (defaults) GetOrDefault(_ string, value any) any { return value }

// syntaxAt makes a syntax error at a node.
func (p *program) syntaxAt(id int64, message string) *script.Error {
	at := p.at(id)
	return p.syntax(at.Line, at.Column, message)
}

// syntax makes a syntax error at a place, 0 where it is not known.
func (p *program) syntax(line, column int, message string) *script.Error {
	return &script.Error{
		Code:     script.Syntax,
		Position: script.Position{File: p.file, Line: line, Column: column},
		Message:  diag.Clip(message),
		Snippet:  snippet(p.source, line, column),
	}
}

// planError makes the error of an expression that cannot be planned.
func (p *program) planError(err error) *script.Error {
	var (
		planned *planError
		failed  *types.Err
	)
	switch {
	case errors.As(err, &planned):
		return p.syntaxAt(planned.node, tidy(diag.Clip(planned.Error())))
	case errors.As(err, &failed):
		return p.syntaxAt(failed.NodeID(), tidy(diag.Clip(failed.Error())))
	}
	return p.syntaxAt(p.tree.Expr().ID(), tidy(diag.Clip(err.Error())))
}

// symbol returns the form in which an expression has a function.
func symbol(function string) string {
	switch function {
	case operators.Conditional:
		return "?:"
	case operators.Index:
		return "[]"
	case operators.OptIndex:
		return "[?]"
	case operators.OptSelect:
		return ".?"
	}
	if s, ok := operators.FindReverse(function); ok && s != "" {
		return s
	}
	return function
}

// rewrites turn messages of cel-go into ours.
var rewrites = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`^found no matching overload for ('.*') applied to '(.*)'`), "$1 does not take $2"},
	{regexp.MustCompile(`^no such attribute\(s\): `), "no such variable: "},
	{regexp.MustCompile(`^error parsing regexp: `), "regular expression: "},
	{regexp.MustCompile(`\n[^\n]*`), ""},
}

// mangled is the name of an operator in cel-go.
var mangled = regexp.MustCompile(`'([@_!\-][^']*)'`)

// tidy puts a message of cel-go into our words.
func tidy(message string) string {
	for _, r := range rewrites {
		message = r.pattern.ReplaceAllString(message, r.with)
	}
	return mangled.ReplaceAllStringFunc(message, func(quoted string) string {
		return "'" + symbol(quoted[1:len(quoted)-1]) + "'"
	})
}
