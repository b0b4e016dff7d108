// SPDX-License-Identifier: Apache-2.0

package cel

import "github.com/google/cel-go/cel"

// Variable is an argument of an expression.
type Variable struct {
	Name string
	Type VariableType
}

// VariableType is what the compiler knows of an argument.
type VariableType int

const (
	// Dyn is anything; its type is known only when the expression runs.
	Dyn VariableType = iota
	// List is a list of anything.
	List
	// Int is a whole number.
	Int
)

// declared returns the type in the form of cel-go.
func (t VariableType) declared() *cel.Type {
	switch t {
	case List:
		return cel.ListType(cel.DynType)
	case Int:
		return cel.IntType
	}
	return cel.DynType
}
