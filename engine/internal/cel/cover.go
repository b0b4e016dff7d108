// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Covered returns a program that registers the first line of its expression with c,
// and marks it on each run. p is what Compile returned. With a nil c it returns p.
func Covered(p script.Program, c *script.Coverage) script.Program {
	expression, ok := p.(*program)
	if c == nil || !ok {
		return p
	}
	return &covered{program: expression, line: c.Counter(expression.file, firstLine(expression.source))}
}

// covered is a program that marks its line.
type covered struct {
	*program
	line *script.Counter
}

// Run marks the line and runs the program.
func (p *covered) Run(c *script.Call, t script.Decoder) (script.Usage, error) {
	p.line.Mark()
	return p.program.Run(c, t)
}

// firstLine returns the number of the first line, from 1, with more than white space
// or a comment.
func firstLine(source string) int {
	n := 1
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//") {
			return n
		}
		n++
	}
	return 1
}
