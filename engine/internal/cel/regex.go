// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"errors"

	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/dragoman-io/dragoman/engine/internal/pattern"
)

const (
	// maxPattern bounds the text of a regular expression that is not a constant.
	maxPattern = 1 << 10
	// patternBytes is the memory that a compiled expression takes for each instruction
	// and each unit of what it cost.
	patternBytes = 128
)

var (
	errLongPattern  = errors.New("the regular expression is too large")
	errManyPatterns = errors.New("the regular expressions of the script are too large together")
)

// matchers are the functions that take a regular expression.
var matchers = set(overloads.Matches, "find", "findAll")

// patterns are the constant regular expressions of a program while it is planned.
type patterns struct {
	compiled map[string]*pattern.Pattern
	// left is what the others may still cost.
	left int64
}

// compile compiles a constant expression, once for all of its places.
func (p *patterns) compile(source string) (*pattern.Pattern, error) {
	if known := p.compiled[source]; known != nil {
		return known, nil
	}
	compiled, err := pattern.Compile(source, func(units int64) error {
		if p.left -= units; p.left < 0 {
			return errManyPatterns
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.compiled[source] = compiled
	return compiled, nil
}

// matching is the work of matches, find and findAll.
func (c *call) matching(p *patterns) (work, error) {
	var constant *pattern.Pattern
	if k, ok := c.args[1].(interpreter.InterpretableConst); ok {
		if source, ok := k.Value().(types.String); ok {
			compiled, err := p.compile(string(source))
			if err != nil {
				return nil, err
			}
			constant = compiled
		}
	}
	return func(r *run, args []ref.Val) ref.Val {
		s, ok := args[0].(types.String)
		source, isPattern := args[1].(types.String)
		if !ok || !isPattern {
			return c.mismatch(args)
		}
		e := constant
		if e == nil {
			var err error
			if e, err = r.compilePattern(string(source)); err != nil {
				return types.WrapErr(err)
			}
		}
		return c.match(r, e, string(s), args)
	}, nil
}

// compilePattern compiles an expression that is known only now, and pays for that.
func (r *run) compilePattern(source string) (*pattern.Pattern, error) {
	if len(source) > maxPattern {
		return nil, errLongPattern
	}
	r.charge(1 + int64(len(source))/8) // it is read before anybody knows what it costs, or that it is refused
	return pattern.Compile(source, func(units int64) error {
		r.charge(units)
		r.allocate(product(units, patternBytes))
		return nil
	})
}

// match runs an expression over a string. Each byte can take a step in each
// instruction.
func (c *call) match(r *run, e *pattern.Pattern, s string, args []ref.Val) ref.Val {
	r.attempts(e, 1, len(s))
	switch c.function {
	case "find":
		return types.String(e.FindString(s))
	case "findAll":
		limit := len(s) + 1
		if len(args) == 3 {
			k, ok := args[2].(types.Int)
			if !ok {
				return c.mismatch(args)
			}
			if k >= 0 && int64(k) < int64(limit) {
				limit = int(k)
			}
		}
		return r.findAll(e, s, limit)
	}
	return types.Bool(e.MatchString(s))
}

// attempts pays for n searches of an expression in a rest of a text, each of which can
// look at all of it.
func (r *run) attempts(e *pattern.Pattern, n int64, rest int) {
	r.charge(product(n, product(int64(rest)+1, e.Instructions)) / 32)
}

// findAll returns the matches of an expression, at most a number of them. It looks for one,
// two, four and so on: after each match the search goes on with what is left of the text,
// so it must know how many there are to pay for the next.
func (r *run) findAll(e *pattern.Pattern, s string, limit int) ref.Val {
	var found [][]int
	for most := 1; limit > 0; most *= 2 {
		rest := len(s)
		if len(found) > 0 {
			rest -= found[len(found)-1][1]
		}
		most = min(most, limit)
		if most > 1 {
			r.attempts(e, int64(most-len(found)), rest)
			r.attempts(e, 1, len(s))
		}
		r.list(int64(2 * most))
		if found = e.FindAllStringIndex(s, most); len(found) < most || most == limit {
			break
		}
	}
	r.list(int64(2 * len(found)))
	texts := make([]string, len(found))
	for i, at := range found {
		texts[i] = s[at[0]:at[1]]
	}
	return types.NewStringList(types.DefaultTypeAdapter, texts)
}
