// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Comment is a comment of a source.
type Comment struct {
	// Line and Column are where it begins, from 1; columns count bytes.
	Line, Column int
	// Text is the comment with what begins it.
	Text string
}

// Switches are the rules that the comments of a source switch off. The zero value switches off
// nothing.
type Switches struct {
	file  []string
	lines map[int][]string
}

const (
	directive = "lint:"
	// inLine switches off rules in one line, inFile in the whole source.
	inLine = "disable"
	inFile = "disable-file"
)

// ReadSwitches reads the comments of a source, whose comments begin with mark. A comment behind
// code is about its line, one that stands alone about the next line with code. The findings are
// about comments of another form, and rules that do not exist.
func ReadSwitches(text, mark string, comments []Comment) (Switches, []Finding) {
	s := Switches{lines: map[int][]string{}}
	var wrong []Finding
	var lines []string
	for _, c := range comments {
		body, found := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(c.Text, mark)), directive)
		if !found {
			continue
		}
		if lines == nil {
			lines = strings.Split(text, "\n")
		}
		verb, rest, _ := strings.Cut(body, " ")
		rules := strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\r' })
		fail := func(format string, args ...any) {
			wrong = append(wrong, Finding{Rule: BadDirective, Position: script.Position{Line: c.Line, Column: c.Column}, Message: fmt.Sprintf(format, args...)})
		}
		for _, id := range rules {
			if _, err := Find(id); err != nil {
				fail("%v", err)
			}
		}
		switch {
		case verb != inLine && verb != inFile:
			fail("there is no comment lint:%s; write %s lint:%s RULE, or %s lint:%s RULE for the whole script", verb, mark, inLine, mark, inFile)
		case len(rules) == 0:
			fail("lint:%s names no rule; write %s lint:%s RULE", verb, mark, verb)
		case verb == inFile:
			s.file = append(s.file, rules...)
		default:
			at := codeLine(lines, c, mark)
			s.lines[at] = append(s.lines[at], rules...)
		}
	}
	return s, wrong
}

// codeLine returns the line that a comment is about.
func codeLine(lines []string, c Comment, mark string) int {
	if c.Line > len(lines) || strings.TrimSpace(lines[c.Line-1][:min(c.Column-1, len(lines[c.Line-1]))]) != "" {
		return c.Line
	}
	for i := c.Line; i < len(lines); i++ {
		if text := strings.TrimSpace(lines[i]); text != "" && !strings.HasPrefix(text, mark) {
			return i + 1
		}
	}
	return c.Line
}

// Off reports whether a rule is switched off in a line.
func (s Switches) Off(rule string, line int) bool {
	return slices.Contains(s.file, rule) || slices.Contains(s.lines[line], rule)
}
