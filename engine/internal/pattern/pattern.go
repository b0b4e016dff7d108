// SPDX-License-Identifier: Apache-2.0

// Package pattern compiles regular expressions in the syntax of Go that come from a
// script or a case. Parsing one can take a millisecond for a byte, since under (?i) each
// character of a range is looked up, and what is parsed can stand for millions of
// instructions. So the cost of an expression is measured in its text, before it is parsed,
// and one that is too large is refused.
package pattern

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
)

const (
	// MaxLength is how many bytes an expression can have.
	MaxLength = 4 << 10
	// MaxCost is the most that an expression can cost: about 5 ms.
	MaxCost = 20_000
	// maxInstructions bounds what an expression stands for, and instructionCost is what
	// an instruction costs once the expression is parsed.
	maxInstructions = 2000
	instructionCost = 3
)

var (
	errLong  = fmt.Errorf("the regular expression has more than %d bytes", MaxLength)
	errLarge = errors.New("the regular expression is too large")
	errWide  = errors.New("the regular expression has too many or too wide classes; under (?i) each character of a range counts")
)

// Pattern is a compiled regular expression.
type Pattern struct {
	*regexp.Regexp
	// Instructions is about how many its program has. A match takes a step for each of
	// them and each byte of a text, at most.
	Instructions int64
}

// Compile compiles an expression. It calls pay with what a step of it costs, in units of
// 0.25 us, before it takes that step; an error of pay ends it. A nil pay takes everything.
func Compile(source string, pay func(units int64) error) (*Pattern, error) {
	if pay == nil {
		pay = func(int64) error { return nil }
	}
	cost, err := Cost(source)
	if err != nil {
		return nil, err
	}
	if err := pay(cost); err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, err
	}
	n := instructions(tree)
	if n > maxInstructions {
		return nil, errLarge
	}
	if err := pay(instructionCost * n); err != nil {
		return nil, err
	}
	compiled, err := regexp.Compile(source)
	if err != nil {
		return nil, err
	}
	return &Pattern{Regexp: compiled, Instructions: n}, nil
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

// sum adds two amounts that are not negative, without overflow.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// product multiplies two amounts that are not negative, without overflow.
func product(a, b int64) int64 {
	if b != 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}
