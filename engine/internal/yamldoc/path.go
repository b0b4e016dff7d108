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
	switch n.Value.(type) {
	case map[string]any:
		_ = n.each(func(key string, value Node) {
			if key == name {
				below, found = value, true
			}
		})
	case []any:
		index, err := strconv.Atoi(name)
		if err != nil {
			return n, false
		}
		i := 0
		_ = n.items(func(item Node) {
			if i == index {
				below, found = item, true
			}
			i++
		})
	}
	return below, found
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
