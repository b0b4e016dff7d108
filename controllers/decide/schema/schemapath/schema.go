// SPDX-License-Identifier: Apache-2.0

// Package schemapath answers whether the objects of a kind can have a field at a path.
//
// In go the schema of the kind, as OpenAPI or from its CRD, and a path: a JSON pointer, or
// a JSONPath template. Out comes what the schema does not have, with the name that was
// probably meant. The package refuses to know objects and where schemas come from.
package schemapath

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Schema is what is known of the values at one place of an object. It is not changed
// after construction, and safe for many goroutines.
type Schema struct {
	document *Document
	node     *node
}

// Document holds the schemas of an OpenAPI v3 document by their names.
type Document struct{ schemas map[string]*node }

// node is the part of a schema that decides which fields a value may have.
type node struct {
	Ref         string           `json:"$ref"`
	Type        string           `json:"type"`
	Properties  map[string]*node `json:"properties"`
	Items       *node            `json:"items"`
	Values      *values          `json:"additionalProperties"`
	AllOf       []*node          `json:"allOf"`
	Open        bool             `json:"x-kubernetes-preserve-unknown-fields"`
	IntOrString bool             `json:"x-kubernetes-int-or-string"`
	Embedded    bool             `json:"x-kubernetes-embedded-resource"`
	Kinds       []kind           `json:"x-kubernetes-group-version-kind"`
}

type kind struct{ Group, Version, Kind string }

// values is the schema of the values of a map. It is a boolean where they may be anything.
type values struct{ node }

// UnmarshalJSON reads a schema or a boolean.
func (v *values) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "true", "null":
		v.Open = true
		return nil
	case "false":
		return nil
	}
	return json.Unmarshal(text, &v.node)
}

// Read reads an OpenAPI v3 document, as an API server serves it for a group and version.
func Read(text []byte) (*Document, error) {
	var d struct {
		Components struct {
			Schemas map[string]*node `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("read an OpenAPI document: %w", err)
	}
	return &Document{schemas: d.Components.Schemas}, nil
}

// Kind returns the schema of the objects of a kind; nil if the document has none.
func (d *Document) Kind(k schema.GroupVersionKind) *Schema {
	for _, n := range d.schemas {
		for _, known := range n.Kinds {
			if known == (kind{k.Group, k.Version, k.Kind}) {
				return &Schema{document: d, node: n}
			}
		}
	}
	return nil
}

// OfDefinition returns the schema of a CRD's version: the JSON of its openAPIV3Schema. Its
// metadata, which CRDs do not describe, may have any field.
func OfDefinition(text []byte) (*Schema, error) {
	root := &node{}
	if err := json.Unmarshal(text, root); err != nil {
		return nil, fmt.Errorf("read the schema of a CRD: %w", err)
	}
	if root.Properties == nil {
		root.Properties = map[string]*node{}
	}
	for _, common := range []string{"apiVersion", "kind"} {
		root.Properties[common] = &node{Type: "string"}
	}
	root.Properties["metadata"] = &node{Type: "object", Open: true}
	return &Schema{document: &Document{}, node: root}, nil
}

// maxReferences bounds a chain of references, which may be a circle.
const maxReferences = 10

// resolved returns the nodes that describe a value together: the node itself, what it
// refers to, and what it is composed of. One that cannot be resolved is left out, and
// reported as false.
func (s *Schema) resolved() (all []*node, complete bool) {
	complete = true
	var add func(n *node, depth int)
	add = func(n *node, depth int) {
		if n == nil || depth > maxReferences {
			complete = false
			return
		}
		if n.Ref != "" {
			add(s.document.schemas[n.Ref[strings.LastIndex(n.Ref, "/")+1:]], depth+1)
		}
		for _, part := range n.AllOf {
			add(part, depth+1)
		}
		all = append(all, n)
	}
	add(s.node, 0)
	return all, complete
}
