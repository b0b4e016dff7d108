// SPDX-License-Identifier: Apache-2.0

// Package yamldoc reads YAML strictly. In goes the text of a file; out come its
// documents, as text (Split) or as trees whose every error has file, line and path
// (Read). A key that the reader does not know is an error, never ignored.
//
// Values are read as kubectl reads them (YAML 1.1), whole numbers as int64. The package
// does not know what the documents mean.
package yamldoc

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// Error is an error at one place of a file.
type Error struct {
	File string
	// Line starts at 1; 0 means that the file as a whole is wrong.
	Line    int
	Message string
}

// Error returns file, line and message on one line.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
}

// Node is one value of a document and its place.
type Node struct {
	// File and Line are the place of the value; for the value of a key, Line is that
	// of the key.
	File string
	Line int
	// Path names the value from the root, such as spec.kinds[0].group; "" is the
	// root.
	Path string
	// Value is the plain value: nil, bool, int64, float64, string, []any or
	// map[string]any.
	Value any

	// tree has the lines below; nil where they are not known.
	tree   *yamlv3.Node
	offset int
}

// Read returns the documents of a file, without the empty ones. A file that does not
// parse returns an *Error and no document.
func Read(file string, data []byte) ([]Node, error) {
	var nodes []Node
	for _, d := range split(data) {
		node, err := d.Parse(file)
		if err != nil {
			return nil, err
		}
		if node.Value != nil {
			nodes = append(nodes, node)
		}
	}
	return nodes, nil
}

// Errorf returns an error about the value.
func (n Node) Errorf(format string, args ...any) *Error {
	message := fmt.Sprintf(format, args...)
	if n.Path != "" {
		message = n.Path + ": " + message
	}
	return &Error{File: n.File, Line: n.Line, Message: message}
}

// Get returns the value under key; its Value is nil where there is none.
func (n Node) Get(key string) Node {
	found := Node{File: n.File, Line: n.Line, Path: join(n.Path, key)}
	_ = n.each(func(k string, v Node) {
		if k == key {
			found = v
		}
	})
	return found
}

// each calls f for each entry of a map in the order of the file.
func (n Node) each(f func(key string, value Node)) error {
	m, ok := n.Value.(map[string]any)
	if !ok {
		return n.Errorf("want a map, got %s", typeName(n.Value))
	}
	rest := maps.Clone(m)
	if n.tree != nil && n.tree.Kind == yamlv3.MappingNode {
		for i := 0; i+1 < len(n.tree.Content); i += 2 {
			key := n.tree.Content[i]
			value, ok := rest[key.Value]
			if !ok {
				continue
			}
			delete(rest, key.Value)
			f(key.Value, n.child(join(n.Path, key.Value), value, key.Line, n.tree.Content[i+1]))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(rest)) {
		f(key, n.child(join(n.Path, key), rest[key], n.Line-n.offset, nil))
	}
	return nil
}

// items calls f for each item of a list.
func (n Node) items(f func(item Node)) error {
	list, ok := n.Value.([]any)
	if !ok {
		return n.Errorf("want a list, got %s", typeName(n.Value))
	}
	for i, value := range list {
		line, tree := n.Line-n.offset, (*yamlv3.Node)(nil)
		if n.tree != nil && n.tree.Kind == yamlv3.SequenceNode && i < len(n.tree.Content) {
			tree = n.tree.Content[i]
			line = tree.Line
		}
		f(n.child(fmt.Sprintf("%s[%d]", n.Path, i), value, line, tree))
	}
	return nil
}

func (n Node) child(path string, value any, line int, tree *yamlv3.Node) Node {
	if tree != nil && tree.Kind == yamlv3.AliasNode {
		tree = tree.Alias
	}
	return Node{File: n.File, Line: n.offset + line, Path: path, Value: value, tree: tree, offset: n.offset}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Parse reads the document, once for its values and once for its lines. The error is an
// *Error: the document is no YAML, or a key stands twice in it.
func (d Document) Parse(file string) (Node, error) {
	var tree yamlv3.Node
	if err := yamlv3.Unmarshal(d.Text, &tree); err != nil {
		return Node{}, located(file, d.offset, err)
	}
	text, err := yaml.YAMLToJSONStrict(d.Text)
	if err != nil {
		return Node{}, located(file, d.offset, err)
	}
	node := Node{File: file, Line: d.offset + 1, offset: d.offset}
	if err := json.Unmarshal(text, &node.Value); err != nil {
		return Node{}, &Error{File: file, Line: node.Line, Message: err.Error()}
	}
	if len(tree.Content) > 0 {
		node.tree = tree.Content[0]
		node.Line = d.offset + node.tree.Line
	}
	return node, nil
}

// marked finds the line in an error of the YAML libraries.
var marked = regexp.MustCompile(`(?s)^.*?line (\d+): (.*)$`)

// located returns an error of the YAML libraries with the line within the file.
func located(file string, offset int, err error) error {
	m := marked.FindStringSubmatch(err.Error())
	if m == nil {
		return &Error{File: file, Line: offset + 1, Message: strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	line, _ := strconv.Atoi(m[1])
	return &Error{File: file, Line: offset + line, Message: m[2]}
}

// typeName names the type of a value for messages.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "nothing"
	case bool:
		return "a boolean"
	case int64, float64:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "a list"
	}
	return "a map"
}
