// SPDX-License-Identifier: Apache-2.0

package schemapath

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Missing is a field that a schema does not have.
type Missing struct {
	// Path is the path of the field from the root of the object, joined with dots.
	Path string
	// Hint is the name of a field beside it that was probably meant, or "".
	Hint string
	// Within is the type of the value in which it would be; "object" if that has other
	// fields.
	Within string
}

// String returns what is missing, and what was probably meant.
func (m *Missing) String() string {
	switch {
	case m.Within != "" && m.Within != "object":
		return fmt.Sprintf("%s, because it is below a value of type %s", m.Path, m.Within)
	case m.Hint != "":
		return fmt.Sprintf("%s; did you mean %s?", m.Path, m.Hint)
	}
	return m.Path
}

// walk is a place on the way along a path.
type walk struct {
	schema *Schema // nil where anything may be
	path   string
}

// from starts a walk at the root of an object.
func (s *Schema) from() walk { return walk{schema: s} }

// kind returns the type of the values at a place; "" if it is not known, or if they may
// have several.
func (w walk) kind() string {
	if w.schema == nil {
		return ""
	}
	nodes, _ := w.schema.resolved()
	for _, n := range nodes {
		switch {
		case n.IntOrString || n.Open && n.Type == "":
			return ""
		case n.Type != "":
			return n.Type
		case len(n.Properties) > 0:
			return "object"
		}
	}
	return ""
}

// field steps to a field, or a key of a map.
func (w walk) field(name string) (walk, *Missing) {
	next := walk{path: strings.TrimPrefix(w.path+"."+name, ".")}
	if w.schema == nil {
		return next, nil
	}
	nodes, complete := w.schema.resolved()
	known := map[string]bool{}
	for _, n := range nodes {
		if property, ok := n.Properties[name]; ok {
			next.schema = &Schema{document: w.schema.document, node: property}
			return next, nil
		}
		if n.Values != nil {
			if !n.Values.Open {
				next.schema = &Schema{document: w.schema.document, node: &n.Values.node}
			}
			return next, nil
		}
		if n.Open || n.Embedded || n.IntOrString {
			return next, nil
		}
		for key := range n.Properties {
			known[key] = true
		}
	}
	within := w.kind()
	if !complete || within == "" || within == "object" && len(known) == 0 {
		return next, nil // an object of which nothing is known may have any field
	}
	hint := ""
	if within == "object" {
		hint = script.Nearest(name, slices.Sorted(maps.Keys(known)))
	}
	return next, &Missing{Path: next.path, Hint: hint, Within: within}
}

// item steps to the items of a list.
func (w walk) item(index string) (walk, *Missing) {
	next := walk{path: w.path + "[" + index + "]"}
	if w.schema == nil {
		return next, nil
	}
	nodes, _ := w.schema.resolved()
	for _, n := range nodes {
		if n.Items != nil {
			next.schema = &Schema{document: w.schema.document, node: n.Items}
			return next, nil
		}
	}
	if within := w.kind(); within != "" && within != "array" {
		return next, &Missing{Path: next.path, Within: within}
	}
	return next, nil
}

// anything steps to where anything may be.
func (w walk) anything() walk { return walk{path: w.path} }
