// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/pointer"
)

// jsonNode is a value of a JSON text and its place there.
type jsonNode struct {
	span
	// keys are the members' keys as written and items the places of members with their
	// keys; both are empty but for a map.
	keys     []string
	items    []span
	children []*jsonNode
}

// do returns the text with an operation done on it, of which the node is the root.
func (n *jsonNode) do(text string, r request) (string, error) {
	if len(r.path) == 0 {
		return text[:n.start] + string(r.value) + text[n.end:], nil
	}
	unit := jsonUnit(text)
	for depth := 0; ; depth++ {
		i, err := n.find(text, r, depth)
		if err != nil {
			return "", err
		}
		if !r.last(depth) {
			n = n.children[i]
			continue
		}
		if !strings.Contains(text[n.start:n.end], "\n") {
			unit = ""
		}
		f := flow{text: text, span: n.span, items: n.spans(), space: jsonSpace(text)}
		switch {
		case r.operator == Remove:
			return f.remove(i).apply(text), nil
		case i < len(n.children) && (r.operator == Replace || n.isMap(text)):
			child := n.children[i]
			return splice{child.start, child.end, indented(text, child.start, r.value, unit)}.apply(text), nil
		}
		item := ""
		if n.isMap(text) {
			key, _ := json.Marshal(r.path[depth])
			item = string(withoutHTML(key)) + ":" + jsonSpace(text)
		}
		at := n.start
		if len(f.items) > 0 {
			at = f.items[max(i-1, 0)].start
		}
		return f.insert(i, item+indented(text, at, r.value, unit)).apply(text), nil
	}
}

// find returns which child the token at a depth of the path names; for a key or an item
// that is to be added, the number of children before it.
func (n *jsonNode) find(text string, r request, depth int) (int, error) {
	token := r.path[depth]
	adds := r.last(depth) && r.operator == Add
	switch text[n.start] {
	case '[':
		find := pointer.Item
		if adds {
			find = pointer.Place
		}
		i, err := find(token, len(n.children))
		if err != nil {
			return 0, r.fail(depth, "is a list: %w", err)
		}
		return i, nil
	case '{':
		return n.findKey(r, depth, adds)
	}
	return 0, r.fail(depth, "is %s, not a map or a list", text[n.start:min(n.end, n.start+40)])
}

func (n *jsonNode) findKey(r request, depth int, adds bool) (int, error) {
	found := -1
	for i, key := range n.keys {
		if key != r.path[depth] {
			continue
		}
		if found >= 0 {
			return 0, r.fail(depth, "has %q twice", key)
		}
		found = i
	}
	switch {
	case found >= 0:
		return found, nil
	case adds:
		return len(n.keys), nil
	}
	return 0, r.missing(depth)
}

func (n *jsonNode) isMap(text string) bool { return text[n.start] == '{' }

// spans returns the places of the items.
func (n *jsonNode) spans() []span {
	if n.items != nil {
		return n.items
	}
	var all []span
	for _, c := range n.children {
		all = append(all, c.span)
	}
	return all
}

// jsonSpace returns what a document has after its first colon, for new members: a space or
// nothing.
func jsonSpace(text string) string {
	inString := false
	for i := 0; i+1 < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case c == ':' && !inString && text[i+1] == ' ':
			return " "
		case c == ':' && !inString:
			return ""
		}
	}
	return ""
}

// jsonUnit returns the indentation of the first line that has one; empty for a document of
// one line.
func jsonUnit(text string) string {
	for line := range strings.Lines(text) {
		if rest := strings.TrimLeft(line, " \t"); rest != line && !blank(rest) {
			return line[:len(line)-len(rest)]
		}
	}
	return ""
}

// indented returns a value for a place in a text, on several lines if there is a unit of
// indentation.
func indented(text string, at int, value []byte, unit string) string {
	line := text[lineStart(text, at):at]
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	if unit == "" || value[0] != '{' && value[0] != '[' || len(value) == 2 {
		return string(value)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, value, indent, unit); err != nil {
		return string(value)
	}
	return strings.ReplaceAll(b.String(), "\n", breakOf(text))
}

// parseJSON returns the root of a document.
func parseJSON(text string) (*jsonNode, error) {
	if blank(text) {
		return nil, errors.New("the document is empty; want a map or a list")
	}
	var value json.RawMessage
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return nil, jsonError(text, err)
	}
	p := &jsonParser{text: text}
	root := p.value()
	if c := text[root.start]; c != '{' && c != '[' {
		return nil, fmt.Errorf("the document is %s, not a map or a list", text[root.start:min(root.end, root.start+40)])
	}
	return root, nil
}

// jsonError returns what is wrong with a text, with its line.
func jsonError(text string, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line := 1 + strings.Count(text[:min(int(syntax.Offset), len(text))], "\n")
		return fmt.Errorf("the document is not JSON: line %d: %w", line, err)
	}
	return fmt.Errorf("the document is not JSON: %w", err)
}

// jsonParser reads a text that is valid JSON.
type jsonParser struct {
	text string
	at   int
}

// value returns the value that begins here, after white space.
func (p *jsonParser) value() *jsonNode {
	p.skip(" \t\r\n")
	n := &jsonNode{}
	n.start = p.at
	switch p.text[p.at] {
	case '{':
		p.members(n)
	case '[':
		p.at++
		for p.more(']') {
			n.children = append(n.children, p.value())
		}
	case '"':
		p.string()
	default:
		p.at = p.endOfWord()
	}
	n.end = p.at
	return n
}

// endOfWord returns the place behind the number, true, false or null that begins here.
func (p *jsonParser) endOfWord() int {
	if i := strings.IndexAny(p.text[p.at:], " \t\r\n,]}"); i >= 0 {
		return p.at + i
	}
	return len(p.text)
}

func (p *jsonParser) members(n *jsonNode) {
	p.at++
	for p.more('}') {
		start := p.at
		n.keys = append(n.keys, p.string())
		p.skip(" \t\r\n:")
		child := p.value()
		n.children = append(n.children, child)
		n.items = append(n.items, span{start, child.end})
	}
}

// more reports whether another item follows, and goes to it or behind the end.
func (p *jsonParser) more(end byte) bool {
	p.skip(" \t\r\n,")
	if p.text[p.at] == end {
		p.at++
		return false
	}
	return true
}

// string returns the string that begins here.
func (p *jsonParser) string() string {
	start := p.at
	for p.at++; p.text[p.at] != '"'; p.at++ {
		if p.text[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
	var value string
	_ = json.Unmarshal([]byte(p.text[start:p.at]), &value)
	return value
}

func (p *jsonParser) skip(chars string) {
	for p.at < len(p.text) && strings.IndexByte(chars, p.text[p.at]) >= 0 {
		p.at++
	}
}
