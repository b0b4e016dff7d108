// SPDX-License-Identifier: Apache-2.0

package document

import (
	"slices"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/budget"
	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/pointer"
)

// action is what a change does to one item of a collection.
type action int

const (
	setItem action = iota
	insertItem
	removeItem
)

// change is one change of a tree: an operation is one, after those that write out aliases.
type change struct {
	action action
	// path are the nodes from the document node to the collection.
	path []*yamlv3.Node
	// index is that of the item; a key and its value are one item.
	index int
	// key is that of a new item of a map.
	key   string
	value *yamlv3.Node
	// isKey means that the item's key is set and not its value.
	isKey bool
}

// parent returns the collection, or the document node for its one value.
func (c change) parent() *yamlv3.Node { return c.path[len(c.path)-1] }

// slot returns where in the content of the parent the value of the item is.
func (c change) slot() int {
	switch {
	case c.isKey:
		return 2 * c.index
	case c.parent().Kind == yamlv3.MappingNode:
		return 2*c.index + 1
	}
	return c.index
}

// inTree makes the change in the tree.
func (c change) inTree() {
	p, slot := c.parent(), c.slot()
	switch {
	case c.action == setItem:
		p.Content[slot] = c.value
	case c.action == insertItem && p.Kind == yamlv3.MappingNode:
		p.Content = slices.Insert(p.Content, slot-1, stringNode(c.key), c.value)
	case c.action == insertItem:
		p.Content = slices.Insert(p.Content, slot, c.value)
	case p.Kind == yamlv3.MappingNode:
		p.Content = slices.Delete(p.Content, slot-1, slot+1)
	default:
		p.Content = slices.Delete(p.Content, slot, slot+1)
	}
}

// plan returns the next change on the way to an operation; done reports whether it is the
// operation itself, without its value. The items that it looks at are taken from the budget.
func (d *yamlDoc) plan(r request, b *budget.Budget) (c change, done bool, err error) {
	path := []*yamlv3.Node{d.node}
	if len(r.path) == 0 {
		return change{action: setItem, path: path}, true, nil
	}
	n := d.root()
	for depth := range r.path {
		path = append(path, n)
		if err := seek(b, len(n.Content)); err != nil {
			return c, false, err
		}
		switch n.Kind {
		case yamlv3.MappingNode:
			c, done, err = planInMap(r, depth, path, b)
		case yamlv3.SequenceNode:
			c, done, err = planInList(r, depth, path)
		default:
			err = r.fail(depth, "is %s, not a map or a list", describe(n))
		}
		if err != nil || done || c.value != nil {
			return c, done, err
		}
		if n = n.Content[c.slot()]; n.Kind == yamlv3.AliasNode {
			c.value = copyOf(n.Alias)
			return c, false, nil
		}
	}
	return c, false, nil
}

// planInMap returns the change that the token at a depth asks for. A change without a value
// that is not done only names the item on the way.
func planInMap(r request, depth int, path []*yamlv3.Node, b *budget.Budget) (c change, done bool, err error) {
	n := path[depth+1]
	c = change{action: setItem, path: path, key: r.path[depth]}
	own, err := findKey(n, r, depth)
	if err != nil {
		return c, false, err
	}
	seen := map[*yamlv3.Node]bool{}
	merged := mergedValue(n, c.key, seen)
	for source := range seen {
		if err := b.Take(1 + len(source.Content)); err != nil {
			return c, false, err
		}
	}
	c.index = own
	switch last := r.last(depth); {
	case last && r.operator == Remove && merged != nil:
		return c, false, r.fail(depth, "has %q from a merge (<<), which remove cannot take away; replace it, or remove the merge from the template", c.key)
	case own >= 0:
		if last && r.operator == Remove {
			c.action = removeItem
		}
		return c, last, nil
	case merged == nil && !(last && r.operator == Add):
		return c, false, r.missing(depth)
	}
	c.action, c.index = insertItem, len(n.Content)/2
	if !r.last(depth) {
		c.value = copyOf(merged)
	}
	return c, r.last(depth), nil
}

func planInList(r request, depth int, path []*yamlv3.Node) (c change, done bool, err error) {
	n, last := path[depth+1], r.last(depth)
	c = change{action: setItem, path: path}
	find := pointer.Item
	switch {
	case last && r.operator == Add:
		c.action, find = insertItem, pointer.Place
	case last && r.operator == Remove:
		c.action = removeItem
	}
	if c.index, err = find(r.path[depth], len(n.Content)); err != nil {
		return c, false, r.fail(depth, "is a list: %w", err)
	}
	return c, last, nil
}

// findKey returns which item of a map has the key that the token at a depth names; -1 if
// none. A key is named as it is read by YAML, without its quotes; << is not a key.
func findKey(n *yamlv3.Node, r request, depth int) (int, error) {
	found := -1
	for i := 0; i < len(n.Content); i += 2 {
		if text, ok := keyText(n.Content[i]); !ok || text != r.path[depth] {
			continue
		}
		if found >= 0 {
			return 0, r.fail(depth, "has %q twice, in line %d and line %d", r.path[depth], n.Content[2*found].Line, n.Content[i].Line)
		}
		found = i / 2
	}
	return found, nil
}

// keyText returns the text of a key; false if it is a collection or a merge.
func keyText(key *yamlv3.Node) (string, bool) {
	if key.Kind == yamlv3.AliasNode {
		key = key.Alias
	}
	return key.Value, key.Kind == yamlv3.ScalarNode && !isMerge(key)
}

// isMerge reports whether a key is <<.
func isMerge(key *yamlv3.Node) bool {
	return key.Kind == yamlv3.ScalarNode && key.ShortTag() == "!!merge"
}

// mergedValue returns the value of a key that a map has from its merges; nil if none. The
// first of several maps wins. A map in seen does not have the key.
func mergedValue(n *yamlv3.Node, key string, seen map[*yamlv3.Node]bool) *yamlv3.Node {
	for i := 0; i < len(n.Content); i += 2 {
		if !isMerge(n.Content[i]) {
			continue
		}
		sources := []*yamlv3.Node{n.Content[i+1]}
		if s := behind(sources[0]); s.Kind == yamlv3.SequenceNode {
			sources = s.Content
		}
		for _, s := range sources {
			if v := valueIn(behind(s), key, seen); v != nil {
				return v
			}
		}
	}
	return nil
}

// valueIn returns the value of a key of a map, its own or a merged one.
func valueIn(n *yamlv3.Node, key string, seen map[*yamlv3.Node]bool) *yamlv3.Node {
	if n.Kind != yamlv3.MappingNode || seen[n] {
		return nil
	}
	seen[n] = true
	for i := 0; i < len(n.Content); i += 2 {
		if text, ok := keyText(n.Content[i]); ok && text == key {
			return n.Content[i+1]
		}
	}
	return mergedValue(n, key, seen)
}

// behind returns the value that a node stands for.
func behind(n *yamlv3.Node) *yamlv3.Node {
	if n.Kind == yamlv3.AliasNode {
		return n.Alias
	}
	return n
}

// copyOf returns a copy of the value that a node stands for, without anchors and comments;
// aliases in it stay.
func copyOf(n *yamlv3.Node) *yamlv3.Node {
	if n.Kind == yamlv3.AliasNode {
		n = n.Alias
	}
	c := &yamlv3.Node{Kind: n.Kind, Style: n.Style, Tag: n.Tag, Value: n.Value}
	for _, child := range n.Content {
		if child.Kind == yamlv3.AliasNode {
			c.Content = append(c.Content, &yamlv3.Node{Kind: child.Kind, Value: child.Value, Alias: child.Alias})
		} else {
			c.Content = append(c.Content, copyOf(child))
		}
	}
	return c
}
