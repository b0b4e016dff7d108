// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"regexp"
	"regexp/syntax"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// maxInstructions bounds a regular expression, maxPattern its text where that is
// not a constant.
const (
	maxInstructions = 2000
	maxPattern      = 1 << 10
)

// expression is a compiled regular expression.
type expression struct {
	*regexp.Regexp
	// instructions is what its program has, about.
	instructions int64
}

// compileExpression compiles a regular expression that is not too large. It is
// measured before it is compiled: a few bytes can stand for millions of
// instructions.
func compileExpression(pattern string) (*expression, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	n := instructions(tree)
	if n > maxInstructions {
		return nil, errLargeExpression
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	return &expression{Regexp: compiled, instructions: n}, nil
}

// instructions bounds the length of the program of a regular expression.
func instructions(tree *syntax.Regexp) int64 {
	n := int64(2)
	if tree.Op == syntax.OpLiteral {
		n = int64(len(tree.Rune))
	}
	for _, sub := range tree.Sub {
		n = sum(n, instructions(sub)+1)
	}
	if tree.Op == syntax.OpRepeat {
		n = product(n, int64(max(tree.Min, tree.Max)+1))
	}
	return n
}

// matching is the work of matches, find and findAll.
func (c *call) matching() (work, error) {
	var constant *expression
	if k, ok := c.args[1].(interpreter.InterpretableConst); ok {
		if pattern, ok := k.Value().(types.String); ok {
			compiled, err := compileExpression(string(pattern))
			if err != nil {
				return nil, err
			}
			constant = compiled
		}
	}
	return func(r *run, args []ref.Val) ref.Val {
		s, ok := args[0].(types.String)
		pattern, isPattern := args[1].(types.String)
		if !ok || !isPattern {
			return c.mismatch(args)
		}
		e := constant
		if e == nil {
			var err error
			if e, err = r.compileExpression(string(pattern)); err != nil {
				return types.WrapErr(err)
			}
		}
		return c.match(r, e, string(s), args)
	}, nil
}

// compileExpression compiles an expression that is known only now, and pays for
// that.
func (r *run) compileExpression(pattern string) (*expression, error) {
	if len(pattern) > maxPattern {
		return nil, errLargeExpression
	}
	r.charge(16 + int64(len(pattern)))
	e, err := compileExpression(pattern)
	if err != nil {
		return nil, err
	}
	r.charge(e.instructions)
	r.allocate(e.instructions * 128)
	return e, nil
}

// match runs an expression over a string. Each byte can take a step in each
// instruction.
func (c *call) match(r *run, e *expression, s string, args []ref.Val) ref.Val {
	n := int64(len(s)) + 1
	r.charge(product(n, e.instructions) / 32)
	switch c.function {
	case "find":
		return types.String(e.FindString(s))
	case "findAll":
		limit := -1
		if len(args) == 3 {
			k, ok := args[2].(types.Int)
			if !ok {
				return c.mismatch(args)
			}
			limit = int(k)
			if k >= 0 {
				n = min(n, int64(k))
			}
		}
		r.list(2 * n)
		return types.NewStringList(types.DefaultTypeAdapter, e.FindAllString(s, limit))
	}
	return types.Bool(e.MatchString(s))
}
