// SPDX-License-Identifier: Apache-2.0

package engine

import "slices"

// operations is the table of all operations, in the order of the documents. Whatever
// treats operations alike ranges over it; what sets one apart stands in its file.
//
// To add an operation, write its file (op_x.go: the constant, the operation, and the
// method of Snapshot), add its field to configv1alpha1.CustomizationRules, run make
// generate, and add it here.
var operations = table(
	replicaOp, componentOp, reviseOp, retainOp, statusOp,
	aggregateOp, healthOp, dependencyOp, stateOp, restoreOp, pruneOp, finishedOp,
)

// operationNames are the names of the operations, by index.
var operationNames = namesOf(operations)

// entry is an operation[In, Out] of any types.
type entry interface {
	// describe returns the description, which is not to be changed.
	describe() *Operation
	// place sets the index of the operation in the table.
	place(index int)
	// unites reports whether all rule sets of a layer answer together.
	unites() bool
	// evaluate answers a request.
	evaluate(v Snapshot, q Request) ([]any, error)
}

// table returns operations with their indexes set.
func table(all ...entry) []entry {
	for i, op := range all {
		op.place(i)
	}
	return all
}

func namesOf(all []entry) []Op {
	names := make([]Op, 0, len(all))
	for _, op := range all {
		names = append(names, op.describe().Name)
	}
	return names
}

// indexOf returns the index of an operation in the table, or -1.
func indexOf(op Op) int { return slices.Index(operationNames, op) }

// entryOf returns the entry of an operation.
func entryOf(op Op) (entry, error) {
	i := indexOf(op)
	if i < 0 {
		return nil, unknownOperation(string(op))
	}
	return operations[i], nil
}

// mustIndex returns the index of an operation that the caller's program names itself.
// One that does not exist is a bug of that program.
func mustIndex(op Op) int {
	i := indexOf(op)
	if i < 0 {
		panic("engine: " + unknownOperation(string(op)).Error())
	}
	return i
}
