// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine/internal/cel"
)

// Param is one parameter of an operation.
type Param struct {
	// Name is what expressions call it, and what the documents call it.
	Name string
	Kind ParamKind
}

// ParamKind is what the argument of a parameter is. Everything that treats arguments
// differently decides by it, and never by the name of a parameter.
type ParamKind string

const (
	// ObjectParam is the object that a request is about.
	ObjectParam ParamKind = "object"
	// ObservedParam is the same object as a member cluster has it; nil where the
	// cluster does not have it.
	ObservedParam ParamKind = "observed"
	// ItemsParam is a list of status items, as StatusItem makes them.
	ItemsParam ParamKind = "items"
	// CountParam is a number of replicas.
	CountParam ParamKind = "count"
	// StateParam is preserved state: a map of strings.
	StateParam ParamKind = "state"
)

// Type returns what an argument is, in the words that package builtin has for types.
func (k ParamKind) Type() string {
	switch k {
	case ItemsParam:
		return "list of status items"
	case CountParam:
		return "integer"
	case StateParam:
		return "map of strings"
	}
	return "map"
}

// variableType returns what an expression knows of an argument before it runs.
func (k ParamKind) variableType() cel.VariableType {
	switch k {
	case ItemsParam:
		return cel.List
	case CountParam:
		return cel.Int
	}
	return cel.Dyn
}

// bare returns the least argument: an object of a kind has nothing but its identity.
func (k ParamKind) bare(kind schema.GroupVersionKind) any {
	switch k {
	case ItemsParam:
		return []any{}
	case CountParam:
		return int64(1)
	case StateParam:
		return map[string]any{}
	}
	apiVersion, kindName := kind.ToAPIVersionAndKind()
	return map[string]any{
		"apiVersion": apiVersion,
		"kind":       kindName,
		"metadata":   map[string]any{"namespace": "smoke", "name": "smoke"},
	}
}
