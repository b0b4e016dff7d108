// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"reflect"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine/script"
)

// DefaultProgramMemory is the bound of Options.ProgramMemory by default, in bytes.
const DefaultProgramMemory = 256 << 20

// OverBudgetError reports a rule set whose programs do not fit into
// Options.ProgramMemory.
type OverBudgetError struct {
	// RuleSet is the name of the rule set.
	RuleSet string
	// Size is what its programs would add at most to Total, which is what those of all
	// other rule sets take. Replaced is what those of the rule set of its name take now.
	// All are in bytes.
	Size, Total, Replaced, Bound int64
}

// Error returns the rule set, what it needs, and what to do.
func (e *OverBudgetError) Error() string {
	return fmt.Sprintf("the programs of rule set %s take up to %s, and those of all others %s of at most %s: shorten or remove scripts, or raise the bound",
		e.RuleSet, mebibytes(e.Size), mebibytes(e.Total), mebibytes(e.Bound))
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// maxProgramBytes is the most that a byte of source takes in memory once it is compiled, in
// any language, beside the leastProgramBytes of each program.
const (
	maxProgramBytes   = 140
	leastProgramBytes = 8 << 10
)

// MaxProgramMemory returns how many bytes the programs of a customization keep in memory,
// at most, once it is compiled. A script that is too long to be compiled does not count.
func (c *Compiler) MaxProgramMemory(cr *configv1alpha1.ResourceInterpreterCustomization) int64 {
	longest, most := c.limits(script.Limits{}).Source, int64(0)
	for _, s := range cr.Spec.Customizations.Scripts() {
		if s == nil {
			continue
		}
		if n := len(s.LuaScript) + len(s.CELExpression); n <= longest {
			most += leastProgramBytes + int64(n)*maxProgramBytes
		}
	}
	return most
}

// programMemory counts what the programs of rule sets keep in memory, each once however
// many rules it has.
type programMemory struct {
	bound, used int64
	// uses is how many rules have a part of a program, by its key.
	uses map[any]int
}

// replace counts a rule set in place of another; either may be nil. With an error, an
// *OverBudgetError, nothing has changed.
func (m *programMemory) replace(before, after *RuleSet) error {
	last := m.used
	m.add(before, -1)
	others := m.used
	m.add(after, +1)
	if m.used <= m.bound || m.used <= last {
		return nil
	}
	size := m.used - others
	m.add(after, -1)
	m.add(before, +1)
	return &OverBudgetError{RuleSet: after.Name, Size: size, Total: others, Replaced: last - others, Bound: m.bound}
}

// fits returns the error of a rule set of so many bytes that would not fit in place of
// another, which may be nil.
func (m *programMemory) fits(before *RuleSet, name string, size int64) error {
	last := m.used
	m.add(before, -1)
	others := m.used
	m.add(before, +1)
	if others+size <= m.bound || others+size <= last {
		return nil
	}
	return &OverBudgetError{RuleSet: name, Size: size, Total: others, Replaced: last - others, Bound: m.bound}
}

// add adds n uses of each program of a rule set.
func (m *programMemory) add(set *RuleSet, n int) {
	if set == nil {
		return
	}
	for _, rules := range set.Kinds {
		for _, rule := range rules {
			m.use(rule, n)
		}
	}
}

// use adds n uses of what the program of a rule keeps, and counts the size of each part as
// long as there is any. A program of a type that cannot be compared counts for each rule.
func (m *programMemory) use(rule *Rule, n int) {
	if !reflect.TypeOf(rule.Program).Comparable() {
		m.usePart(script.Part{Key: rule, Size: rule.Program.Size()}, n)
		return
	}
	for _, p := range script.Parts(rule.Program) {
		m.usePart(p, n)
	}
}

func (m *programMemory) usePart(p script.Part, n int) {
	was := m.uses[p.Key]
	switch now := was + n; {
	case now == 0:
		delete(m.uses, p.Key)
		m.used -= p.Size
	case was == 0:
		m.uses[p.Key] = now
		m.used += p.Size
	default:
		m.uses[p.Key] = now
	}
}
