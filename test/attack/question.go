// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"time"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Form is how a script comes to the engine.
type Form string

const (
	// Published is the Lua of a ResourceInterpreterCustomization.
	Published Form = "published"
	// Expression is the CEL of a ResourceInterpreterCustomization.
	Expression Form = "CEL"
	// Bundle is a file of Lua in a bundle.
	Bundle Form = "bundle"
	// Shipped is no script: the bundles of the program answer, and the object alone is
	// the attack.
	Shipped Form = "shipped"
	// Folder is a bundle with its cases, as a whole; it is loaded and tried.
	Folder Form = "folder"
)

// Question is an attack with an operation, a form and arguments of its own.
type Question struct {
	Name string
	// Family is the list that the attack stands in, such as "Lua loops".
	Family string
	Form   Form
	// Operation is the name on the wire, such as InterpretHealth.
	Operation string
	// Source is the body of the function that answers the operation, or an expression.
	// It finds the arguments by the names of the parameters of the operation. Where
	// Whole is set, it is the whole script.
	Source string
	Whole  bool
	// Object makes the first argument; nil is an object that has nothing. It has the
	// field armed then: a script is tried on an object without it before it answers.
	Object func() map[string]any
	// Observed, Items and State make the second argument of the operations that have
	// such a one; nil is none.
	Observed func() map[string]any
	Items    func() []any
	State    func() map[string]string
	// Files makes the other files of the bundle, by their paths; nil is none.
	Files func() map[string]string
	// Compile reports whether the source itself is the attack: what is bounded is its
	// compilation.
	Compile bool
	// Want is the code of the error that ends it, or Harmless, Limited, Refused or
	// Bounded.
	Want script.Code
}

const (
	// Refused is the code of an attack that must not compile, or whose answer must not
	// be taken.
	Refused script.Code = "Syntax, Type or Result"
	// Bounded is that of one that may end in any way but for a defect of the engine, as
	// long as it stays within the bounds.
	Bounded script.Code = "any but Internal"
)

const (
	// MostCPU is how much processor time a run may take with all that belongs to it:
	// the arguments are converted, and the answer is read.
	MostCPU = 100 * time.Millisecond
	// MostItemCPU is what each status item adds to it: by default each adds 1,000 units of
	// gas, so this is 100 ns for a unit.
	MostItemCPU = 100 * time.Microsecond
	// MostCompileCPU and MostCompileGrowth bound the compilation of one script.
	MostCompileCPU    = 50 * time.Millisecond
	MostCompileGrowth = 16 << 20
	// MostFolderCPU bounds the load and the trial of a bundle.
	MostFolderCPU = 2 * time.Second
)

// CPU returns how much processor time the run may take.
func (q Question) CPU() time.Duration {
	if q.Items == nil {
		return MostCPU
	}
	return MostCPU + time.Duration(len(q.Items()))*MostItemCPU
}

// Growth returns how many bytes the attack may make a process grow.
func (q Question) Growth() int64 {
	if q.Compile {
		return MostCompileGrowth
	}
	return MostGrowth
}

// Expects reports whether the attack may end with an error of this code; "" is none.
func (q Question) Expects(code script.Code) bool {
	switch q.Want {
	case Refused:
		return code == script.Syntax || code == script.Type || code == script.Result
	case Bounded:
		return code != script.Internal
	case Harmless:
		return code == "" || code == script.Result // its answer may be no status
	}
	return Attack{Want: q.Want}.Expects(code)
}

// The operations by short names.
const (
	replica      = "InterpretReplica"
	component    = "InterpretComponent"
	revise       = "ReviseReplica"
	retain       = "Retain"
	status       = "InterpretStatus"
	aggregate    = "AggregateStatus"
	health       = "InterpretHealth"
	dependency   = "InterpretDependency"
	state        = "InterpretState"
	restore      = "RestoreState"
	prune        = "PruneTemplate"
	finished     = "InterpretFinished"
	returnObject = "return object"
)
