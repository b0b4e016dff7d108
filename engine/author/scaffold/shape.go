// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"maps"
	"slices"
	"strings"
)

// maxDepth is how deep below the root of an object a shape is known.
const maxDepth = 12

// Types of shapes.
const (
	anyType     = ""
	objectType  = "object"
	listType    = "array"
	stringType  = "string"
	integerType = "integer"
	numberType  = "number"
	booleanType = "boolean"
)

// shape is what is known of a value: from a schema of OpenAPI, or from a value itself.
type shape struct {
	kind string
	// fields are those of an object by name; elements is the shape of the items of a list,
	// or of the values of a map whose keys are free.
	fields   map[string]*shape
	elements *shape
	// choices are the values that a string may have, in the order of the schema.
	choices  []string
	required []string
	// preset is the default, nil where there is none; least is the minimum of a number.
	preset any
	least  int64
}

// ofSchema returns the shape of a schema of a CRD.
func ofSchema(schema map[string]any, depth int) *shape {
	s := &shape{kind: text(schema, "type"), preset: schema["default"]}
	if whole, ok := schema["minimum"].(int64); ok {
		s.least = whole
	}
	if schema["x-kubernetes-int-or-string"] == true {
		s.kind = anyType
	}
	s.required = texts(schema["required"])
	s.choices = texts(schema["enum"])
	if depth == 0 {
		return s
	}
	if properties := object(schema, "properties"); properties != nil {
		s.fields = make(map[string]*shape, len(properties))
		for name := range properties {
			if name != "" { // no path leads to a field without a name
				s.fields[name] = ofSchema(object(properties, name), depth-1)
			}
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if elements := object(schema, key); elements != nil {
			s.elements = ofSchema(elements, depth-1)
		}
	}
	return s
}

// ofValue returns the shape of a value.
func ofValue(value any, depth int) *shape {
	switch v := value.(type) {
	case string:
		return &shape{kind: stringType}
	case bool:
		return &shape{kind: booleanType}
	case int64:
		return &shape{kind: integerType}
	case float64:
		return &shape{kind: numberType}
	case []any:
		s := &shape{kind: listType}
		if depth > 0 && len(v) > 0 {
			s.elements = ofValue(v[0], depth-1)
		}
		return s
	case map[string]any:
		s := &shape{kind: objectType, fields: make(map[string]*shape, len(v))}
		if depth > 0 {
			for name, field := range v {
				if name != "" {
					s.fields[name] = ofValue(field, depth-1)
				}
			}
		}
		return s
	}
	return &shape{}
}

// with adds to s what an object shows and its schema does not: fields below those whose schema
// leaves them open. It returns s.
func (s *shape) with(seen *shape) *shape {
	if s.kind == anyType {
		s.kind = seen.kind
	}
	if s.elements == nil {
		for name, field := range seen.fields {
			known := s.fields[name]
			switch {
			case known != nil:
				known.with(field)
			case s.fields == nil:
				s.fields = map[string]*shape{name: field}
			default:
				s.fields[name] = field
			}
		}
	}
	if s.elements == nil {
		s.elements = seen.elements
	} else if seen.elements != nil {
		s.elements.with(seen.elements)
	}
	return s
}

// at returns the shape below a path; nil where there is none.
func (s *shape) at(path ...string) *shape {
	for _, name := range path {
		if s == nil {
			return nil
		}
		if name == eachValue || name == eachItem {
			s = s.elements
		} else {
			s = s.fields[name]
		}
	}
	return s
}

// is reports whether s is there and of a type.
func (s *shape) is(kind string) bool { return s != nil && s.kind == kind }

// names returns the names of the fields, sorted.
func (s *shape) names() []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.fields))
}

// object returns the map under a key of a decoded document; nil where there is none.
func object(m map[string]any, key string) map[string]any {
	below, _ := m[key].(map[string]any)
	return below
}

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

// texts returns the strings of a list.
func texts(list any) []string {
	var all []string
	items, _ := list.([]any)
	for _, item := range items {
		if s, ok := item.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// dotted returns a path as people write it.
func dotted(path []string) string { return strings.Join(path, ".") }
