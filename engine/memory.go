// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"

	"github.com/dragoman-io/dragoman/engine/script"
)

// DefaultProgramMemory is the bound of Options.ProgramMemory by default, in bytes.
const DefaultProgramMemory = 256 << 20

// OverBudgetError reports a rule set whose programs do not fit into
// Options.ProgramMemory.
type OverBudgetError struct {
	// RuleSet is the name of the rule set.
	RuleSet string
	// Size is what its programs would add to Total, which is what those of all other rule
	// sets take. All are in bytes.
	Size, Total, Bound int64
}

// Error returns the rule set, what it needs, and what to do.
func (e *OverBudgetError) Error() string {
	return fmt.Sprintf("the programs of rule set %s take %s, and those of all others %s of at most %s: shorten or remove scripts, or raise the bound",
		e.RuleSet, mebibytes(e.Size), mebibytes(e.Total), mebibytes(e.Bound))
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// programMemory counts what the programs of rule sets keep in memory, each once however
// many rules it has.
type programMemory struct {
	bound, used int64
	// uses is how many rules have a program.
	uses map[script.Program]int
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
	return &OverBudgetError{RuleSet: after.Name, Size: size, Total: others, Bound: m.bound}
}

// add adds n uses of each program of a rule set.
func (m *programMemory) add(set *RuleSet, n int) {
	if set == nil {
		return
	}
	for _, rules := range set.Kinds {
		for _, rule := range rules {
			m.use(rule.Program, n)
		}
	}
}

// use adds n uses of a program, and counts its size as long as there is any.
func (m *programMemory) use(p script.Program, n int) {
	if p == nil {
		return
	}
	was := m.uses[p]
	switch now := was + n; {
	case now == 0:
		delete(m.uses, p)
		m.used -= p.Size()
	case was == 0:
		m.uses[p] = now
		m.used += p.Size()
	default:
		m.uses[p] = now
	}
}
