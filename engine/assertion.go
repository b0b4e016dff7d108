// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"slices"
	"time"

	"github.com/dragoman-io/dragoman/engine/internal/cel"
	"github.com/dragoman-io/dragoman/engine/script"
)

// The variables of an assertion.
const (
	resultVariable = "result"
	inputVariable  = "input"
)

// AssertionSource is a condition in CEL before it is compiled.
type AssertionSource struct {
	// File names the expression in messages; its lines and columns are those of Text.
	File string
	Text string
	// Results and Inputs are the only fields of the variables result and input.
	Results, Inputs []string
	// Limits lower those of the compiler for this condition, as those of a Script.
	Limits script.Limits
}

// Assertion is a condition about the answer to a request: an expression in CEL over the
// variables result, input and now, with the functions that scripts have. It is immutable, and
// safe for many goroutines.
type Assertion struct {
	compiler *Compiler
	source   cel.Source
	limits   script.Limits
	program  script.Program
	reads    []string
}

// AssertionValues are what an assertion is about: plain values by the names of the fields.
type AssertionValues struct {
	Result, Input map[string]any
	Now           time.Time
}

// Assertion compiles a condition. The error is a *script.Error of code Syntax: the expression does
// not parse, its types do not fit, it names a field that there is not, cannot be true or false, or does
// not look at the result.
func (c *Compiler) Assertion(s AssertionSource) (*Assertion, error) {
	a := &Assertion{compiler: c, limits: c.limits(s.Limits), source: cel.Source{
		File: s.File, Text: s.Text, Strict: true, Condition: true,
		Variables: []cel.Variable{{Name: resultVariable}, {Name: inputVariable}},
		Fields: []cel.Fields{
			{Variable: resultVariable, What: "result", Known: s.Results},
			{Variable: inputVariable, What: "input", Known: s.Inputs},
		},
	}}
	var err error
	if a.program, err = c.cel.CompileSource(a.source, a.limits); err != nil {
		return nil, err
	}
	reads, whole := c.cel.Roots(s.Text, resultVariable)
	if a.reads = reads; whole {
		a.reads = s.Results
	}
	if len(a.reads) == 0 {
		return nil, &script.Error{
			Code: script.Syntax, Position: script.Position{File: s.File, Line: 1, Column: 1},
			Message: "the condition does not look at " + resultVariable + ", so that it checks nothing",
		}
	}
	return a, nil
}

// Results returns the names of the results that the condition looks at, sorted; all for one that takes
// the variable result as a whole.
func (a *Assertion) Results() []string { return a.reads }

// Size returns the bytes that the assertion keeps, at most.
func (a *Assertion) Size() int64 { return a.program.Size() }

// Holds reports whether the condition is true, and what finding out took. The error is a *script.Error:
// the expression cannot be evaluated, is neither true nor false, or met a limit.
func (a *Assertion) Holds(v AssertionValues) (bool, script.Usage, error) {
	return a.run(a.program, v)
}

// Explain evaluates the condition once more, and returns the parts of it with their values in the order
// in which they were evaluated, at most so many, each once, without the condition as a whole. It compiles the
// expression once more too.
func (a *Assertion) Explain(v AssertionValues, most int) ([]script.Step, script.Usage) {
	recording := script.NewRecording(manySteps)
	source := a.source
	source.Recording = recording
	program, err := a.compiler.cel.CompileSource(source, a.limits)
	if err != nil {
		return nil, script.Usage{}
	}
	_, usage, err := a.run(program, v)
	steps, left := recording.Steps()
	if err == nil && left == 0 && len(steps) > 0 {
		steps = steps[:len(steps)-1]
	}
	var parts []script.Step
	for _, s := range steps {
		known := slices.ContainsFunc(parts, func(p script.Step) bool { return p.Expression == s.Expression && p.Value == s.Value })
		if !known && len(parts) < most {
			parts = append(parts, s)
		}
	}
	return parts, usage
}

// manySteps is how many parts of a condition are looked at, those of each round of a loop counted.
const manySteps = 1000

func (a *Assertion) run(program script.Program, v AssertionValues) (holds bool, usage script.Usage, err error) {
	call := &script.Call{
		Names: []string{resultVariable, inputVariable}, Args: []any{v.Result, v.Input},
		Params: map[string]any{}, Now: v.Now, Limits: a.limits,
	}
	usage, err = program.Run(call, decoderFunc(func(results []any) error {
		is, isBoolean := results[0].(bool)
		if !isBoolean {
			return script.Errorf(script.Result, "a condition is true or false, and this is neither")
		}
		holds = is
		return nil
	}))
	if err != nil && !errors.As(err, new(*script.Error)) {
		err = script.Errorf(script.Internal, "%v", err)
	}
	return holds, usage, err
}
