// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/script"
)

// failure is what a script panics with. It never leaves a run: Run and pcall
// recover it.
type failure struct {
	code script.Code
	// source and line are where it happened; without source, in the function
	// under way.
	source     *Script
	line       int
	message    string
	expression string
	// raised reports whether error raised value, which is not a string.
	raised bool
	value  any
	// number is what error raised where that is a number, nil else.
	number any
	// bare reports whether the value pcall returns is the message without position.
	bare bool
}

// fatal reports whether pcall must not catch the failure.
func (e *failure) fatal() bool {
	switch e.code {
	case script.Type, script.User:
		return false
	}
	return true
}

// position is what stands before the message of an error that a script catches.
func (e *failure) position() string {
	if e.bare {
		return ""
	}
	return e.source.File + ":" + strconv.Itoa(e.line) + ": "
}

// fail ends the run, or the pcall around it, with an error about the operation
// on e. The source form of e follows the message where it has one.
func (f *frame) fail(e ast.Expr, format string, args ...any) {
	expression := describe(e)
	message := fmt.Sprintf(format, args...)
	panic(&failure{code: script.Type, line: e.Line(), message: message, expression: expression})
}

// of returns the source form of e in brackets after a space, or "".
func of(e ast.Expr) string {
	if s := describe(e); s != "" {
		return " (" + s + ")"
	}
	return ""
}

// errorOf makes the error of a run from a failure, while the frames of the
// calls under way still stand.
func (vm *machine) errorOf(e *failure) *script.Error {
	e.locate(vm.frame)
	src := e.source
	err := &script.Error{Code: e.code, Message: e.message, Expression: e.expression}
	err.File, err.Line = src.File, e.line
	if e.raised {
		err.Message = "the script raised a " + typeName(e.value) + " value"
		err.Value = valueText(e.value)
	}
	if e.bare {
		src = vm.program.adopt(err, src)
	}
	err.Column = src.locate(err.Line, err.Expression)
	err.Snippet = src.snippet(err.Line, err.Column)
	err.Trace = vm.trace(e.line)
	return err
}

// maxRaised is the gas of reading the largest value that an error shows.
const maxRaised = 64

// valueText returns a value that a script raised as JSON, "" where it is large or has
// no plain form.
func valueText(v any) string {
	plain, err := script.Plain(v)
	w := weight{most: maxRaised}
	if err != nil || !w.add(plain, maxDepth) || w.gas() > maxRaised {
		return ""
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return ""
	}
	return string(text)
}

// adopt takes over the position that a message starts with: that of an error
// which the script caught and raised again. It returns the source of the position,
// which else is src.
func (p *program) adopt(err *script.Error, src *Script) *Script {
	for _, s := range p.sources {
		rest, ok := strings.CutPrefix(err.Message, s.File+":")
		if !ok {
			continue
		}
		digits, message, ok := strings.Cut(rest, ": ")
		if line, wrong := strconv.Atoi(digits); ok && wrong == nil {
			err.File, err.Line, err.Message = s.File, line, message
			return s
		}
	}
	return src
}

// locate notes the source of a failure that happened in the function under way.
func (e *failure) locate(f *frame) {
	if e.source == nil {
		e.source = f.source()
	}
}

// trace lists the Lua functions under way, innermost first. line is where the
// innermost one stands; the others stand at the call they are in.
func (vm *machine) trace(line int) []script.Frame {
	var frames []script.Frame
	for f := vm.frame; f != nil && f.fn != nil; f = f.prev {
		if len(frames) > 0 {
			line = f.line()
		}
		frames = append(frames, script.Frame{
			Position: script.Position{File: f.source().File, Line: line},
			Function: f.fn.name,
		})
	}
	if n := len(frames); n > maxTrace {
		left := script.Frame{Position: frames[maxTrace/2].Position, Function: fmt.Sprintf("%d calls more", n-maxTrace)}
		frames = append(append(frames[:maxTrace/2:maxTrace/2], left), frames[n-maxTrace/2:]...)
	}
	return frames
}

// maxTrace is how many calls a trace shows; of a longer one it shows both ends.
const maxTrace = 20

// maxExpression bounds the source form that a message shows.
const maxExpression = 80

// describe returns the source form of an expression that names a value, such as
// o.status.jobs or items[i], or "".
func describe(e ast.Expr) string {
	if _, ok := e.(*ast.NumberExpr); ok {
		return ""
	}
	var b strings.Builder
	if !form(&b, e) || b.Len() > maxExpression {
		return ""
	}
	return b.String()
}

// form writes the source form of e and reports whether it has one.
func form(b *strings.Builder, e ast.Expr) bool {
	if b.Len() > maxExpression {
		return false
	}
	switch e := e.(type) {
	case *ast.IdentExpr:
		return name(b, "", e.Value)
	case *ast.NumberExpr:
		return name(b, "", e.Value)
	case *ast.AttrGetExpr:
		if !form(b, e.Object) {
			return false
		}
		if key, ok := e.Key.(*ast.StringExpr); ok {
			if len(key.Value) <= maxExpression && !isName(key.Value) {
				return name(b, "[", strconv.Quote(key.Value)+"]")
			}
			return name(b, ".", key.Value)
		}
		b.WriteByte('[')
		ok := form(b, e.Key)
		b.WriteByte(']')
		return ok
	case *ast.FuncCallExpr:
		if e.Func != nil {
			ok := form(b, e.Func)
			b.WriteString("(...)")
			return ok
		}
		return form(b, e.Receiver) && name(b, ":", e.Method) && name(b, "(...)", "")
	}
	return false
}

// name writes a name behind a mark and reports whether it is short enough.
func name(b *strings.Builder, mark, s string) bool {
	if len(s) > maxExpression {
		return false
	}
	b.WriteString(mark)
	b.WriteString(s)
	return true
}

// isName reports whether s can stand after a dot.
func isName(s string) bool {
	if s == "" || isDigit(s[0]) || isKeyword(s) {
		return false
	}
	for i := range len(s) {
		if !isNameByte(s[i]) {
			return false
		}
	}
	return true
}
