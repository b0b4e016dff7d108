package lua

import (
	"errors"
	"fmt"
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Source is a script before compilation.
type Source struct {
	// File names the script in messages: a path within its bundle, or for a
	// customization its name and field.
	File string
	Text string
}

// Compile makes a program of src. Of limits only Source counts here; a zero
// field takes the default.
//
// The program is immutable, and safe for many goroutines. An error is a
// *script.Error of code Syntax with the line, and the column where it is known.
func Compile(src Source, limits script.Limits) (program script.Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			program, err = nil, script.Errorf(script.Internal, "%s: compilation stopped: %v", src.File, r)
		}
	}()
	limits = limits.Or(script.DefaultLimits)
	if len(src.Text) > limits.Source {
		return nil, src.fail(script.Position{}, fmt.Sprintf("the script has %d bytes; at most %d are allowed", len(src.Text), limits.Source))
	}
	g := guard(src.Text)
	if g.problem != "" {
		return nil, src.fail(script.Position{Line: g.line, Column: g.column}, g.problem)
	}
	chunk, err := parse.Parse(strings.NewReader(src.Text), src.File)
	if err != nil {
		return nil, src.syntax(err, g)
	}
	p, failed := compile(src, chunk)
	if failed != nil {
		return nil, failed
	}
	return p, nil
}

// fail makes a syntax error at a place in src.
func (src Source) fail(at script.Position, message string) *script.Error {
	at.File = src.File
	e := &script.Error{Code: script.Syntax, Position: at, Message: message}
	e.Snippet = src.snippet(at.Line, at.Column)
	return e
}

// syntax puts an error of the parser into our words.
func (src Source) syntax(err error, g guarded) *script.Error {
	var p *parse.Error
	if !errors.As(err, &p) {
		return src.fail(script.Position{}, err.Error())
	}
	if p.Pos.Line == parse.EOF {
		if p.Message != "syntax error" && p.Message != "parse error" {
			return src.fail(script.Position{Line: g.line}, strings.ToLower(p.Message))
		}
		return src.fail(script.Position{Line: g.line}, "unexpected end of the script"+g.unclosed())
	}
	at := script.Position{Line: p.Pos.Line, Column: src.column(p)}
	if line := src.line(at.Line); p.Token == "" && at.Column > 0 && at.Column <= len(line) {
		p.Token = line[at.Column-1 : at.Column]
	}
	switch {
	case p.Message == "syntax error" || p.Message == "parse error":
		return src.fail(at, fmt.Sprintf("syntax error near '%s'", clip(p.Token)))
	case p.Token == "":
		return src.fail(at, strings.ToLower(p.Message))
	}
	return src.fail(at, fmt.Sprintf("%s near '%s'", strings.ToLower(p.Message), clip(p.Token)))
}

// column gives where the token of a parser's error starts. The parser names the
// last character of the token.
func (src Source) column(p *parse.Error) int {
	line := src.line(p.Pos.Line)
	end := p.Pos.Column
	if start := end - len(p.Token); start >= 0 && end <= len(line) && line[start:end] == p.Token {
		return start + 1
	}
	return max(end, 0)
}

// line gives line n of the source, from 1, without its end.
func (src Source) line(n int) string {
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

// maxSnippet bounds the line that a message shows.
const maxSnippet = 120

// snippet shows line n with a caret under column, or under its first character
// where the column is 0. It is "" where there is no such line.
func (src Source) snippet(n, column int) string {
	if n < 1 {
		return ""
	}
	line := strings.ReplaceAll(src.line(n), "\t", " ")
	if strings.TrimSpace(line) == "" {
		return ""
	}
	if column < 1 || column > len(line) {
		column = len(line) - len(strings.TrimLeft(line, " ")) + 1
	}
	if column > maxSnippet-20 {
		cut := column - 20
		line, column = line[cut:], column-cut
	}
	if len(line) > maxSnippet {
		line = line[:maxSnippet]
	}
	return line + "\n" + strings.Repeat(" ", column-1) + "^"
}

// locate finds the column of expression in line n, or 0 where it stands there
// more than once or not in that form.
func (src Source) locate(n int, expression string) int {
	if expression == "" || n < 1 {
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

// clip shortens a token for a message.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "")
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

// compile resolves and compiles a parsed chunk.
func compile(src Source, chunk []ast.Stmt) (*program, *script.Error) {
	main := &ast.FunctionExpr{ParList: &ast.ParList{HasVargs: true}, Stmts: chunk}
	r := newResolver(standard())
	r.function(main)
	if r.problem != nil {
		return nil, src.fail(script.Position{Line: r.problem.line}, r.problem.message)
	}
	c := &compiler{resolver: r}
	p := &program{source: src, environment: r.environment}
	p.main = &function{proto: c.function(main, "main chunk")}
	p.globals, p.named, p.params = r.initial(), r.names(), r.params
	p.locals = localFunctions(chunk)
	if c.problem != nil {
		return nil, src.fail(script.Position{Line: c.problem.line}, c.problem.message)
	}
	return p, nil
}

// localFunctions names the functions that the chunk itself declares local.
func localFunctions(chunk []ast.Stmt) []string {
	var names []string
	for _, s := range chunk {
		if l, ok := s.(*ast.LocalAssignStmt); ok && len(l.Names) == 1 && len(l.Exprs) == 1 {
			if _, ok := l.Exprs[0].(*ast.FunctionExpr); ok {
				names = append(names, l.Names[0])
			}
		}
	}
	return names
}
