// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"fmt"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
)

// style is how a document indents maps and lists in maps.
type style struct{ maps, lists int }

// style returns how the document indents, by its first map in a map and its first list in
// a map.
func (d *yamlDoc) style() style {
	s := style{maps: -1, lists: -1}
	d.eachNested(d.root(), func(outer, inner *yamlv3.Node) bool {
		step := d.column(inner) - d.column(outer)
		switch {
		case inner.Kind == yamlv3.SequenceNode && s.lists < 0:
			s.lists = step
		case inner.Kind == yamlv3.MappingNode && s.maps < 0:
			s.maps = step
		}
		return s.maps < 0 || s.lists < 0
	})
	if s.maps < 0 {
		s.maps = s.lists
	}
	if s.maps < 2 || s.maps > 9 {
		s.maps = 2
	}
	if s.lists == 0 {
		s.maps = 2 // the library indents lists by as much, or by two less
	}
	return s
}

// eachNested calls f for each collection in lines that is the value of a key of another one,
// as long as f returns true.
func (d *yamlDoc) eachNested(n *yamlv3.Node, f func(outer, inner *yamlv3.Node) bool) bool {
	if n.Style&yamlv3.FlowStyle != 0 {
		return true
	}
	for i, child := range n.Content {
		if len(child.Content) == 0 || child.Style&yamlv3.FlowStyle != 0 {
			continue
		}
		if n.Kind == yamlv3.MappingNode && i%2 == 1 && !f(n, child) {
			return false
		}
		if !d.eachNested(child, f) {
			return false
		}
	}
	return true
}

// encode returns a value as the library writes it, with a line break at its end.
func encode(n *yamlv3.Node, s style) (string, error) {
	var b bytes.Buffer
	e := yamlv3.NewEncoder(&b)
	e.SetIndent(s.maps)
	if s.lists == s.maps-2 {
		e.CompactSeqIndent()
	}
	if err := e.Encode(n); err != nil {
		return "", fmt.Errorf("write the document: %w", err)
	}
	if err := e.Close(); err != nil {
		return "", fmt.Errorf("write the document: %w", err)
	}
	return b.String(), nil
}

// inFlow returns a value as it stands in brackets, on one line.
func inFlow(n *yamlv3.Node) (string, error) {
	list := &yamlv3.Node{Kind: yamlv3.SequenceNode, Style: yamlv3.FlowStyle, Content: []*yamlv3.Node{n}}
	text, err := encode(list, style{maps: 2, lists: 2})
	return strings.TrimSuffix(strings.TrimPrefix(text, "["), "]\n"), err
}

// entry is the text of a value: what stands behind the colon or the dash, and the lines
// below, each with a line break before it.
type entry struct{ first, rest string }

// entryOf returns the text of a value of a collection in lines.
func (d *yamlDoc) entryOf(p, value *yamlv3.Node) (entry, bool) {
	key := ""
	if p.Kind == yamlv3.MappingNode {
		key = "k"
	}
	text, err := d.encodeItem(p.Kind, key, value)
	if err != nil {
		return entry{}, false
	}
	text = text[len(key)+1:]
	if p.Kind == yamlv3.SequenceNode {
		text = strings.TrimPrefix(text, " ")
	}
	first, rest, hasRest := strings.Cut(text, "\n")
	e := entry{first: strings.TrimLeft(first, " ")}
	if hasRest {
		indent := strings.Repeat(" ", d.column(p))
		e.rest = breakLines(prefixLines("\n"+rest, indent), breakOf(d.text))
	}
	return e, true
}

// itemOf returns the text of a new item, its first line without indentation.
func (d *yamlDoc) itemOf(c change, indent string) (string, bool) {
	text, err := d.encodeItem(c.parent().Kind, c.key, c.value)
	return breakLines(prefixLines(text, indent), breakOf(d.text)), err == nil
}

// encodeItem returns a collection of one item in lines, without the last line break.
func (d *yamlDoc) encodeItem(kind yamlv3.Kind, key string, value *yamlv3.Node) (string, error) {
	n := &yamlv3.Node{Kind: kind}
	if kind == yamlv3.MappingNode {
		n.Content = append(n.Content, stringNode(key))
	}
	n.Content = append(n.Content, value)
	text, err := encode(n, d.style())
	return strings.TrimSuffix(text, "\n"), err
}

// prefixLines indents all lines but the first and empty ones.
func prefixLines(text, indent string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
			if line != "" {
				b.WriteString(indent)
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// breakLines replaces line breaks by those of a document.
func breakLines(text, newline string) string {
	if newline == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", newline)
}
