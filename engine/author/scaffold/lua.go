// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"fmt"
	"regexp"
	"strings"
)

// luaName is what Lua takes as a name in a table or behind a dot.
var luaName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// luaKeywords are names that Lua does not take there.
var luaKeywords = []string{
	"and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local",
	"nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
}

// lines is a source that is being written, a line at a time.
type lines struct{ b strings.Builder }

// add writes lines, each indented by two spaces a level.
func (l *lines) add(level int, format string, args ...any) {
	for line := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
		if line != "" {
			line = strings.Repeat("  ", level) + line
		}
		l.b.WriteString(line + "\n")
	}
}

// comment writes a comment that is wrapped.
func (l *lines) comment(level int, format string, args ...any) {
	line := "--"
	for word := range strings.FieldsSeq(fmt.Sprintf(format, args...)) {
		if len(line)+1+len(word) > wrapAt {
			l.add(level, "%s", line)
			line = "--"
		}
		line += " " + word
	}
	l.add(level, "%s", line)
}

func (l *lines) String() string { return l.b.String() }

// wrapAt is how long a written line is at most, where it can be broken.
const wrapAt = 96

// quoted returns a string of Lua.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// pathLiteral returns a path as kube.get takes it.
func pathLiteral(path []string) string {
	for _, step := range path {
		if step == "" || strings.ContainsAny(step, ".[]") {
			return "{ " + list(path, quoted) + " }"
		}
	}
	return quoted(dotted(path))
}

// fieldLiteral returns a field of a status as kube.reflectStatus and others take it.
func fieldLiteral(name string) string { return pathLiteral([]string{name}) }

// list joins words by commas.
func list(words []string, form func(string) string) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = form(w)
	}
	return strings.Join(all, ", ")
}

// table returns a table of words, over several lines where one is too long for it.
func table(level int, words []string, form func(string) string) string {
	if line := "{ " + list(words, form) + " }"; len(line) <= wrapAt-30 {
		return line
	}
	indent := strings.Repeat("  ", level+1)
	var b strings.Builder
	b.WriteString("{\n")
	line := indent
	for _, w := range words {
		item := form(w) + ","
		if len(line)+1+len(item) > wrapAt && line != indent {
			b.WriteString(line + "\n")
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += item
	}
	b.WriteString(line + "\n" + strings.Repeat("  ", level) + "}")
	return b.String()
}

// field returns the key of a constructor: name, or ["a name"].
func field(name string) string {
	if isLuaName(name) {
		return name
	}
	return "[" + quoted(name) + "]"
}

// member returns the access to a field behind a value.
func member(name string) string {
	if isLuaName(name) {
		return "." + name
	}
	return "[" + quoted(name) + "]"
}

func isLuaName(name string) bool {
	for _, k := range luaKeywords {
		if name == k {
			return false
		}
	}
	return luaName.MatchString(name)
}

// nested returns a constructor with a value under a path, such as { a = { b = value } }.
func nested(path []string, value string) string {
	for i := len(path) - 1; i >= 0; i-- {
		value = "{ " + field(path[i]) + " = " + value + " }"
	}
	return value
}
