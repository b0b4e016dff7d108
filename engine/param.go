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
	// DivisionParam is how replicas are divided among clusters, as a Division has it; nil
	// where they are not divided. A script need not have it.
	DivisionParam ParamKind = "division"
	// RelatedParam is a list of objects that are related to the object, as RelatedValues
	// makes it; empty where there are none. A script need not have it.
	RelatedParam ParamKind = "related"
	// FailoverParam is whether an object that is unhealthy is moved to another cluster. A
	// script need not have it.
	FailoverParam ParamKind = "failover"
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
	case RelatedParam:
		return "list of maps"
	case FailoverParam:
		return "boolean"
	}
	return "map"
}

// variableType returns what an expression knows of an argument before it runs.
func (k ParamKind) variableType() cel.VariableType {
	switch k {
	case ItemsParam, RelatedParam:
		return cel.List
	case CountParam:
		return cel.Int
	}
	return cel.Dyn
}

// IsOptional reports whether a script need not have the parameter, since scripts of the
// published form do not.
func (k ParamKind) IsOptional() bool {
	return k == DivisionParam || k == RelatedParam || k == FailoverParam
}

// bare returns the least argument: an object of a kind has nothing but its identity.
func (k ParamKind) bare(kind schema.GroupVersionKind) any {
	switch k {
	case ItemsParam, RelatedParam:
		return []any{}
	case FailoverParam:
		return false
	case CountParam:
		return int64(1)
	case StateParam:
		return map[string]any{}
	case DivisionParam:
		return nil
	}
	apiVersion, kindName := kind.ToAPIVersionAndKind()
	return map[string]any{
		"apiVersion": apiVersion,
		"kind":       kindName,
		"metadata":   map[string]any{"namespace": "smoke", "name": "smoke"},
	}
}
