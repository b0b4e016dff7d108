// SPDX-License-Identifier: Apache-2.0

package document

import (
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
)

// write returns the text with a change made; false if the text is not of a known form. It
// does not change the tree.
func (d *yamlDoc) write(c change) (text string, ok bool) {
	defer func() {
		if ok {
			ok = len(text) <= maxText
		}
	}()
	switch p := c.parent(); {
	case c.isKey:
		return "", false
	case p.Kind == yamlv3.DocumentNode:
		return d.writeRoot(c.value)
	case c.action == setItem || p.Style&yamlv3.FlowStyle != 0:
		s, ok := d.set(c)
		if !ok {
			return "", false
		}
		return s.apply(d.text), true
	case c.action == insertItem:
		return d.insertInBlock(c)
	case len(p.Content) == 1 || p.Kind == yamlv3.MappingNode && len(p.Content) == 2:
		return d.emptyBlock(c)
	}
	return d.removeFromBlock(c)
}

// set returns the change of the text that a change in brackets makes, or one that replaces a
// value anywhere; false if the text is not of a known form.
func (d *yamlDoc) set(c change) (splice, bool) {
	if c.parent().Style&yamlv3.FlowStyle != 0 {
		return d.writeFlow(c)
	}
	return d.setInBlock(c)
}

// writeRoot writes the whole document; one that becomes empty keeps the comments around it.
func (d *yamlDoc) writeRoot(value *yamlv3.Node) (string, bool) {
	if len(value.Content) > 0 {
		text, err := encode(value, d.style())
		return breakLines(text, breakOf(d.text)), err == nil
	}
	end := d.end(d.root())
	if end == unknown {
		return "", false
	}
	empty, err := inFlow(value)
	return d.text[:d.start(d.root())] + empty + d.text[lineEnd(d.text, end):], err == nil
}

// writeFlow changes a collection in brackets.
func (d *yamlDoc) writeFlow(c change) (splice, bool) {
	p := c.parent()
	f := flow{text: d.text, span: span{d.content(p), d.end(p)}, space: " "}
	step := 1
	if p.Kind == yamlv3.MappingNode {
		step = 2
	}
	for i := 0; i < len(p.Content); i += step {
		item := span{d.start(p.Content[i]), d.end(p.Content[i+step-1])}
		if item.end < item.start {
			return splice{}, false
		}
		f.items = append(f.items, item)
	}
	if f.end == unknown {
		return splice{}, false
	}
	if c.action == removeItem {
		return f.remove(c.index), true
	}
	item, err := inFlow(c.value)
	if err != nil {
		return splice{}, false
	}
	if c.action == setItem {
		old := p.Content[c.slot()]
		at := d.start(old)
		if d.text[at-1] == ':' {
			item = " " + item
		}
		return splice{at, d.end(old), item}, true
	}
	if p.Kind == yamlv3.MappingNode {
		key, err := inFlow(stringNode(c.key))
		if err != nil {
			return splice{}, false
		}
		item = key + ": " + item
	}
	return f.insert(c.index, item), true
}

// column returns how far the items of a collection in lines are indented.
func (d *yamlDoc) column(p *yamlv3.Node) int {
	at := d.content(p)
	return at - max(lineStart(d.text, at), d.lines.starts[0])
}

// lead returns where the key or the dash of an item of a collection in lines is.
func (d *yamlDoc) lead(p *yamlv3.Node, index int) (int, bool) {
	if p.Kind == yamlv3.MappingNode {
		return d.start(p.Content[2*index]), true
	}
	column := d.column(p)
	for line := p.Content[index].Line; line > 0; line-- {
		start := d.lines.starts[line-1]
		text := d.text[start:lineEnd(d.text, start)]
		isComment := strings.HasPrefix(strings.TrimLeft(text, " "), "#")
		if rest := text[min(column, len(text)):]; !isComment && (rest == "-" || strings.HasPrefix(rest, "- ")) {
			return start + column, true
		}
	}
	return 0, false
}

// introduced returns the end of the colon or the dash before the value of an item.
func (d *yamlDoc) introduced(p *yamlv3.Node, index int) (int, bool) {
	if p.Kind == yamlv3.SequenceNode {
		dash, ok := d.lead(p, index)
		return dash + 1, ok
	}
	end := d.end(p.Content[2*index])
	if end == unknown {
		return 0, false
	}
	colon := d.skip(end, "")
	return colon + 1, colon < len(d.text) && d.text[colon] == ':'
}

// setInBlock replaces the value of an item of a collection in lines. Comments stay, but
// those in a value of several lines.
func (d *yamlDoc) setInBlock(c change) (splice, bool) {
	p := c.parent()
	old := p.Content[c.slot()]
	start, end := d.start(old), d.end(old)
	intro, ok := d.introduced(p, c.index)
	if !ok || end == unknown || start < intro {
		return splice{}, false
	}
	e, ok := d.entryOf(p, c.value)
	if !ok {
		return splice{}, false
	}
	at := place{node: old, intro: intro, start: start, end: end}
	if strings.Contains(d.text[intro:start], "\n") {
		return d.setBelow(at, e), true
	}
	return d.setBehind(at, e), true
}

// place is where a value of a collection in lines is; intro is the end of its colon or dash.
type place struct {
	node              *yamlv3.Node
	intro, start, end int
}

// setBehind replaces a value that begins in the line of its colon or dash.
func (d *yamlDoc) setBehind(old place, e entry) splice {
	end := lineEnd(d.text, old.end)
	comment := d.text[old.end:end]
	if isLines(old.node) {
		comment = ""
	}
	if e.first == "" && !blank(comment) {
		comment = " " + strings.TrimLeft(comment, " \t")
	}
	gap := gapFor(d.text[old.intro:old.start], e)
	return splice{old.intro, end, gap + e.first + strings.TrimRight(comment, " \t") + e.rest}
}

// setBelow replaces a value that begins in a line below its colon or dash; the comments
// between stay.
func (d *yamlDoc) setBelow(old place, e entry) splice {
	if e.rest == "" && !isLines(old.node) {
		return splice{old.start, old.end, e.first}
	}
	first := ""
	if e.first != "" {
		first = " " + e.first
	}
	between := d.text[old.intro:lineStart(d.text, old.start)]
	return splice{old.intro, lineEnd(d.text, old.end), first + strings.TrimRight(between, "\r\n") + e.rest}
}

// gapFor returns the white space before a value, as it was if the value is on one line.
func gapFor(gap string, e entry) string {
	switch {
	case e.first == "":
		return ""
	case gap == "" || e.rest != "":
		return " "
	}
	return gap
}

// isLines reports whether a value is written in lines of its own: comments behind it are
// comments in it.
func isLines(n *yamlv3.Node) bool {
	switch n.Kind {
	case yamlv3.MappingNode, yamlv3.SequenceNode:
		return n.Style&yamlv3.FlowStyle == 0
	case yamlv3.ScalarNode:
		return n.Style&(yamlv3.LiteralStyle|yamlv3.FoldedStyle) != 0
	}
	return false
}

// insertInBlock adds an item to a collection in lines: behind the item before it, so that
// comments stay with the item that they precede.
func (d *yamlDoc) insertInBlock(c change) (string, bool) {
	p := c.parent()
	indent := strings.Repeat(" ", d.column(p))
	item, ok := d.itemOf(c, indent)
	if !ok {
		return "", false
	}
	newline := breakOf(d.text)
	if c.index == 0 {
		at, ok := d.lead(p, 0)
		if !ok {
			return "", false
		}
		at = d.aboveComments(at)
		return splice{at, at, item + newline + indent}.apply(d.text), true
	}
	before := change{path: c.path, index: c.index - 1}
	end := d.end(p.Content[before.slot()])
	if end == unknown {
		return "", false
	}
	at := lineEnd(d.text, end)
	return splice{at, at, newline + indent + item}.apply(d.text), true
}

// aboveComments returns the place of the first of the comments directly above the line of an
// item that are indented as it is; the place of the item if there are none.
func (d *yamlDoc) aboveComments(at int) int {
	start := lineStart(d.text, at)
	if !blank(d.text[start:at]) {
		return at
	}
	column := at - start
	for start > d.lines.starts[0] {
		above := lineStart(d.text, start-1)
		line := d.text[above:start]
		if indentOf(line) != column || line[column] != '#' {
			break
		}
		start = above
	}
	return start + column
}

// removeFromBlock drops the lines of an item of a collection in lines that has others.
func (d *yamlDoc) removeFromBlock(c change) (string, bool) {
	p := c.parent()
	start, ok := d.lead(p, c.index)
	end := d.end(p.Content[c.slot()])
	if !ok || end == unknown {
		return "", false
	}
	end = lineEnd(d.text, end)
	line := max(lineStart(d.text, start), d.lines.starts[0])
	next := afterBreak(d.text, end)
	switch {
	case !blank(d.text[line:start]):
		// The first item, in the line of a dash: the next one moves there.
		next += indentOf(d.text[next:])
		return splice{start, next, ""}.apply(d.text), true
	case next > end || line == d.lines.starts[0]:
		return splice{line, next, ""}.apply(d.text), true
	}
	before := strings.TrimSuffix(strings.TrimSuffix(d.text[:line], "\n"), "\r")
	return before + d.text[end:], true
}

// emptyBlock removes the only item of a collection in lines, which becomes {} or [].
func (d *yamlDoc) emptyBlock(c change) (string, bool) {
	p := c.parent()
	empty := &yamlv3.Node{Kind: p.Kind, Tag: p.Tag, Anchor: p.Anchor, Style: yamlv3.FlowStyle | p.Style&yamlv3.TaggedStyle}
	outer := change{action: setItem, path: c.path[:len(c.path)-1], value: empty}
	outer.index = slices.Index(outer.parent().Content, p)
	switch outer.parent().Kind {
	case yamlv3.DocumentNode:
		return d.writeRoot(empty)
	case yamlv3.MappingNode:
		outer.index /= 2
	}
	change, ok := d.setInBlock(outer)
	if !ok {
		return "", false
	}
	return change.apply(d.text), true
}
