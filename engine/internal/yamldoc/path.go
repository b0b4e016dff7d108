// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
)

// At returns the value at a path below n, written as package field writes paths: names
// behind dots, and in brackets the index of an item or a key with any letters, such as
// spec.taints[0].key or metadata.labels[a.b/c]. Where there is no such value, it is the
// nearest one above it.
func (n Node) At(path string) Node {
	for path != "" {
		step, rest := nextStep(path)
		below, found := n.step(step)
		if !found {
			return n
		}
		n, path = below, rest
	}
	return n
}

// nextStep cuts the first name, index or key off a path.
func nextStep(path string) (step, rest string) {
	if inside, ok := strings.CutPrefix(path, "["); ok {
		step, rest, _ = strings.Cut(inside, "]")
		return step, strings.TrimPrefix(rest, ".")
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		return path, ""
	}
	return path[:end], strings.TrimPrefix(path[end:], ".")
}

// step returns the entry of a map or the item of a list.
func (n Node) step(name string) (below Node, found bool) {
	switch v := n.Value.(type) {
	case map[string]any:
		value, found := v[name]
		if !found {
			return n, false
		}
		return n.entry(name, value), true
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(v) {
			return n, false
		}
		return n.item(i, v[i]), true
	}
	return n, false
}

// entry returns the value of a key of a map.
func (n Node) entry(key string, value any) Node {
	if n.tree != nil && n.tree.Kind == yamlv3.MappingNode {
		for i := 0; i+1 < len(n.tree.Content); i += 2 {
			if at := n.tree.Content[i]; at.Value == key {
				return n.child(join(n.Path, key), value, at.Line, n.tree.Content[i+1])
			}
		}
	}
	return n.child(join(n.Path, key), value, n.Line-n.offset, nil)
}

// item returns the item of a list at an index.
func (n Node) item(i int, value any) Node {
	line, tree := n.Line-n.offset, (*yamlv3.Node)(nil)
	if n.tree != nil && n.tree.Kind == yamlv3.SequenceNode && i < len(n.tree.Content) {
		tree = n.tree.Content[i]
		line = tree.Line
	}
	return n.child(extend(n.Path, "[", strconv.Itoa(i), "]"), value, line, tree)
}

// TextLine returns the line of the file on which a line of the text stands, from 1 on.
// It is false where the lines of the text are not those of the file: for folded and
// quoted text of several lines; then the line is that of the value.
func (n Node) TextLine(line int) (int, bool) {
	if n.tree == nil || n.tree.Kind != yamlv3.ScalarNode || line < 1 {
		return n.Line, false
	}
	first := n.offset + n.tree.Line
	switch {
	case n.tree.Style&yamlv3.LiteralStyle != 0:
		return first + line, true
	case n.tree.Style&yamlv3.FoldedStyle == 0 && !strings.Contains(strings.TrimRight(n.tree.Value, "\n"), "\n"):
		return first, true
	}
	return n.Line, false
}
