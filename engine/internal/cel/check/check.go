// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/dragoman-io/dragoman/engine/internal/lint"
)

// Fault is what is wrong with a node.
type Fault struct {
	Node    int64
	Message string
	// Rule is the id of the rule that the node breaks, or "".
	Rule string
}

// maxFaults is how many faults are kept.
const maxFaults = 100

// Check finds the types and overloads of a tree, and sets its names to their full form. It
// takes the steps that are left at most, and lowers them by what it took. The result is
// nil if there are faults, which come in the order of their places.
func Check(tree *ast.AST, env *Env, left *int) (checked *ast.AST, faults []Fault) {
	c := &checker{
		AST:     ast.NewCheckedAST(tree, map[int64]*types.Type{}, map[int64]*ast.ReferenceInfo{}),
		unifier: unifier{bound: map[*types.Type]*types.Type{}, steps: *left},
		factory: ast.NewExprFactory(),
		env:     env,
	}
	defer func() {
		*left = max(c.steps, 0)
		if x := recover(); x != nil {
			if _, ok := x.(tooManySteps); !ok {
				panic(x)
			}
			checked, faults = nil, []Fault{{Node: c.node, Message: "the expression has more types to check than one can have up to here; split it, or write it in Lua"}}
		}
	}()
	c.check(c.Expr())
	for id, t := range c.TypeMap() {
		c.SetType(id, c.resolve(t, true))
	}
	if len(c.faults) == 0 {
		return c.AST, nil
	}
	slices.SortStableFunc(c.faults, func(a, b Fault) int { return cmp.Compare(c.start(a), c.start(b)) })
	return nil, c.faults
}

// start returns where a fault begins.
func (c *checker) start(f Fault) int32 {
	at, _ := c.SourceInfo().GetOffsetRange(f.Node)
	return at.Start
}

// checker checks one tree.
type checker struct {
	*ast.AST
	unifier
	factory ast.ExprFactory
	env     *Env
	scope   *scope
	// node is the one that is being checked.
	node   int64
	faults []Fault
}

// fault records that something is wrong with a node.
func (c *checker) fault(e ast.Expr, format string, args ...any) {
	c.broken("", e, format, args...)
}

// broken is fault for a node that breaks a rule.
func (c *checker) broken(rule string, e ast.Expr, format string, args ...any) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, Fault{e.ID(), fmt.Sprintf(format, args...), rule})
	}
}

// show returns a type as messages have it.
func (c *checker) show(t *types.Type) string { return format(c.resolve(t, true)) }

// check sets the type of a node, and returns it.
func (c *checker) check(e ast.Expr) *types.Type {
	c.step()
	c.node = e.ID()
	var t *types.Type
	switch e.Kind() {
	case ast.LiteralKind:
		t = e.AsLiteral().Type().(*types.Type)
	case ast.IdentKind:
		t = c.ident(e)
	case ast.SelectKind:
		t = c.selection(e)
	case ast.CallKind:
		t = c.call(e)
	case ast.ListKind:
		t = c.list(e)
	case ast.MapKind:
		t = c.fields(e)
	case ast.ComprehensionKind:
		t = c.loop(e)
	default:
		t = types.ErrorType
		c.fault(e, "the node has no form")
	}
	c.node = e.ID()
	c.SetType(e.ID(), t)
	return t
}

func (c *checker) ident(e ast.Expr) *types.Type {
	name := e.AsIdent()
	local, hidden := c.scope.find(strings.TrimPrefix(name, "."))
	if hidden && !strings.HasPrefix(name, ".") {
		c.SetReference(e.ID(), ast.NewIdentReference(name, nil))
		return local
	}
	if v := c.env.global(name); v != nil {
		return c.named(e, v, hidden)
	}
	c.broken(lint.UndefinedGlobal, e, "undeclared reference to '%s'", name)
	return types.ErrorType
}

// named makes a node stand for a variable outside of loops. One that a variable of a loop
// hides begins with a dot.
func (c *checker) named(e ast.Expr, v *decls.VariableDecl, hidden bool) *types.Type {
	name := strings.TrimPrefix(v.Name(), ".")
	if hidden {
		name = "." + name
	}
	c.SetReference(e.ID(), ast.NewIdentReference(name, v.Value()))
	e.SetKindCase(c.factory.NewIdent(e.ID(), name))
	return v.Type()
}

func (c *checker) selection(e ast.Expr) *types.Type {
	s := e.AsSelect()
	if path := qualified(e); path != nil {
		first := strings.TrimPrefix(path[0], ".")
		_, hidden := c.scope.find(first)
		if !hidden || first != path[0] {
			if v := c.env.global(strings.Join(path, ".")); v != nil {
				return c.named(e, v, hidden)
			}
		}
	}
	t := c.field(e, s.Operand(), s.FieldName(), false)
	if s.IsTestOnly() {
		return types.BoolType
	}
	return c.resolve(t, false)
}

// maxQualified is the longest path that can name a type or a constant.
const maxQualified = 8

// qualified returns the parts of a path of names, nil for all that is longer than the name
// of a type, or is another form of node.
func qualified(e ast.Expr) []string {
	var path []string
	for e.Kind() == ast.SelectKind {
		s := e.AsSelect()
		if s.IsTestOnly() || len(path) == maxQualified {
			return nil
		}
		path = append(path, s.FieldName())
		e = s.Operand()
	}
	if e.Kind() != ast.IdentKind {
		return nil
	}
	path = append(path, e.AsIdent())
	slices.Reverse(path)
	return path
}

// field returns the type of a field of an operand, which it checks.
func (c *checker) field(e, operand ast.Expr, name string, isOptional bool) *types.Type {
	t, wasOptional := optional(c.resolve(c.check(operand), false))
	c.known(e, operand, name)
	result := types.DynType
	switch t.Kind() {
	case types.MapKind:
		result = t.Parameters()[1]
	case types.StructKind:
		result = types.ErrorType
		if f, ok := c.env.provider.FindStructFieldType(t.TypeName(), name); ok {
			result = f.Type
		} else {
			c.fault(e, "undefined field '%s'", name)
		}
	case types.TypeParamKind:
		c.assignable(types.DynType, t)
	default:
		if !isAny(t) {
			c.fault(e, "type '%s' does not support field selection", c.show(t))
		}
	}
	if wasOptional || isOptional {
		return types.NewOptionalType(result)
	}
	return result
}

func (c *checker) call(e ast.Expr) *types.Type {
	call := e.AsCall()
	if call.FunctionName() == operators.OptSelect {
		return c.optionalField(e, call)
	}
	for _, arg := range call.Args() {
		c.check(arg)
	}
	if !call.IsMemberFunction() {
		c.knownKey(e, call)
		return c.function(e, call.FunctionName(), call.Args())
	}
	if path := qualified(call.Target()); path != nil {
		name := strings.Join(path, ".") + "." + call.FunctionName()
		if overloads, _ := c.env.function(name); overloads != nil {
			return c.function(e, name, call.Args())
		}
	}
	c.check(call.Target())
	if overloads, _ := c.env.function(call.FunctionName()); overloads != nil {
		return c.choose(e, overloads, true, append([]ast.Expr{call.Target()}, call.Args()...))
	}
	c.broken(lint.UnknownFunction, e, "undeclared reference to '%s'", call.FunctionName())
	return types.ErrorType
}

// function returns the type of a call that has no target.
func (c *checker) function(e ast.Expr, name string, args []ast.Expr) *types.Type {
	overloads, full := c.env.function(name)
	if overloads == nil {
		c.broken(lint.UnknownFunction, e, "undeclared reference to '%s'", name)
		return types.ErrorType
	}
	e.SetKindCase(c.factory.NewCall(e.ID(), full, args...))
	return c.choose(e, overloads, false, args)
}

func (c *checker) optionalField(e ast.Expr, call ast.CallExpr) *types.Type {
	args := call.Args()
	if len(args) == 2 && !call.IsMemberFunction() && args[1].Kind() == ast.LiteralKind {
		if name, ok := args[1].AsLiteral().(types.String); ok {
			t := c.resolve(c.field(e, args[0], string(name), true), false)
			c.SetReference(e.ID(), ast.NewFunctionReference("select_optional_field"))
			return t
		}
	}
	c.fault(e, "unsupported optional field selection")
	return types.ErrorType
}

// choose finds the overloads that take arguments of the types of args, and returns the
// type of the result.
func (c *checker) choose(e ast.Expr, overloads []overload, member bool, args []ast.Expr) *types.Type {
	if f := e.AsCall().FunctionName(); f == operators.LogicalAnd || f == operators.LogicalOr {
		return c.logic(e, overloads[0].id, args)
	}
	given := make([]*types.Type, len(args))
	for i, arg := range args {
		given[i] = c.GetType(arg.ID())
	}
	var (
		result    *types.Type
		reference *ast.ReferenceInfo
	)
	for i := range overloads {
		o := &overloads[i]
		c.step()
		if o.member != member || len(o.args) != len(given) {
			continue
		}
		wanted, returned := c.instantiate(o)
		if !c.allAssignable(given, wanted) {
			continue
		}
		if reference == nil {
			reference = &ast.ReferenceInfo{}
		}
		reference.OverloadIDs = append(reference.OverloadIDs, o.id)
		returned = c.resolve(returned, false)
		if result == nil {
			result = returned
		} else if !isDyn(result) && !c.same(returned, result) {
			result = types.DynType
		}
	}
	if result == nil {
		c.mismatch(e, member, given)
		return types.ErrorType
	}
	c.SetReference(e.ID(), reference)
	return result
}

// logic returns the type of && and ||, whose operands are conditions one by one.
func (c *checker) logic(e ast.Expr, id string, args []ast.Expr) *types.Type {
	result := types.BoolType
	for _, arg := range args {
		if t := c.GetType(arg.ID()); !c.assignable(t, types.BoolType) {
			c.fault(arg, "expected type 'bool' but found '%s'", c.show(t))
			result = types.ErrorType
		}
	}
	if result == types.BoolType {
		c.SetReference(e.ID(), ast.NewFunctionReference(id))
	}
	return result
}

// instantiate returns the types of the arguments and the result of an overload, with new
// variables for its parameters.
func (c *checker) instantiate(o *overload) (args []*types.Type, result *types.Type) {
	if len(o.params) == 0 {
		return o.args, o.result
	}
	variables := make([]*types.Type, len(o.params))
	for i := range variables {
		variables[i] = c.variable()
	}
	args = make([]*types.Type, len(o.args))
	for i, t := range o.args {
		args[i] = c.instance(t, o.params, variables)
	}
	return args, c.instance(o.result, o.params, variables)
}

// mismatch records that no overload takes arguments of some types.
func (c *checker) mismatch(e ast.Expr, member bool, given []*types.Type) {
	for i, t := range given {
		given[i] = c.resolve(t, true)
	}
	target := ""
	if member {
		target, given = format(given[0])+".", given[1:]
	}
	c.fault(e, "found no matching overload for '%s' applied to '%s(%s)'", e.AsCall().FunctionName(), target, formatAll(given))
}

func (c *checker) list(e ast.Expr) *types.Type {
	l := e.AsList()
	var item *types.Type
	for i, element := range l.Elements() {
		t := c.check(element)
		if l.IsOptional(int32(i)) {
			t = c.unwrap(element, t)
		}
		item = c.joined(item, t)
	}
	if item == nil {
		item = c.variable()
	}
	return types.NewListType(item)
}

func (c *checker) fields(e ast.Expr) *types.Type {
	var key, value *types.Type
	for _, e := range e.AsMap().Entries() {
		entry := e.AsMapEntry()
		key = c.joined(key, c.check(entry.Key()))
		t := c.check(entry.Value())
		if entry.IsOptional() {
			t = c.unwrap(entry.Value(), t)
		}
		value = c.joined(value, t)
	}
	if key == nil {
		key, value = c.variable(), c.variable()
	}
	return types.NewMapType(key, value)
}

// unwrap returns what the optional value of an entry or item with a question mark holds.
func (c *checker) unwrap(e ast.Expr, t *types.Type) *types.Type {
	held, ok := optional(t)
	if !ok && !isDyn(t) {
		c.fault(e, "expected type '%s' but found '%s'", c.show(types.NewOptionalType(t)), c.show(t))
	}
	return held
}

// joined returns the type of what is of one type or of the other. A nil type is none.
func (c *checker) joined(t1, t2 *types.Type) *types.Type {
	switch {
	case t1 == nil:
		return t2
	case c.assignable(t1, t2):
		return c.general(t1, t2)
	}
	return types.DynType
}

func (c *checker) loop(e ast.Expr) *types.Type {
	l := e.AsComprehension()
	over := c.resolve(c.checked(l.IterRange(), l.AccuInit()), false)
	accu := c.GetType(l.AccuInit().ID())
	first, second := c.items(l, over)
	around := c.scope
	defer func() { c.scope = around }()
	outer := &scope{around, l.AccuVar(), accu}
	c.scope = &scope{outer, l.IterVar(), first}
	if l.HasIterVar2() {
		c.scope = &scope{c.scope, l.IterVar2(), second}
	}
	c.check(l.LoopCondition())
	c.want(l.LoopCondition(), types.BoolType)
	c.check(l.LoopStep())
	c.want(l.LoopStep(), accu)
	c.scope = outer
	return c.resolve(c.check(l.Result()), false)
}

// checked checks what a loop goes over and what it starts with, and returns the type of
// the first.
func (c *checker) checked(over, start ast.Expr) *types.Type {
	t := c.check(over)
	c.check(start)
	return t
}

// items returns the types of the variables of a loop.
func (c *checker) items(l ast.ComprehensionExpr, over *types.Type) (first, second *types.Type) {
	switch over.Kind() {
	case types.ListKind:
		if l.HasIterVar2() {
			return types.IntType, over.Parameters()[0]
		}
		return over.Parameters()[0], nil
	case types.MapKind:
		return over.Parameters()[0], over.Parameters()[1]
	case types.DynKind, types.ErrorKind, types.TypeParamKind:
		c.assignable(types.DynType, over)
		return types.DynType, types.DynType
	}
	c.fault(l.IterRange(), "expression of type '%s' cannot be range of a comprehension (must be list, map, or dynamic)", c.show(over))
	return types.ErrorType, types.ErrorType
}

// want records a fault where a node is not of a type.
func (c *checker) want(e ast.Expr, t *types.Type) {
	if !c.assignable(t, c.GetType(e.ID())) {
		c.fault(e, "expected type '%s' but found '%s'", c.show(t), c.show(c.GetType(e.ID())))
	}
}
