// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/dragoman-io/dragoman/engine/internal/cel/check"
	"github.com/dragoman-io/dragoman/engine/internal/cel/parse"
	"github.com/dragoman-io/dragoman/engine/script"
)

const (
	// paramsVariable holds the parameters of the bundle, nowVariable the time.
	paramsVariable = "params"
	nowVariable    = "now"

	// maxNesting bounds how deep an expression nests, maxNodes how many nodes its
	// tree has once macros are expanded, and maxSteps what its types take to check.
	// Together with the length of the source they bound what a compilation takes; see
	// BenchmarkForms.
	maxNesting = 128
	maxNodes   = 7_000
	maxSteps   = 150_000
	// maxPrecision bounds the digits after the point in format.
	maxPrecision = 100
	// maxRange bounds lists.range; gas and memory bound it lower.
	maxRange = 1 << 20
)

// Compiler compiles expressions. Create it once: its environment takes longer
// to create than an expression. It is safe for many goroutines.
type Compiler struct {
	base      *cel.Env
	parser    *parse.Parser
	names     *check.Env
	overloads implementations
	functions map[string]Function

	mu sync.Mutex
	// scopes are the environments by their variables.
	scopes map[string]scope
}

// scope is what expressions with the same variables are checked and planned in.
type scope struct {
	env   *cel.Env
	names *check.Env
}

// New creates a compiler whose expressions can call functions. The error names the
// one that is not well formed. New is safe for many goroutines; see doc.go for the
// state of cel-go that it changes.
func New(functions []Function) (*Compiler, error) {
	c := &Compiler{overloads: implementations{}, functions: map[string]Function{}, scopes: map[string]scope{}}
	options := libraries()
	for _, f := range functions {
		declaration, err := f.declare()
		if err != nil {
			return nil, err
		}
		options = append(options, declaration)
		c.functions[functionPrefix+f.Name] = f
	}
	var err error
	if c.base, err = cel.NewEnv(options...); err != nil {
		return nil, fmt.Errorf("make the environment: %w", err)
	}
	c.parser = parse.New(c.base.Macros(), maxNesting, maxNodes)
	c.names = check.NewEnv(c.base)
	for name, f := range c.base.Functions() {
		bindings, err := f.Bindings()
		if err != nil {
			return nil, fmt.Errorf("bind function %s: %w", name, err)
		}
		for _, b := range bindings {
			c.overloads[b.Operator] = b
		}
		if _, ours := c.functions[name]; !ours && !priced(name) {
			return nil, fmt.Errorf("function %s has no price", name)
		}
	}
	nameSharedErrors(c.overloads)
	return c, nil
}

// libraries lists what every expression can use.
func libraries() []cel.EnvOption {
	return []cel.EnvOption{
		cel.Variable(paramsVariable, cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable(nowVariable, cel.TimestampType),
		cel.OptionalTypes(),
		cel.CrossTypeNumericComparisons(true),
		cel.DefaultUTCTimeZone(true),
		cel.EagerlyValidateDeclarations(true),
		ext.Bindings(), ext.Sets(), ext.Math(), ext.TwoVarComprehensions(),
		ext.Lists(ext.ListsMaxRangeSize(maxRange)),
		ext.Strings(ext.StringsMaxPrecision(maxPrecision)),
		library.URLs(), library.Regex(), library.Lists(), library.Quantity(), library.SemverLib(),
		library.Format(), library.IP(), library.CIDR(),
	}
}

// nameSharedErrors sets the id of the errors that cel-go shares between all programs.
// Otherwise the first node that fails with one would write its own id into it: a data race,
// and a wrong position for all others. It writes once in the life of the process, so that
// compilers can be created by many goroutines.
func nameSharedErrors(overloads implementations) {
	sharedErrors.Do(func() {
		types.LabelErrNode(noNode, types.NoSuchOverloadErr())
		types.LabelErrNode(noNode, types.Int(math.MaxInt64).ConvertToType(types.TimestampType))
		if abs := overloads["math_abs_int"]; abs != nil {
			types.LabelErrNode(noNode, abs.Unary(types.Int(math.MinInt64)))
		}
	})
}

// sharedErrors is done once nameSharedErrors was called.
var sharedErrors sync.Once

// noNode is the id of no node.
const noNode = -1

// Compile makes a program of one expression. file names the expression in
// messages. variables are the arguments, by the names of Call.Names. Of limits only
// Source counts here; a zero field takes the default.
//
// The program is immutable, and safe for many goroutines. An error is a
// *script.Error of code Syntax with the line and column of the first fault; its
// message lists them all.
func (c *Compiler) Compile(file, source string, variables []Variable, limits script.Limits) (script.Program, error) {
	return c.CompileSource(Source{File: file, Text: source, Variables: variables}, limits)
}

// CompileSource is Compile for an expression with further rules.
func (c *Compiler) CompileSource(s Source, limits script.Limits) (result script.Program, err error) {
	file, source, variables := s.File, s.Text, s.Variables
	defer func() {
		if x := recover(); x != nil {
			result, err = nil, stopped(file, x)
		}
		if err != nil {
			err = script.Finish(err, script.Position{})
		}
	}()
	p := &program{file: file, source: source}
	if most := limits.Or(script.DefaultLimits()).Source; len(source) > most {
		return nil, p.syntax(0, 0, fmt.Sprintf("the script has %d bytes; at most %d are allowed", len(source), most))
	}
	in, err := c.scope(variables)
	if err != nil {
		return nil, p.syntax(0, 0, err.Error())
	}
	if s.Strict || s.Warn != nil {
		in.names = in.names.WithFields(paramsVariable, "parameter", s.Params)
		for _, f := range s.Fields {
			in.names = in.names.WithFields(f.Variable, f.What, f.Known)
		}
	}
	p.watch = watching(s)
	if err := c.check(in, p); err != nil && (s.Strict || s.Warn == nil) {
		return nil, err
	} else if err != nil {
		return c.warned(s, limits, err)
	}
	if err := c.refuse(s, p); err != nil {
		return nil, err
	}
	if t := p.tree.GetType(p.tree.Expr().ID()); s.Condition && !t.IsAssignableType(cel.BoolType) && t.Kind() != types.DynKind {
		return nil, p.syntaxAt(p.tree.Expr().ID(), fmt.Sprintf("a condition is true or false, and this is of type %s", t))
	}
	if err := c.plan(in.env, p); err != nil {
		return nil, err
	}
	return p, nil
}

// warned compiles an expression whose check failed without further rules, and warns of what
// they refuse.
func (c *Compiler) warned(s Source, limits script.Limits, refused error) (script.Program, error) {
	warn := s.Warn
	s.Warn = nil
	program, err := c.CompileSource(s, limits)
	if e, ok := errors.AsType[*script.Error](refused); err == nil && ok {
		warn(e)
	}
	return program, err
}

// refuse returns the mistakes of a strict expression, and warns of those of another.
func (c *Compiler) refuse(s Source, p *program) error {
	if !s.Strict && s.Warn == nil {
		return nil
	}
	faults := c.mistakes(p)
	if s.Strict && len(faults) > 0 {
		return p.typesOf(faults)
	}
	for _, f := range faults {
		e := p.syntaxAt(f.Node, f.Message)
		e.Rule = f.Rule
		s.Warn(e)
	}
	return nil
}

// check parses the source of p, and finds the types of its tree.
func (c *Compiler) check(in scope, p *program) error {
	parse := c.parser.Parse
	if p.watch != nil {
		parse = c.parser.ParseWithCalls
	}
	parsed, err := parse(p.source)
	if err != nil {
		return p.syntaxOf(err)
	}
	p.tree = parsed
	steps := maxSteps
	checked, faults := check.Check(parsed, in.names, &steps)
	if len(faults) > 0 {
		faults = c.unknownFunctions(faults)
		failure := p.typesOf(faults)
		failure.Message += variableHint(faults, in.names.Variables())
		return failure
	}
	p.tree = checked
	return p.validate(in.env)
}

// stopped returns the error of a compilation that panicked. cel-go computes
// constants beforehand, and does not check keys.
func stopped(file string, x any) error {
	e := script.Errorf(script.Internal, "the compilation stopped: %v", x)
	if what, ok := strings.CutPrefix(fmt.Sprint(x), unhashable); ok {
		e = script.Errorf(script.Syntax, "%s", badKey(what))
	}
	e.File = file
	return e
}

// scope returns the environment with some variables.
func (c *Compiler) scope(variables []Variable) (scope, error) {
	key := fmt.Sprint(variables)
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.scopes[key]; ok {
		return s, nil
	}
	options := make([]cel.EnvOption, 0, len(variables))
	for _, v := range variables {
		options = append(options, cel.Variable(v.Name, v.Type.declared()))
	}
	env, err := c.base.Extend(options...)
	if err != nil {
		return scope{}, fmt.Errorf("declare %s: %w", key, err)
	}
	s := scope{env, c.names.With(env.Variables())}
	c.scopes[key] = s
	return s, nil
}
