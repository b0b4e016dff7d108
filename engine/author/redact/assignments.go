// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"
	"slices"
	"strings"
)

// assigned matches a name and what stands between it and its value.
var assigned = regexp.MustCompile(`([A-Za-z_][\w.\-/$\[\]]*)(\\?["'])?([ \t]*)(:=|=>|=|:)([ \t]*)`)

// redactAssignments redacts the values that a text assigns to names of secrets, as scripts, files of
// properties, JSON, YAML, connection strings and queries of URLs do.
func redactAssignments(s string) string {
	var out strings.Builder
	for from := 0; ; {
		m := assigned.FindStringSubmatchIndex(s[from:])
		if m == nil {
			return out.String() + s[from:]
		}
		for i := range m {
			if m[i] >= 0 {
				m[i] += from
			}
		}
		a := assignment{text: s, name: s[m[2]:m[3]], nameAt: m[2], quoted: m[4] >= 0, spaced: m[6] != m[7] || m[10] != m[11], colon: s[m[8]:m[9]] == ":", valueAt: m[1]}
		out.WriteString(s[from:m[1]])
		from = m[1]
		if !a.isSecret(probe) {
			continue
		}
		begin, end := a.value()
		if value := s[begin:end]; a.isOne() && !isOpen(value) && a.isSecret(value) {
			out.WriteString(s[from:begin] + redactedText)
			from = end
		}
	}
}

// probe is a value that is secret behind each name that any value is secret behind.
const probe = "A1b2C3d4E5f6G7h8"

// maxBefore is how much of a line before a name is looked at, in bytes.
const maxBefore = 1024

// assignment is a name in a text, with a value behind it.
type assignment struct {
	text            string
	name            string
	nameAt, valueAt int
	// quoted means that the name ends with a quote, spaced that there are spaces around the sign, and
	// colon that the sign is one.
	quoted, spaced, colon bool
}

// before returns the text of the line before the name, without spaces and quotes at its end.
func (a assignment) before() string {
	line := a.text[max(0, a.nameAt-maxBefore):a.nameAt]
	return strings.TrimRight(line[strings.LastIndexByte(line, '\n')+1:], " \t\"'\\")
}

// beginsLine reports whether the name is the first of its line.
func (a assignment) beginsLine() bool {
	b := strings.TrimLeft(a.before(), " \t-")
	return b == "" || b == "export" || b == "set" || b == "ENV" || b == "ARG"
}

// isOne reports whether the text is an assignment, and no prose: a colon is in prose as well.
func (a assignment) isOne() bool {
	if !a.colon {
		return true
	}
	before := a.before()
	inMap := before != "" && strings.ContainsRune("{,[(", rune(before[len(before)-1]))
	atQuote := a.nameAt > 0 && strings.ContainsRune("\"'", rune(a.text[a.nameAt-1]))
	return a.quoted || a.beginsLine() && (a.spaced || a.ends()) || inMap && a.spaced || atQuote
}

// ends reports whether nothing stands behind the sign in its line.
func (a assignment) ends() bool {
	return a.valueAt < len(a.text) && a.text[a.valueAt] == '\n'
}

// isSecret reports whether a value is secret by the name. What is written like a field is taken for
// one where a colon is behind it.
func (a assignment) isSecret(value string) bool {
	if a.colon && isFieldName(a.name) {
		return isSecretField(a.name, value) || slices.Contains(objectWords, a.name)
	}
	return isSecretVariable(a.name, value)
}

// value returns where the value begins and ends.
func (a assignment) value() (begin, end int) {
	rest := a.text[a.valueAt:]
	if rest == "" || rest[0] == '\n' {
		return a.valueAt, a.valueAt
	}
	for _, quote := range []string{`\"`, `\'`, `"`, `'`} {
		if inner, is := strings.CutPrefix(rest, quote); is {
			return a.valueAt + len(quote), a.valueAt + len(quote) + quotedEnd(inner, quote)
		}
	}
	if a.colon && strings.ContainsRune("|>", rune(rest[0])) && a.beginsLine() {
		return a.block(rest)
	}
	end = substitutionEnd(rest)
	if end < 0 {
		end = a.plainEnd(rest)
	}
	return a.valueAt, a.valueAt + end
}

// plainEnd returns where a value without quotes ends.
func (a assignment) plainEnd(rest string) int {
	before, first := a.before(), a.beginsLine()
	ends := " \t\r\"'`;&,|)<>\\\n"
	switch {
	case before != "" && strings.ContainsRune("{[", rune(before[len(before)-1])), a.colon && !first:
		ends = ",}])\"'\n"
	case first && a.spaced && !strings.HasPrefix(before, "export"):
		line, _, _ := strings.Cut(rest, "\n")
		return len(strings.TrimRight(line, " \t\r,"))
	case first && !a.spaced:
		ends = " \t\r\"'`\n"
	}
	if end := strings.IndexAny(rest, ends); end >= 0 {
		return end
	}
	return len(rest)
}

// maxSubstitution is how long what a shell or a template puts in its place is, in bytes.
const maxSubstitution = 4096

// substitutionEnd returns where what a shell or a template puts in its place ends; -1 where it does not.
func substitutionEnd(line string) int {
	line = line[:min(len(line), maxSubstitution)]
	for begin, end := range map[string]string{"$(": ")", "`": "`", "{{": "}}"} {
		if strings.HasPrefix(line, begin) {
			if at := strings.Index(line[len(begin):], end); at >= 0 {
				return len(begin) + at + len(end)
			}
		}
	}
	return -1
}

// quotedEnd returns where a text in quotes ends.
func quotedEnd(text, quote string) int {
	for i := 0; i < len(text); i++ {
		if strings.HasPrefix(text[i:], quote) {
			return i
		}
		if text[i] == '\\' && len(quote) == 1 {
			i++
		}
	}
	return len(text)
}

// block returns where a block of YAML begins and ends, with the sign that begins it.
func (a assignment) block(rest string) (begin, end int) {
	line := a.text[max(0, a.nameAt-maxBefore):a.nameAt]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	indent := len(line) - len(strings.TrimLeft(line, " "))
	at := strings.IndexByte(rest, '\n')
	if at < 0 {
		return a.valueAt, a.valueAt
	}
	end = at
	for at < len(rest)-1 {
		next, _, _ := strings.Cut(rest[at+1:], "\n")
		if body := strings.TrimLeft(next, " "); body != "" && len(next)-len(body) <= indent {
			break
		}
		at += 1 + len(next)
		end = min(at, len(rest))
	}
	return a.valueAt, a.valueAt + end
}
