// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
)

// yamlValue returns a JSON value as a tree, its keys in their order and its numbers as they
// are written; nil for no value.
func yamlValue(value []byte) (*yamlv3.Node, error) {
	if len(value) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	return nextValue(decoder)
}

func nextValue(decoder *json.Decoder) (*yamlv3.Node, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, fmt.Errorf("read value: %w", err)
	}
	switch token := token.(type) {
	case json.Delim:
		n := &yamlv3.Node{Kind: yamlv3.SequenceNode}
		if token == '{' {
			n.Kind = yamlv3.MappingNode
		}
		for decoder.More() {
			child, err := nextValue(decoder)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, child)
		}
		_, err = decoder.Token()
		return n, err
	case string:
		return stringNode(token), nil
	case nil:
		return &yamlv3.Node{Kind: yamlv3.ScalarNode, Value: "null"}, nil
	}
	return &yamlv3.Node{Kind: yamlv3.ScalarNode, Value: fmt.Sprint(token)}, nil
}

// notPlain matches strings that some readers of YAML take for something else: booleans and
// numbers of YAML 1.1, and dates.
var notPlain = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null|~|=|<<` +
	`|[-+]?(0b[01_]+|0o?[0-7_]+|0x[0-9a-f_]+|[0-9][0-9_]*(:[0-5]?[0-9])*(\.[0-9_]*)?(e[-+]?[0-9]+)?|\.[0-9_]+(e[-+]?[0-9]+)?|\.inf|\.nan)` +
	`|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*)$`)

// inLines matches strings that are written as lines of their own.
var inLines = regexp.MustCompile(`^[!-~][ -~]*(\n+[ -~]+)*\n?$`)

// stringNode returns a string, in quotes if it needs them.
func stringNode(text string) *yamlv3.Node {
	n := &yamlv3.Node{Kind: yamlv3.ScalarNode, Tag: "!!str", Value: text}
	switch {
	case strings.Contains(text, "\n") && inLines.MatchString(text) && !strings.Contains(text, " \n"):
		n.Style = yamlv3.LiteralStyle
	case notPlain.MatchString(text) || strings.ContainsAny(text, "\n\r\t\u0085\u2028\u2029\ufeff"):
		n.Style = yamlv3.DoubleQuotedStyle
	}
	return n
}

// fit returns the value of a change as it is written where it goes: a string as the one that
// it replaces, a collection in brackets where the others are.
func fit(c change) *yamlv3.Node {
	n := c.value
	if n == nil || c.action != setItem || c.isKey {
		return n
	}
	old := c.parent().Content[c.slot()]
	if len(n.Content) > 0 && len(old.Content) > 0 {
		n.Style |= old.Style & yamlv3.FlowStyle
	}
	if n.Kind != yamlv3.ScalarNode || old.Kind != yamlv3.ScalarNode || n.Tag != "!!str" {
		return n
	}
	quotes := old.Style & (yamlv3.SingleQuotedStyle | yamlv3.DoubleQuotedStyle)
	switch {
	case old.Style == 0 && sameType(old, n.Value):
		return &yamlv3.Node{Kind: yamlv3.ScalarNode, Value: n.Value}
	case quotes != 0 && n.Style == 0, quotes == yamlv3.SingleQuotedStyle && notPlain.MatchString(n.Value):
		n.Style = quotes
	}
	return n
}

// sameType reports whether a plain scalar is a number or a boolean and a text would be read
// as one, too. A string in a policy that replaces such a scalar stands for its text.
func sameType(old *yamlv3.Node, text string) bool {
	return typeOf(old) != "" && typeOf(old) == typeOf(&yamlv3.Node{Kind: yamlv3.ScalarNode, Value: text})
}

// typeOf returns number or boolean for a plain scalar that is one.
func typeOf(n *yamlv3.Node) string {
	switch n.ShortTag() {
	case "!!int", "!!float":
		return "number"
	case "!!bool":
		return "boolean"
	}
	return ""
}
