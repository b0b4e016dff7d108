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

	"github.com/dragoman-io/dragoman/engine/internal/diag"
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
// parse, or is above FileLimits, returns an *Error and no document.
func Read(file string, data []byte) ([]Node, error) {
	var nodes []Node
	err := fileBudget().Each(file, data, func(n Node) { nodes = append(nodes, n) })
	if err != nil {
		return nil, err
	}
	return nodes, nil
}

// Each calls f for each document of a file, without the empty ones, and keeps none. The
// error is an *Error: the file does not parse, or the budget has too little left; the
// documents before were passed to f.
func (b *Budget) Each(file string, data []byte, f func(Node)) error {
	documents, err := b.split(file, data)
	if err != nil {
		return err
	}
	for _, d := range documents {
		node, err := d.Parse()
		if err != nil {
			return err
		}
		if node.Value != nil {
			f(node)
		}
	}
	return nil
}

// Leaf returns the value without what is known about the places below it, which takes more
// memory than the value.
func (n Node) Leaf() Node {
	n.tree = nil
	return n
}

// Errorf returns an error about the value, with a message that is cut.
func (n Node) Errorf(format string, args ...any) *Error {
	message := diag.Clip(fmt.Sprintf(format, args...))
	if n.Path != "" {
		message = n.Path + ": " + message
	}
	return &Error{File: n.File, Line: n.Line, Message: message}
}

// Get returns the value under key; its Value is nil where there is none.
func (n Node) Get(key string) Node {
	m, _ := n.Value.(map[string]any)
	value, found := m[key]
	if !found {
		return Node{File: n.File, Line: n.Line, Path: join(n.Path, key)}
	}
	return n.entry(key, value)
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
		f(n.item(i, value))
	}
	return nil
}

func (n Node) child(path string, value any, line int, tree *yamlv3.Node) Node {
	if tree != nil && tree.Kind == yamlv3.AliasNode {
		tree = tree.Alias
	}
	return Node{File: n.File, Line: n.offset + line, Path: path, Value: value, tree: tree, offset: n.offset}
}

// maxPath bounds a path in bytes; a longer one ends with "...".
const maxPath = 512

func join(path, key string) string {
	if path == "" {
		return extend("", key)
	}
	return extend(path, ".", key)
}

// extend returns a path with more at its end. One that is as long as it may be stays, so
// that the paths of a document take no more than it has values.
func extend(path string, more ...string) string {
	if len(path) > maxPath {
		return path
	}
	for _, text := range more {
		if len(path)+len(text) > maxPath {
			return path + strings.ToValidUTF8(text[:maxPath-len(path)], "") + "..."
		}
		path += text
	}
	return path
}

// Parse reads the document, once for its values and once for its lines. The error is an
// *Error: the document is no YAML, is above a limit, or a key stands twice in it.
func (d *Document) Parse() (Node, error) {
	tree, err := d.checked()
	if err != nil {
		return Node{}, err
	}
	text, err := yaml.YAMLToJSONStrict(d.Text)
	if err != nil {
		return Node{}, d.located(err)
	}
	node := Node{File: d.file, Line: d.offset + 1, offset: d.offset}
	if err := json.Unmarshal(text, &node.Value); err != nil {
		return Node{}, node.Errorf("%v", err)
	}
	if len(tree.Content) > 0 {
		node.tree = tree.Content[0]
		node.Line = d.offset + node.tree.Line
	}
	return node, nil
}

// Decode reads the document into a Go value as kubectl does: of a duplicate key, the last
// value counts, and unknown keys are ignored. The error is an *Error at the beginning of
// the document.
func (d *Document) Decode(into any) error {
	if _, err := d.checked(); err != nil {
		return err
	}
	if err := yaml.Unmarshal(d.Text, into); err != nil {
		return Node{File: d.file, Line: d.Line}.Errorf("%v", err)
	}
	return nil
}

// checked parses the document, and takes it from the budget before anything is copied for
// an alias. What it took once it does not take again. A document that is refused takes what
// it cost to find that out, so that many of them cost no more than one.
func (d *Document) checked() (*yamlv3.Node, error) {
	limits := d.limits()
	if err := d.scan(limits); err != nil {
		return nil, err
	}
	var tree yamlv3.Node
	if err := yamlv3.Unmarshal(d.Text, &tree); err != nil {
		d.pay(marks(d.Text)/marksPerValue, 0)
		return nil, d.located(err)
	}
	if d.paid {
		return &tree, nil
	}
	m := newMeasure(d.file, d.offset, limits)
	for _, root := range tree.Content {
		if _, err := m.node(root, 1); err != nil {
			d.pay(m.values.n, m.bytes.n)
			return nil, err
		}
	}
	d.pay(m.values.n, m.bytes.n)
	return &tree, nil
}

// scan refuses a text that is too much to parse.
func (d *Document) scan(limits measured) error {
	start := Node{File: d.file, Line: d.Line}
	switch {
	case d.paid:
	case hasDirective(d.Text):
		return start.Errorf("directives are not read; remove the line that begins with %%")
	case tooManyMarks(d.Text, marksPerValue*limits.values):
		return start.Errorf("%s", tooMany(limits.ofValues))
	}
	return nil
}

// marked finds the line in an error of the YAML libraries.
var marked = regexp.MustCompile(`(?s)^.*?line (\d+): (.*)$`)

// located returns an error of the YAML libraries with the line within the file.
func (d *Document) located(err error) error {
	text := diag.Clip(err.Error())
	m := marked.FindStringSubmatch(text)
	if m == nil {
		return &Error{File: d.file, Line: d.offset + 1, Message: strings.TrimPrefix(text, "yaml: ")}
	}
	line, _ := strconv.Atoi(m[1])
	// The parser reports some errors on the line before.
	return &Error{File: d.file, Line: max(d.Line, d.offset+line), Message: m[2]}
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
