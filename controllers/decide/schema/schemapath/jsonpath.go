// SPDX-License-Identifier: Apache-2.0

package schemapath

import (
	"fmt"
	"slices"

	"k8s.io/client-go/util/jsonpath"
)

// Template is a JSONPath template: text, and paths in braces.
type Template struct{ root *jsonpath.ListNode }

// ParseTemplate parses a template.
func ParseTemplate(text string) (Template, error) {
	p, err := jsonpath.Parse("path", text)
	if err != nil {
		return Template{}, fmt.Errorf("is not a JSONPath: %w", err)
	}
	return Template{root: p.Root}, nil
}

// HasPath reports whether the template has a path. One without is a text that is the same
// for every object.
func (t Template) HasPath() bool {
	return slices.ContainsFunc(t.root.Nodes, func(n jsonpath.Node) bool { return n.Type() == jsonpath.NodeList })
}

// Template returns the first field of a template's paths that no object of the schema
// has, or nil. The paths start at the field root of the object; the fields in also may be
// there beside those of the schema.
func (s *Schema) Template(t Template, root string, also ...string) *Missing {
	start, missing := s.from().field(root)
	if missing != nil {
		return missing
	}
	for _, n := range t.root.Nodes {
		list, ok := n.(*jsonpath.ListNode)
		if !ok || startsWith(list, also) {
			continue
		}
		if _, missing := follow(start, list); missing != nil {
			return missing
		}
	}
	return nil
}

// startsWith reports whether a path starts with one of some fields.
func startsWith(list *jsonpath.ListNode, fields []string) bool {
	for _, n := range list.Nodes {
		if f, ok := n.(*jsonpath.FieldNode); ok && f.Value != "" {
			return slices.Contains(fields, f.Value)
		}
	}
	return false
}

// follow steps along the nodes of a path. Behind what selects by a condition or in depth
// anything may be.
func follow(at walk, list *jsonpath.ListNode) (walk, *Missing) {
	for _, n := range list.Nodes {
		var missing *Missing
		switch n := n.(type) {
		case *jsonpath.FieldNode:
			if n.Value == "" {
				continue
			}
			at, missing = at.field(n.Value)
		case *jsonpath.ArrayNode:
			at, missing = at.item("*")
		case *jsonpath.FilterNode:
			at, missing = at.item("?")
		case *jsonpath.ListNode:
			at, missing = follow(at, n)
		default:
			at = at.anything()
		}
		if missing != nil {
			return at, missing
		}
	}
	return at, nil
}
