// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/yuin/gopher-lua/parse"

	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Script is a script before compilation.
type Script struct {
	// File names the script in messages: a path within its bundle, or for a
	// customization its name and field.
	File string
	Text string
	// Modules are the chunks that the script can require beside the libraries; nil is
	// none.
	Modules *Modules
	// Module is the name of the module that the script is, such as lib.memory; "" is none.
	// The entry of a call is then a function of the table that the chunk returns, not
	// a global. One of Modules is compiled with them, not again.
	Module string
	// Strict refuses an assignment to a global, other than the definition of a
	// function at the top level of the chunk, and reading a global that nothing
	// defines.
	Strict bool
	// Warn takes what is a mistake in a script that is not strict, and compiles all the same;
	// nil looks for none.
	Warn func(*script.Error)
	// Params are the names of the parameters, sorted. Strict refuses any other field of
	// params.
	Params []string
	// Coverage registers the lines of the source and counts those that run; nil
	// counts nothing and costs nothing.
	Coverage *script.Coverage
	// Recording is told what the lines do; nil records nothing and costs nothing.
	Recording *script.Recording
}

// Compile makes a program of src. Of limits only Source counts here; a zero
// field takes the default.
//
// The program is immutable, and safe for many goroutines. An error is a
// *script.Error of code Syntax with the line, and the column where it is known. A
// module is compiled where the script requires it, directly or through others; its
// errors name its own file.
func Compile(src Script, limits script.Limits) (program script.Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			program, err = nil, script.Errorf(script.Internal, "%s: compilation stopped: %v", src.File, r)
		}
	}()
	p, failed := newProgram(src, limits.Or(script.DefaultLimits()).Source)
	if failed != nil {
		return nil, script.Finish(failed, script.Position{})
	}
	return p, nil
}

// fail makes a syntax error at a place in src.
func (src Script) fail(at script.Position, message string) *script.Error {
	at.File = src.File
	e := &script.Error{Code: script.Syntax, Position: at, Message: message}
	e.Snippet = src.snippet(at.Line, at.Column)
	return e
}

// syntax puts an error of the parser into our words.
func (src Script) syntax(err error, g guarded) *script.Error {
	var p *parse.Error
	if !errors.As(err, &p) {
		return src.fail(script.Position{}, err.Error())
	}
	if p.Pos.Line == parse.EOF {
		if p.Message != "syntax error" && p.Message != "parse error" {
			return src.fail(script.Position{Line: g.line}, strings.ToLower(p.Message))
		}
		return src.fail(script.Position{Line: g.line}, "unexpected end of the script"+g.unclosed()+endHint(src.Text))
	}
	at := script.Position{Line: p.Pos.Line, Column: src.column(p)}
	if line := src.line(at.Line); p.Token == "" && at.Column > 0 && at.Column <= len(line) {
		p.Token = line[at.Column-1 : at.Column]
	}
	message := strings.ToLower(p.Message)
	if message == "parse error" {
		message = "syntax error"
	}
	if p.Token != "" || message == "syntax error" {
		message = fmt.Sprintf("%s near '%s'", message, clip(p.Token))
	}
	if line := src.line(at.Line); len(line) <= maxHinted {
		if h := hint(line, at.Column, p.Token); h != "" {
			message += "; " + h
		}
	}
	return src.fail(at, message)
}

// maxHinted is how long a line is at most in which a hint is looked for.
const maxHinted = 1000

// column returns where the token of a parser's error starts. The parser names the
// last character of the token.
func (src Script) column(p *parse.Error) int {
	line := src.line(p.Pos.Line)
	end := p.Pos.Column
	if start := end - len(p.Token); start >= 0 && end <= len(line) && line[start:end] == p.Token {
		return start + 1
	}
	return max(end, 0)
}

// line returns line n of the source, from 1, without its end.
func (src Script) line(n int) string {
	rest := src.Text
	for ; n > 1; n-- {
		i := strings.IndexAny(rest, "\r\n")
		if i < 0 {
			return ""
		}
		if i+1 < len(rest) && rest[i] != rest[i+1] && strings.ContainsRune("\r\n", rune(rest[i+1])) {
			i++
		}
		rest = rest[i+1:]
	}
	if i := strings.IndexAny(rest, "\r\n"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// snippet shows line n with a caret under column, which counts bytes, or under its first
// character where the column is 0. It is "" where there is no such line.
func (src Script) snippet(n, column int) string {
	if n < 1 {
		return ""
	}
	line := src.line(n)
	if column < 1 || column > len(line) {
		column = len(line) - len(strings.TrimLeft(line, " \t")) + 1
	}
	return diag.Snippet(line, 1+utf8.RuneCountInString(line[:column-1]))
}

// locate finds the column of expression in line n, or 0 where it stands there
// more than once or not in that form, or is too long for a message.
func (src Script) locate(n int, expression string) int {
	if expression == "" || len(expression) > maxExpression || n < 1 {
		return 0
	}
	line := src.line(n)
	found := 0
	for at := 0; ; {
		i := strings.Index(line[at:], expression)
		if i < 0 {
			return found
		}
		start, end := at+i, at+i+len(expression)
		if (start == 0 || !isNameByte(line[start-1]) && line[start-1] != '.') && (end == len(line) || !isNameByte(line[end])) {
			if found > 0 {
				return 0
			}
			found = start + 1
		}
		at = start + 1
	}
}

// maxToken is how many bytes of a text a message shows.
const maxToken = 40

// clip shortens a text for a message. It reads no more of it than it returns.
func clip(s string) string {
	if len(s) > maxToken {
		return strings.ToValidUTF8(s[:maxToken], "") + "..."
	}
	return strings.ToValidUTF8(s, "")
}
