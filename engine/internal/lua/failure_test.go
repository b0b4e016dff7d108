// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/script"
)

func TestErrorTellsWhereAndWhat(t *testing.T) {
	source := `
local function state(o)
  return o.status.jobs.state
end

function InterpretHealth(obj)
  local s = state(obj)
  return s == "RUNNING"
end
`
	a := ask(t, source, script.Call{Entry: "InterpretHealth", Args: []any{map[string]any{"status": map[string]any{}}}})
	got := scriptError(t, a.err)
	want := &script.Error{
		Code:       script.Type,
		Position:   script.Position{File: "test.lua", Line: 3, Column: 10},
		Message:    "attempt to index a nil value (o.status.jobs) with key 'state'",
		Expression: "o.status.jobs",
		Snippet:    "  return o.status.jobs.state\n         ^",
		Trace: []script.Frame{
			{Position: script.Position{File: "test.lua", Line: 3}, Function: "state"},
			{Position: script.Position{File: "test.lua", Line: 7}, Function: "InterpretHealth"},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("error (-want +got):\n%s", d)
	}
}

func TestErrorNamesTheExpression(t *testing.T) {
	tests := map[string]struct {
		source, message, expression string
	}{
		"argument of pairs": {
			`local o = {} for k in pairs(o.spec.list) do end`,
			"attempt to index a nil value (o.spec) with key 'list'", "o.spec",
		},
		"argument of ipairs": {
			`local o = {spec = {}} for k in ipairs(o.spec.list) do end`,
			"bad argument #1 to 'ipairs': table expected, got nil (o.spec.list)", "o.spec.list",
		},
		"argument of a library function": {
			`local o = {} return string.lower(o.name)`,
			"bad argument #1 to 'string.lower': string expected, got nil (o.name)", "o.name",
		},
		"argument of a method": {
			`local o = {} return ("x"):rep(o.times)`,
			"bad argument #2 to 'string.rep': number expected, got nil (o.times)", "o.times",
		},
		"operand": {
			`local o = {spec = {}} return o.spec.replicas + 1`,
			"attempt to perform arithmetic on a nil value (o.spec.replicas)", "o.spec.replicas",
		},
		"right operand": {
			`local o = {spec = {}} return 1 + o.spec.replicas`,
			"attempt to perform arithmetic on a nil value (o.spec.replicas)", "o.spec.replicas",
		},
		"comparison": {
			`local o = {} return 5 <= o.ready`,
			"attempt to compare number with nil (o.ready)", "o.ready",
		},
		"concatenation": {
			`local o = {} return "a" .. o.name .. "b"`,
			"attempt to concatenate a nil value (o.name)", "o.name",
		},
		"key that is no name": {
			`local o = {} return o["a.b"].c`,
			`attempt to index a nil value (o["a.b"]) with key 'c'`, `o["a.b"]`,
		},
		"item": {
			`local o, i = {}, 1 return o[i].name`,
			"attempt to index a nil value (o[i]) with key 'name'", "o[i]",
		},
		"result of a call": {
			`local function f() end return f().x`,
			"attempt to index a nil value (f(...)) with key 'x'", "f(...)",
		},
		"result of a method": {
			`local o = {f = function() end} return o:f().x`,
			"attempt to index a nil value (o:f(...)) with key 'x'", "o:f(...)",
		},
		"misspelt library function": {
			`return string.fromat("%d", 1)`,
			"attempt to call a nil value (string.fromat); did you mean string.format?", "string.fromat",
		},
		"misspelt kube function": {
			`return kube.resourceadd("1")`,
			"attempt to call a nil value (kube.resourceadd); did you mean kube.resourceAdd?", "kube.resourceadd",
		},
		"callback": {
			`table.sort({2, 1}, function(a, b) return a.x < b.x end)`,
			"attempt to index a number value (b) with key 'x'", "b",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := scriptError(t, ask(t, test.source, script.Call{}).err)
			if e.Message != test.message && name != "callback" {
				t.Errorf("message\ngot  %s\nwant %s", e.Message, test.message)
			}
			if e.Expression != test.expression && name != "callback" {
				t.Errorf("expression: got %q, want %q", e.Expression, test.expression)
			}
			if e.Code != script.Type || e.Line != 1 || e.File != "test.lua" {
				t.Errorf("got %s at %s, want Type at test.lua:1", e.Code, e.Position)
			}
		})
	}
}

func TestErrorCarriesTheValueRaised(t *testing.T) {
	e := scriptError(t, ask(t, `error({reason = "NotReady", codes = {1, 2}})`, script.Call{}).err)
	if e.Code != script.User {
		t.Errorf("code: got %s, want User", e.Code)
	}
	if want := `{"codes":[1,2],"reason":"NotReady"}`; e.Value != want {
		t.Errorf("value: got %s, want %s", e.Value, want)
	}
	if e := scriptError(t, ask(t, `error("text")`, script.Call{}).err); e.Value != "" || e.Message != "text" {
		t.Errorf("got value %q and message %q, want none and text", e.Value, e.Message)
	}
	if e := scriptError(t, ask(t, `local t = {} for i = 1, 1000 do t[i] = i end error(t)`, script.Call{}).err); e.Value != "" {
		t.Errorf("got the value %q of a large table, want none", e.Value)
	}
}

func TestErrorRaisedAgainKeepsItsPlace(t *testing.T) {
	source := "local function f()\n  local x\n  return x.y\nend\nlocal ok, e = pcall(f)\nerror(e, 0)"
	e := scriptError(t, ask(t, source, script.Call{}).err)
	if want := "test.lua:3: attempt to index a nil value (x) with key 'y'"; e.Error() != want {
		t.Errorf("got  %s\nwant %s", e, want)
	}
}

func TestMissingEntry(t *testing.T) {
	tests := map[string]struct{ source, want string }{
		"near":            {`function interpretHealth() end`, "test.lua: function InterpretHealth is not defined; did you mean interpretHealth?"},
		"misspelt":        {`function InterpertHealth() end`, "test.lua: function InterpretHealth is not defined; did you mean InterpertHealth?"},
		"others":          {`function B() end function A() end`, "test.lua: function InterpretHealth is not defined; the script defines A, B"},
		"none":            {`local x = 1`, "test.lua: function InterpretHealth is not defined; the script defines no global function"},
		"local":           {`local function InterpretHealth() end`, "test.lua: function InterpretHealth is local to the script; it must be global to be called"},
		"no function":     {`InterpretHealth = true`, "test.lua: InterpretHealth is a boolean, not a function"},
		"only sometimes":  {`if params.x then function InterpretHealth() end end`, "test.lua: function InterpretHealth is not defined; the script defines no global function"},
		"a builtin named": {`x = 1`, "test.lua: function InterpretHealth is not defined; the script defines no global function"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := ask(t, test.source, script.Call{Entry: "InterpretHealth"})
			if a.err == nil || a.err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", a.err, test.want)
			}
		})
	}
}

func TestSyntaxErrors(t *testing.T) {
	tests := map[string]struct{ source, want, snippet string }{
		"token":             {"local x =\nlocal y = 2", "test.lua:2:1: syntax error near 'local'", "local y = 2\n^"},
		"bracket":           {"f(1,\n2\n", "test.lua:3: unexpected end of the script: ')' expected to close '(' of line 1", ""},
		"missing end":       {"function f()\n  if x then\n    return 1\nend\n", "test.lua:5: unexpected end of the script: 'end' expected to close 'function' of line 1", ""},
		"missing until":     {"repeat x = 1", "test.lua:1: unexpected end of the script: 'until' expected to close 'repeat' of line 1", "repeat x = 1\n^"},
		"string":            {"x = 'abc\ny = 1", "test.lua:1:5: unterminated string", "x = 'abc\n    ^"},
		"long string":       {"x = [[abc", "test.lua:1:5: unterminated long string or comment", "x = [[abc\n    ^"},
		"field":             {"return a.", "test.lua:1: unexpected end of the script", "return a.\n^"},
		"break":             {"\nbreak", "test.lua:2: break stands outside a loop", "break\n^"},
		"varargs":           {"function f() return ... end", "test.lua:1: '...' stands outside a function that takes it", "function f() return ... end\n^"},
		"statement":         {"x", "test.lua:1: unexpected end of the script", "x\n^"},
		"tabs":              {"\tx = = 1", "test.lua:1:6: syntax error near '='", " x = = 1\n     ^"},
		"windows line ends": {"x = 1\r\ny = = 2\r\n", "test.lua:2:5: syntax error near '='", "y = = 2\n    ^"},
		"character":         {"x = 1 ? 2", "test.lua:1:7: invalid token near '?'; Lua has no choice operator; write condition and a or b, or an if", "x = 1 ? 2\n      ^"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Compile(Script{File: "test.lua", Text: test.source}, script.Limits{})
			e := scriptError(t, err)
			if e.Error() != test.want || e.Code != script.Syntax {
				t.Errorf("got  %s %s\nwant Syntax %s", e.Code, e, test.want)
			}
			if e.Snippet != test.snippet {
				t.Errorf("snippet: got %q, want %q", e.Snippet, test.snippet)
			}
		})
	}
}

func TestSnippetOfALongLine(t *testing.T) {
	source := "local o = {} local s = '" + strings.Repeat("x", 500) + "' return o.missing.field, '" + strings.Repeat("y", 500) + "'"
	e := scriptError(t, ask(t, source, script.Call{}).err)
	line, caret, _ := strings.Cut(e.Snippet, "\n")
	if len(line) > diag.MaxSnippet || !strings.HasPrefix(line[strings.Index(caret, "^"):], "o.missing") {
		t.Errorf("snippet does not show the place:\n%s", e.Snippet)
	}
}

func TestTraceOfDeepRecursion(t *testing.T) {
	source := "local function f(n) return f(n + 1) + 1 end\nfunction Main() return f(1) end"
	e := scriptError(t, ask(t, source, script.Call{Entry: "Main"}).err)
	if e.Code != script.Depth {
		t.Fatalf("got %s, want Depth", e.Code)
	}
	if n := len(e.Trace); n != maxTrace+1 || e.Trace[n-1].Function != "Main" || e.Trace[maxTrace/2].Function != "80 calls more" {
		t.Errorf("trace:\n%s", e.Backtrace())
	}
}

func TestTakerErrorPasses(t *testing.T) {
	p := compiled(t, `function F() return 1 end`)
	want := script.Errorf(script.Result, "not this")
	_, err := p.Run(&script.Call{Entry: "F"}, decodeFunc(func([]any) error { return want }))
	if err != want {
		t.Errorf("got %v, want the decoder's error", err)
	}
}

func TestInternalDefectIsContained(t *testing.T) {
	p := compiled(t, "function F()\n  return 1\nend")
	_, err := p.Run(&script.Call{Entry: "F"}, decodeFunc(func([]any) error { panic("boom") }))
	if e := scriptError(t, err); e.Code != script.Internal || !strings.Contains(e.Message, "boom") {
		t.Errorf("got %s %s, want Internal with boom", e.Code, e)
	}
	if a := perform(p, script.Call{Entry: "F"}); a.err != nil {
		t.Errorf("the next run fails: %v", a.err)
	}
}

func TestArgumentThatIsNoPlainValue(t *testing.T) {
	a := ask(t, "function F(o)\n  return o.x\nend", script.Call{Entry: "F", Args: []any{map[string]any{"x": struct{}{}}}})
	if e := scriptError(t, a.err); e.Code != script.Internal || e.Line != 2 {
		t.Errorf("got %s at %s, want Internal at line 2", e.Code, e.Position)
	}
}
