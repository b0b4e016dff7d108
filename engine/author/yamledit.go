// SPDX-License-Identifier: Apache-2.0

package author

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
)

// anything is an expected value that any will do for; it stays where it stands.
const anything = "{{EXCLUDE}}"

// outputKey is the key of what a case expects.
const outputKey = "output"

// replaceOutput writes results into the output of the case whose first key is at a line (from 1)
// of a file of YAML documents; lines keep their ends. Everything outside of the output stays byte
// by byte, and in it what has not changed keeps its form.
func replaceOutput(lines []string, line int, results map[string]any) ([]string, error) {
	last := documentEnd(lines, line)
	var document yamlv3.Node
	text := strings.Join(lines[line-1:last], "")
	if err := yamlv3.Unmarshal([]byte(text), &document); err != nil || len(document.Content) != 1 {
		return nil, errors.New("the case cannot be read alone; write its output by hand")
	}
	root := document.Content[0]
	if root.Kind != yamlv3.MappingNode || root.Style&yamlv3.FlowStyle != 0 {
		return nil, errors.New("the case is not written with a key in each line; write its output by hand")
	}
	key, value, end := outputOf(root, last-line+1)
	if value == nil || value.Kind != yamlv3.MappingNode {
		return nil, errors.New("the case has no output; write it by hand")
	}
	for _, name := range slices.Sorted(maps.Keys(results)) {
		setField(value, name, results[name])
	}
	var b bytes.Buffer
	encoder := yamlv3.NewEncoder(&b)
	encoder.SetIndent(2)
	block := &yamlv3.Node{Kind: yamlv3.MappingNode, Content: []*yamlv3.Node{{Kind: yamlv3.ScalarNode, Value: outputKey}, value}}
	if err := errors.Join(encoder.Encode(block), encoder.Close()); err != nil {
		return nil, fmt.Errorf("write the output: %w", err)
	}
	from, to := line-1+key.Line-1, line-1+end
	for to > from+1 && isSeparate(lines[to-1]) {
		to-- // what stands between the output and the next key belongs to that
	}
	return slices.Concat(lines[:from:from], strings.SplitAfter(strings.TrimSuffix(b.String(), "\n")+"\n", "\n"), lines[to:]), nil
}

// documentEnd returns the number of the line after which the document that begins at a line ends.
func documentEnd(lines []string, line int) int {
	for i := line; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "---") || strings.HasPrefix(lines[i], "...") {
			return i
		}
	}
	return len(lines)
}

// isSeparate reports whether a line is empty, or a comment that is not indented.
func isSeparate(line string) bool {
	return strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#")
}

// outputOf returns the key and the value of the output in a document of so many lines, and the line
// after which it ends, at most.
func outputOf(root *yamlv3.Node, count int) (key, value *yamlv3.Node, end int) {
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != outputKey {
			continue
		}
		end = count
		if i+2 < len(root.Content) {
			end = root.Content[i+2].Line - 1
		}
		return root.Content[i], root.Content[i+1], end
	}
	return nil, nil, 0
}

// setField sets a field of a mapping, which is added at the end where it is missing.
func setField(mapping *yamlv3.Node, name string, value any) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			mapping.Content[i+1] = merged(mapping.Content[i+1], value)
			return
		}
	}
	mapping.Content = append(mapping.Content, &yamlv3.Node{Kind: yamlv3.ScalarNode, Value: name}, nodeOf(value))
}

// merged returns a node with a value: the node itself as far as it has it, with its comments and its
// style.
func merged(node *yamlv3.Node, value any) *yamlv3.Node {
	var has any
	if node.Decode(&has) == nil && (has == anything || reflect.DeepEqual(plainNumbers(has), plainNumbers(value))) {
		return node
	}
	switch v := value.(type) {
	case map[string]any:
		if node.Kind == yamlv3.MappingNode {
			return mergedMap(node, v)
		}
	case []any:
		if node.Kind == yamlv3.SequenceNode && len(node.Content) == len(v) {
			for i := range v {
				node.Content[i] = merged(node.Content[i], v[i])
			}
			return node
		}
	}
	next := nodeOf(value)
	next.HeadComment, next.LineComment, next.FootComment = node.HeadComment, node.LineComment, node.FootComment
	return next
}

func mergedMap(node *yamlv3.Node, value map[string]any) *yamlv3.Node {
	var kept []*yamlv3.Node
	known := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if v, found := value[key.Value]; found {
			known[key.Value] = true
			kept = append(kept, key, merged(node.Content[i+1], v))
		}
	}
	node.Content = kept
	for _, name := range slices.Sorted(maps.Keys(value)) {
		if !known[name] {
			setField(node, name, value[name])
		}
	}
	return node
}

// nodeOf returns a node with a value of JSON.
func nodeOf(value any) *yamlv3.Node {
	var node yamlv3.Node
	if err := node.Encode(value); err != nil {
		return &yamlv3.Node{Kind: yamlv3.ScalarNode, Tag: "!!null", Value: "null"}
	}
	return &node
}

// plainNumbers returns a value whose whole numbers are int64, whatever read them.
func plainNumbers(value any) any {
	switch v := value.(type) {
	case int:
		return int64(v)
	case uint64:
		return int64(v)
	case map[string]any:
		all := make(map[string]any, len(v))
		for key, e := range v {
			all[key] = plainNumbers(e)
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i, e := range v {
			all[i] = plainNumbers(e)
		}
		return all
	}
	return value
}
