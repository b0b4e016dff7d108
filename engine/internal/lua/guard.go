// SPDX-License-Identifier: Apache-2.0

package lua

import "fmt"

// The bounds of a source that keep the parser and the compiler off deep
// recursion. Scripts that people write stay below a fifth of them.
const (
	// maxNesting is how deep brackets and blocks may nest, and how deep the
	// tree of an expression may be.
	maxNesting = 200
	// maxChain is how many operators one expression may have outside brackets.
	maxChain = 1000
	// maxLocals is how many local variables a function may have at once.
	maxLocals = 200
	// maxTokens is how many names, literals, keywords and operators a source may have,
	// without those that only separate or close. The parser and the compiler take time
	// and memory for each, so this bounds both, whatever the source has many of: 64 KiB
	// can hold 65,536, but of what people write they are about 10,000.
	maxTokens = 32_768
)

// guarded is what the guard found in a source.
type guarded struct {
	// problem is why the source is refused, or "".
	problem string
	// line is that of the problem, or the last one of the source.
	line   int
	column int
	// names is how many names the source has.
	names int
	// open are the blocks and brackets that are not closed, outermost first.
	open []token
}

// guard reads a source before the parser does, and refuses what nests too deep.
// It does not judge the grammar: a source that it passes may still not parse.
func guard(text string) guarded {
	g := guarded{}
	s := scanner{text: text, line: 1}
	chain := []int{0}
	var last token
	tokens := 0
	for {
		t := s.next()
		g.line = t.line
		if u := s.unclosed; u.text != "" {
			g.problem, g.line, g.column = "unterminated "+u.text, u.line, u.column
			return g
		}
		if t.kind == tokenEnd {
			return g
		}
		if counts(t) {
			tokens++
		}
		if tokens > maxTokens {
			g.column = t.column
			g.problem = fmt.Sprintf("the script has more than %d names, numbers, strings, keywords and operators; divide it into several scripts", maxTokens)
			return g
		}
		if t.kind == tokenName {
			g.names++
		}
		switch {
		case opens(t):
			g.open = append(g.open, t)
			chain = append(chain, 0)
		case closes(t) && len(g.open) > 0:
			g.open = g.open[:len(g.open)-1]
			chain = chain[:len(chain)-1]
		case extends(t):
			chain[len(chain)-1]++
		case separates(t, last):
			chain[len(chain)-1] = 0
		}
		if t.text == "(" || t.text == "[" || t.text == "{" {
			chain[len(chain)-2]++
		}
		if len(g.open) > maxNesting {
			g.problem = fmt.Sprintf("blocks and brackets nest deeper than %d", maxNesting)
			return g
		}
		if n := len(chain); chain[n-1] > maxChain || n > 1 && chain[n-2] > maxChain {
			g.problem = fmt.Sprintf("an expression has more than %d operators", maxChain)
			return g
		}
		last = t
	}
}

// counts reports whether t is one of the tokens that are bounded.
func counts(t token) bool {
	switch t.text {
	case ",", ";", "=", ".", ")", "]", "}", "then", "do", "end":
		return t.kind == tokenLiteral
	}
	return true
}

// opens reports whether t begins a block or a bracket. The do of a loop counts for
// the loop; an elseif continues its if.
func opens(t token) bool {
	if t.kind != tokenKeyword && t.kind != tokenOperator {
		return false
	}
	switch t.text {
	case "(", "[", "{", "function", "if", "do", "repeat":
		return true
	}
	return false
}

func closes(t token) bool {
	if t.kind != tokenKeyword && t.kind != tokenOperator {
		return false
	}
	switch t.text {
	case ")", "]", "}", "end", "until":
		return true
	}
	return false
}

// extends reports whether t makes the expression it stands in longer.
func extends(t token) bool {
	switch t.kind {
	case tokenKeyword:
		return t.text == "not" || t.text == "and" || t.text == "or"
	case tokenOperator:
		switch t.text {
		case ",", ";", "=", "...":
			return false
		}
		return true
	}
	return false
}

// separates reports whether t begins another expression or statement than the one
// that last belongs to.
func separates(t, last token) bool {
	switch t.kind {
	case tokenKeyword:
		return t.text != "nil" && t.text != "true" && t.text != "false"
	case tokenOperator:
		return t.text != "..."
	case tokenName:
		return last.kind == tokenName || last.kind == tokenLiteral || closes(last)
	}
	return false
}

// unclosed names the innermost block that the source leaves open, or is "".
func (g guarded) unclosed() string {
	if len(g.open) == 0 {
		return ""
	}
	t := g.open[len(g.open)-1]
	end := "end"
	switch t.text {
	case "(":
		end = ")"
	case "[":
		end = "]"
	case "{":
		end = "}"
	case "repeat":
		end = "until"
	}
	return fmt.Sprintf(": '%s' expected to close '%s' of line %d", end, t.text, t.line)
}
