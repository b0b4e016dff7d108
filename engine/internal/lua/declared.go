// SPDX-License-Identifier: Apache-2.0

package lua

import "github.com/yuin/gopher-lua/ast"

// declared is what a chunk that only declares leaves behind, which is the same in each run.
type declared struct {
	presets []preset
	// answer returns what the chunk returns; nil where it returns nothing.
	answer expression
	// cost is the gas of the chunk.
	cost int64
}

// preset is a global and the value that it has once the chunk ran.
type preset struct {
	slot  int
	value any
}

// preset notes that a statement sets a global to a value that all runs share. Those of
// functions do when they are called.
func (c *compiler) preset(slot int, value any) {
	if c.functions == 1 {
		c.presets = append(c.presets, preset{slot, value})
	}
}

// idle notes that the declaration of a local variable which no function uses leaves nothing
// behind: a constant, or the table that the chunk returns, which answerOf makes.
func (c *compiler) idle(v *variable, value ast.Expr) {
	_, isConstant := constant(value)
	if c.functions == 1 && (isConstant || c.tables[v] != nil && c.returned() == v) {
		c.idles++
	}
}

// returned returns the variable that the chunk returns, or nil.
func (c *compiler) returned() *variable {
	if c.last == nil || len(c.last.Exprs) == 0 {
		return nil
	}
	name, ok := c.last.Exprs[0].(*ast.IdentExpr)
	if !ok {
		return nil
	}
	return c.references[name].variable
}

// answerOf returns e, which the chunk returns, as an expression that needs no variables of
// its frame; nil where there is none.
func (c *compiler) answerOf(e ast.Expr, value expression) expression {
	if _, isLocal := c.plainLocal(e); !isLocal {
		return value
	}
	if x := c.tables[c.references[e.(*ast.IdentExpr)].variable]; x != nil {
		return x.table
	}
	return nil
}

// declaration returns what a chunk has declared, nil where it must run: it does more, or
// its lines are to be marked or recorded.
func (c *compiler) declaration(p *proto) *declared {
	steps := len(c.presets) + c.idles
	if c.last != nil && len(c.last.Exprs) > 0 {
		if c.answer == nil {
			return nil
		}
		steps++
	}
	if !c.declares || c.observed() || len(p.body.steps) != steps {
		return nil
	}
	return &declared{presets: c.presets, answer: c.answer, cost: p.body.cost}
}

// declare runs a chunk, or does at once what it declares where its costs are left; where
// they are not, it fails as it runs. It returns what the chunk returns.
func (vm *machine) declare(c *code, site *ast.FuncCallExpr) any {
	d := c.declared
	if d == nil || vm.gas < d.cost || vm.memory < tableBytes || vm.depth >= vm.limits.Depth {
		if site == nil {
			return vm.enter(c.main, vm.top, 0)
		}
		return vm.invoke(c.main, vm.top, 0, site)
	}
	vm.gas -= d.cost
	for i := range d.presets {
		vm.globals[d.presets[i].slot] = d.presets[i].value
	}
	if d.answer == nil {
		vm.count = 0
		return nil
	}
	vm.count = 1
	return d.answer(vm.frame)
}
