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
	// Line is that of the source, from 1.
	Line int
}
