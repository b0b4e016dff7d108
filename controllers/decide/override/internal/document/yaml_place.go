// SPDX-License-Identifier: Apache-2.0

package document

import (
	"strings"
	"unicode/utf8"

	yamlv3 "go.yaml.in/yaml/v3"
)

// lines turns the lines and columns of a parser, which count from 1 and count characters,
// into offsets.
type lines struct {
	text   string
	starts []int
	// ascii holds which lines are ASCII, and wide the offsets of all characters of lines
	// that are not; both as far as they were asked for.
	ascii map[int]bool
	wide  map[int][]int
}

func linesOf(text string) lines {
	l := lines{text: text, ascii: map[int]bool{}, wide: map[int][]int{}}
	start := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	l.starts = append(l.starts, start)
	for i := start; i < len(text); i++ {
		if text[i] == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// offset returns the offset of a place; beyond the end of a line it is that end.
func (l lines) offset(line, column int) int {
	if line < 1 || line > len(l.starts) {
		return len(l.text)
	}
	start, end := l.starts[line-1], len(l.text)
	if line < len(l.starts) {
		end = l.starts[line] - 1
	}
	ascii, known := l.ascii[line]
	if !known {
		ascii = isASCII(l.text[start:end])
		l.ascii[line] = ascii
	}
	if ascii {
		return min(start+column-1, end)
	}
	if l.wide[line] == nil {
		l.wide[line] = characters(l.text, start, end)
	}
	all := l.wide[line]
	return all[min(column, len(all))-1]
}

// characters returns the offsets of the characters of a part of a text, and its end.
func characters(text string, start, end int) []int {
	var all []int
	for i := start; i < end; {
		all = append(all, i)
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return append(all, end)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// start returns where a node begins, with its anchor and its tag.
func (d *yamlDoc) start(n *yamlv3.Node) int { return d.lines.offset(n.Line, n.Column) }

// content returns where a node begins behind its anchor and its tag.
func (d *yamlDoc) content(n *yamlv3.Node) int {
	at := d.start(n)
	if n.Anchor == "" && n.Style&yamlv3.TaggedStyle == 0 {
		return at
	}
	for at < len(d.text) && (d.text[at] == '&' || d.text[at] == '!') {
		at = endOfProperty(d.text, at)
		if n.Kind == yamlv3.ScalarNode && n.Value == "" && n.Style&^yamlv3.TaggedStyle == 0 {
			if next := d.skip(at, ""); next == len(d.text) || d.text[next] != '&' && d.text[next] != '!' {
				return at // nothing follows
			}
		}
		at = d.skip(at, "")
	}
	return at
}

// endOfProperty returns where the anchor or the tag that begins at an offset ends.
func endOfProperty(text string, at int) int {
	if i := strings.IndexAny(text[at:], " \t\r\n,[]{}"); i >= 0 {
		return at + i
	}
	return len(text)
}

// skip returns the first offset that is not white space, in a comment, or one of some bytes.
func (d *yamlDoc) skip(at int, bytes string) int {
	for at < len(d.text) {
		switch c := d.text[at]; {
		case isSpace(c) || strings.IndexByte(bytes, c) >= 0:
			at++
		case c == '#' && (at == 0 || isSpace(d.text[at-1]) || strings.IndexByte(bytes, d.text[at-1]) >= 0):
			at = lineEnd(d.text, at)
		default:
			return at
		}
	}
	return at
}

// unknown is the end of a node that was not found.
const unknown = -1

// end returns where a node ends, without white space and comments behind it; unknown if
// the text is not as expected.
func (d *yamlDoc) end(n *yamlv3.Node) int {
	end, known := d.ends[n]
	if !known {
		end = d.findEnd(n)
		d.ends[n] = end
	}
	return end
}

func (d *yamlDoc) findEnd(n *yamlv3.Node) int {
	at := d.content(n)
	switch n.Kind {
	case yamlv3.AliasNode:
		return at + len("*") + len(n.Value)
	case yamlv3.MappingNode, yamlv3.SequenceNode:
		if n.Style&yamlv3.FlowStyle != 0 {
			return d.endOfFlow(n, at)
		}
		return d.end(n.Content[len(n.Content)-1])
	}
	switch style := n.Style &^ yamlv3.TaggedStyle; style {
	case yamlv3.DoubleQuotedStyle, yamlv3.SingleQuotedStyle:
		return endOfQuoted(d.text, at)
	case yamlv3.LiteralStyle, yamlv3.FoldedStyle:
		return endOfBlock(d.text, at, n.Value)
	}
	return endOfPlain(d.text, at, n.Value)
}

// endOfFlow returns the end of a map or a list in brackets.
func (d *yamlDoc) endOfFlow(n *yamlv3.Node, at int) int {
	at++
	for _, child := range n.Content {
		end := d.end(child)
		if end == unknown {
			return unknown
		}
		at = max(at, end)
	}
	at = d.skip(at, ",:?")
	if at == len(d.text) || d.text[at] != ']' && d.text[at] != '}' {
		return unknown
	}
	return at + 1
}

// endOfQuoted returns the end of a string in quotes.
func endOfQuoted(text string, at int) int {
	if at == len(text) {
		return unknown
	}
	quote := text[at]
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote && quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return unknown
}

// endOfPlain returns the end of a plain scalar: where its value ends in the text, in which
// line breaks are folded.
func endOfPlain(text string, at int, value string) int {
	for len(value) > 0 {
		if at == len(text) {
			return unknown
		}
		if !isSpace(text[at]) {
			if text[at] != value[0] {
				return unknown
			}
			at, value = at+1, value[1:]
			continue
		}
		end := at
		for end < len(text) && isSpace(text[end]) {
			end++
		}
		folded := text[at:end]
		switch breaks := strings.Count(folded, "\n"); breaks {
		case 0:
		case 1:
			folded = " "
		default:
			folded = strings.Repeat("\n", breaks-1)
		}
		rest, ok := strings.CutPrefix(value, folded)
		if !ok {
			return unknown
		}
		at, value = end, rest
	}
	return at
}

// endOfBlock returns the end of a scalar after | or >: of its last line that is not empty,
// or with + of its last line. The lines of the value show how deep it is indented.
func endOfBlock(text string, at int, value string) int {
	header := text[at:lineEnd(text, at)]
	marks, _, _ := strings.Cut(header, " ")
	keep := strings.Contains(marks, "+")
	indent, end := unknown, at+len(header)
	for next := end; ; {
		start := afterBreak(text, next)
		if start == next || start == len(text) {
			return end
		}
		next = lineEnd(text, start)
		line := text[start:next]
		if strings.Trim(line, " ") == "" {
			if keep {
				end = next
			}
			continue
		}
		spaces := indentOf(line)
		if indent == unknown {
			first := strings.TrimLeft(value, "\n")
			if first == "" {
				return end
			}
			indent = spaces - indentOf(first)
		}
		if spaces < indent || indent < 1 && spaces == 0 {
			return end
		}
		end = next
	}
}

// afterBreak returns where the line behind a line break begins; at the end of the text
// the same offset.
func afterBreak(text string, at int) int {
	switch {
	case strings.HasPrefix(text[at:], "\r\n"):
		return at + 2
	case strings.HasPrefix(text[at:], "\n"):
		return at + 1
	}
	return at
}

// indentOf counts the spaces at the start of a line.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
