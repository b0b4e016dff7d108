// SPDX-License-Identifier: Apache-2.0

package document

import (
	"errors"
	"fmt"
	"io"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/budget"
)

// EditYAML returns the document with all operations done, in their order. An error of one
// operation is an *OperationError, and then none is done.
//
// The text is read into the tree of a library, and changed at the place that the tree names.
// What comes out is read again and compared with the tree that the operation makes; if it
// differs, the library writes the whole document. So a form of YAML that this package does
// not know costs the layout of the text, and never its meaning.
//
// Aliases are values of their own: when an operation changes what other places show through
// an anchor, they get a copy of what was there before.
//
// What it reads is taken from the budget.
func EditYAML(b *budget.Budget, text string, operations []Operation) (string, error) {
	if err := yamlForm.read(b, text); err != nil {
		return "", err
	}
	d, err := parseYAML(text)
	if err != nil {
		return "", err
	}
	q := queue{budget: b, doc: d}
	for i, o := range operations {
		r, err := o.read(b, yamlForm)
		if err != nil {
			return "", q.failed(&OperationError{i, err})
		}
		if err := q.do(i, r); err != nil {
			return "", err
		}
	}
	if err := q.flush(); err != nil {
		return "", err
	}
	return q.doc.text, nil
}

// yamlDoc is a YAML document as text and as a tree.
type yamlDoc struct {
	text string
	// node is the document node, which has one child.
	node  *yamlv3.Node
	lines lines
	ends  map[*yamlv3.Node]int
}

// root returns the value of the document.
func (d *yamlDoc) root() *yamlv3.Node { return d.node.Content[0] }

// parseYAML reads a text with one document that is a map or a list.
func parseYAML(text string) (*yamlDoc, error) {
	if i := strings.IndexFunc(text, func(r rune) bool { return r == '\u0085' || r == '\u2028' || r == '\u2029' }); i >= 0 {
		// YAML 1.1 has them as line breaks and YAML 1.2 has not.
		return nil, fmt.Errorf("the document is not supported: line %d has a line break of Unicode", 1+strings.Count(text[:i], "\n"))
	}
	if i := strings.Index(strings.ReplaceAll(text, "\r\n", "\n"), "\r"); i >= 0 {
		return nil, errors.New("the document is not supported: it has line breaks of a lone carriage return")
	}
	decoder := yamlv3.NewDecoder(strings.NewReader(text))
	d := &yamlDoc{text: text, node: &yamlv3.Node{}, ends: map[*yamlv3.Node]int{}}
	if err := decoder.Decode(d.node); errors.Is(err, io.EOF) {
		return nil, errors.New("the document is empty; want a map or a list")
	} else if err != nil {
		return nil, fmt.Errorf("the document is not YAML: %w", err)
	}
	if err := decoder.Decode(&yamlv3.Node{}); err == nil {
		return nil, errors.New("the text has several documents; put each into a field of its own")
	} else if !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the text after the document is not YAML: %w", err)
	}
	switch root := d.root(); {
	case root.Kind == yamlv3.ScalarNode && root.Value == "":
		return nil, errors.New("the document is empty; want a map or a list")
	case root.Kind != yamlv3.MappingNode && root.Kind != yamlv3.SequenceNode:
		return nil, fmt.Errorf("the document is %s, not a map or a list", describe(root))
	}
	d.lines = linesOf(text)
	return d, checkAliases(d.node, map[*yamlv3.Node]bool{})
}

// checkAliases returns an error if a value contains an alias of itself.
func checkAliases(n *yamlv3.Node, open map[*yamlv3.Node]bool) error {
	if n.Kind == yamlv3.AliasNode && open[n.Alias] {
		return fmt.Errorf("the document is not supported: line %d: the value of the anchor %s contains itself", n.Line, n.Value)
	}
	if n.Anchor != "" {
		open[n] = true
		defer delete(open, n)
	}
	for _, child := range n.Content {
		if err := checkAliases(child, open); err != nil {
			return err
		}
	}
	return nil
}

// do returns the document with an operation done.
func (d *yamlDoc) do(r request, b *budget.Budget) (*yamlDoc, error) {
	value, err := yamlValue(r.value)
	if err != nil {
		return nil, err
	}
	for {
		c, done, err := d.plan(r, b)
		if err != nil {
			return nil, err
		}
		if done {
			c.value = value
			alias, count := d.sharedBy(c)
			if !b.Affords(yamlForm.cost(count * len(d.text))) {
				return nil, fmt.Errorf("%s %s: %d aliases show what it changes, too many to write them out", r.operator, r.path, count)
			}
			if alias != nil {
				c, done = *alias, false
				c.value = copyOf(c.parent().Content[c.slot()])
			}
		}
		if err := yamlForm.read(b, d.text); err != nil {
			return nil, err
		}
		if d, err = d.apply(c, b); err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.operator, r.path, err)
		}
		if done {
			return d, nil
		}
	}
}

// apply returns the document with a change made, and checks it. Reading what it writes is
// paid for once.
func (d *yamlDoc) apply(c change, b *budget.Budget) (*yamlDoc, error) {
	c.value = fit(c)
	text, written := d.write(c)
	c.inTree()
	if written {
		if after, err := parseYAML(text); err == nil && sameTree(d.node, after.node) {
			return after, nil
		}
	}
	if err := b.Take(yamlForm.cost(len(d.text))); err != nil {
		return nil, err
	}
	text, err := encode(d.node, d.style())
	if err != nil {
		return nil, err
	}
	after, err := parseYAML(breakLines(text, breakOf(d.text)))
	if err != nil {
		return nil, err
	}
	if !sameTree(d.node, after.node) {
		return nil, errors.New("the document has a form that cannot be written again; add the value by other operations")
	}
	return after, nil
}

// describe names what a node is, for messages.
func describe(n *yamlv3.Node) string {
	switch n.Kind {
	case yamlv3.MappingNode:
		return "a map"
	case yamlv3.SequenceNode:
		return "a list"
	case yamlv3.AliasNode:
		return "the alias *" + n.Value
	}
	if n.ShortTag() == "!!null" {
		return "null"
	}
	value := []rune(n.Value)
	if len(value) > 40 {
		return fmt.Sprintf("the scalar %q...", string(value[:40]))
	}
	return fmt.Sprintf("the scalar %q", n.Value)
}
