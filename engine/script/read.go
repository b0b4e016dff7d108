// SPDX-License-Identifier: Apache-2.0

package script

// AnyElement is the step of a path to an item of a list, or to the value of a key of a map that
// is not constant.
const AnyElement = "*"

// Read is a field below an argument that a script reads or writes, found without running it.
type Read struct {
	// Param is the index of the parameter of the operation, from 0.
	Param int
	// Path are the names of the fields from the argument down; a step may be AnyElement.
	Path []string
	// Line and Column are where it stands in the source, from 1; a column that is not known
	// is 0.
	Line, Column int
	// Use is what is done with the field. Each field is there once as Accessed, and once more
	// for each further use.
	Use Use
}

// Use is what a script does with a field.
type Use uint8

const (
	// Accessed is a field that is read or written.
	Accessed Use = iota
	// Indexed is one of which a field is read though nothing in the script tests whether it
	// is there.
	Indexed
	// IndexedAnswer is Indexed for what a function returns only where it is there.
	IndexedAnswer
	// Computed is a field that is an operand of arithmetic, or that is made a number for it.
	Computed
	// ComparedText and ComparedNumber are compared with a constant string or number.
	ComparedText
	ComparedNumber
	// Written is a field that is assigned, SetEmpty one that is assigned an empty table.
	Written
	SetEmpty
)
