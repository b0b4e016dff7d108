// SPDX-License-Identifier: Apache-2.0

// Package repl evaluates Lua as a person types it, with the engine of the control plane: its sandbox,
// its libraries and its limits. In go lines, out come values. It reads no files and knows no terminal.
//
// A session is the text that was entered so far. Each entry runs all of it again, as one function of
// the object: the engine is deterministic, so that this is the same as to go on, and a line that
// runs out of gas leaves nothing behind. What an entry takes is the gas of the session up to it.
package repl

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/reference"
	"github.com/dragoman-io/dragoman/engine/script"
)

// ErrIncomplete is that of an entry which goes on in the next line.
var ErrIncomplete = errors.New("the entry is not complete")

// file is the name of the session in messages.
const file = "session"

// entry is the function that a session is: that of an operation whose one argument is the object, and whose
// answer the engine does not look at here.
const entry = "ReflectStatus"

// Session is what was entered. It is used by one goroutine.
type Session struct {
	// Object is obj; nil is an empty object.
	Object map[string]any
	// Params are the parameters of the bundle, Modules what can be required.
	Params  map[string]any
	Modules *engine.Modules
	// Print takes what an entry prints.
	Print func(line string)

	compiler *engine.Compiler
	now      time.Time
	// entries are the statements so far.
	entries []string
}

// New returns an empty session, whose scripts see one time.
func New(c *engine.Compiler, now time.Time) *Session { return &Session{compiler: c, now: now} }

// Value is what an entry came to.
type Value struct {
	// Plain are the values of an expression, as in an unstructured object; none of a statement.
	Plain []any
	Gas   int64
}

// Enter evaluates expressions, or runs statements, which the entries after it see; a call is both. The
// error is ErrIncomplete, or a *script.Error: then the session is as it was.
func (s *Session) Enter(text string) (Value, error) {
	expression := strings.TrimPrefix(strings.TrimSpace(text), "return ")
	asExpression, asStatement := reference.LuaSyntax("input", "return "+expression), reference.LuaSyntax("input", text)
	var v Value
	var err error
	switch {
	case asExpression == nil && expression != "":
		v, err = s.run("return " + expression)
	case asStatement == nil:
		v, err = s.run(text + "\nreturn")
	case isIncomplete(asStatement), isIncomplete(asExpression):
		return v, ErrIncomplete
	default:
		return v, asStatement
	}
	if err == nil && asStatement == nil && expression == strings.TrimSpace(text) && expression != "" {
		s.entries = append(s.entries, text)
	}
	return v, err
}

// isIncomplete reports whether an error of the syntax is that a text ends too soon.
func isIncomplete(err error) bool {
	failure, ok := errors.AsType[*script.Error](err)
	return ok && (strings.HasPrefix(failure.Message, "unexpected end") || strings.HasPrefix(failure.Message, "unterminated long"))
}

// Entries returns the statements of the session, in order.
func (s *Session) Entries() []string { return s.entries }

// Undo takes back the last statement, and returns it; "" for none.
func (s *Session) Undo() string {
	if len(s.entries) == 0 {
		return ""
	}
	last := s.entries[len(s.entries)-1]
	s.entries = s.entries[:len(s.entries)-1]
	return last
}

// run runs the session with one more entry.
func (s *Session) run(last string) (Value, error) {
	// The lines of the session are those of the text: nothing stands before the first.
	text := strings.Join(append([]string{"function " + entry + "(obj) "}, s.entries...), "\n")
	text = strings.Replace(text, "\n", "", 1)
	line := strings.Count(text, "\n") + 1
	if len(s.entries) > 0 {
		text += "\n"
		line++
	}
	program, err := s.compiler.Lua(engine.Script{
		File: file, Text: text + last + "\nend", Operation: engine.InterpretStatus, Params: s.Params, Modules: s.Modules, Strict: true,
	})
	if err != nil {
		return Value{}, unplaced(err)
	}
	object := s.Object
	if object == nil {
		object = map[string]any{}
	}
	v := &Value{}
	usage, err := program.Run(&script.Call{
		Entry: entry, Args: []any{object}, Names: []string{"obj"}, Params: s.Params, Now: s.now,
		Print: func(at script.Position, printed string) {
			if s.Print != nil && (at.File != file || at.Line >= line) { // what came before was shown before
				s.Print(printed)
			}
		},
	}, v)
	v.Gas = usage.Gas
	if failure, ok := errors.AsType[*script.Error](err); ok && failure.Code == script.Result {
		own := *failure
		own.Line, err = line, &own // and not that of the function around the session
	}
	return *v, unplaced(err)
}

// Decode takes the values.
func (v *Value) Decode(results []any, _ script.Meter) error {
	for _, r := range results {
		plain, err := script.Plain(r)
		if err != nil {
			return err
		}
		switch plain.(type) {
		case nil, bool, int64, float64, string, []any, map[string]any:
			v.Plain = append(v.Plain, plain)
		default:
			return script.Errorf(script.Result, "a %s, which is no value of an object", script.TypeName(plain))
		}
	}
	return nil
}

// unplaced returns an error without its column and its source, which have what stands around an entry.
func unplaced(err error) error {
	failure, ok := errors.AsType[*script.Error](err)
	if !ok || failure.File != file {
		return err
	}
	own := *failure
	own.Column, own.Snippet, own.Trace = 0, "", slices.Clone(failure.Trace)
	for i := range own.Trace {
		if own.Trace[i].File == file && own.Trace[i].Function == entry {
			own.Trace[i].Function = "the session"
		}
	}
	return &own
}
