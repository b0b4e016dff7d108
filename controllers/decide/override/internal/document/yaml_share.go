// SPDX-License-Identifier: Apache-2.0

package document

import (
	"slices"

	yamlv3 "go.yaml.in/yaml/v3"
)

// sharedBy returns the change that writes out the first alias which would show a change of
// the document, and how many there are; nil if there is none.
func (d *yamlDoc) sharedBy(c change) (first *change, count int) {
	touched, gone := map[*yamlv3.Node]bool{}, map[*yamlv3.Node]bool{}
	for _, n := range c.path {
		if n.Anchor != "" {
			touched[n] = true
		}
	}
	if c.action != insertItem {
		slot := c.slot()
		collect(c.parent().Content[slot], touched, gone)
		if c.action == removeItem && c.parent().Kind == yamlv3.MappingNode {
			collect(c.parent().Content[slot-1], touched, gone)
		}
	}
	if len(touched) == 0 {
		return nil, 0
	}
	eachAlias([]*yamlv3.Node{d.node}, touched, gone, func(c change) {
		if count++; first == nil {
			c.path = slices.Clone(c.path)
			first = &c
		}
	})
	return first, count
}

// collect adds all nodes of a value that goes away, and those with an anchor.
func collect(n *yamlv3.Node, anchored, all map[*yamlv3.Node]bool) {
	all[n] = true
	if n.Anchor != "" {
		anchored[n] = true
	}
	for _, child := range n.Content {
		collect(child, anchored, all)
	}
}

// eachAlias calls f with the change that writes out an alias, for each alias of some nodes
// below the last node of a path, but not where the document changes anyway. The path of a
// change is valid until f returns.
func eachAlias(path []*yamlv3.Node, of, gone map[*yamlv3.Node]bool, f func(change)) {
	n := path[len(path)-1]
	for i, child := range n.Content {
		switch {
		case gone[child]:
		case child.Kind == yamlv3.AliasNode && of[child.Alias]:
			index := i
			if n.Kind == yamlv3.MappingNode {
				index = i / 2
			}
			isKey := n.Kind == yamlv3.MappingNode && i%2 == 0
			f(change{action: setItem, path: path, index: index, isKey: isKey})
		default:
			eachAlias(append(path, child), of, gone, f)
		}
	}
}
