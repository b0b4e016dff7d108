// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/script"
)

func TestRunsShareNothing(t *testing.T) {
	tests := map[string]struct{ leave, find string }{
		"global":            {`secret = o.data`, `return secret`},
		"module local":      {`local kept; local function keep(v) kept = kept or v; return kept end; keep(o.data)`, `local kept; local function keep(v) kept = kept or v; return kept end; return keep(nil)`},
		"upvalue":           {`local n = 0; function count() n = n + 1; return n end; count()`, `local n = 0; function count() n = n + 1; return n end; return count() > 1 or nil`},
		"function":          {`function InterpretHealth() return "stale" end`, `return InterpretHealth`},
		"library function":  {`pcall(function() string.upper = function() return "mine" end end)`, `return string.upper("x") ~= "X" or nil`},
		"shadowed library":  {`string = {upper = function() return "mine" end}`, `return ("x"):upper() ~= "X" or string.upper("x") ~= "X" or nil`},
		"shadowed function": {`error = ""; tostring = nil; type = 5`, `return type(error) ~= "function" or tostring(1) ~= "1" or nil`},
		"table constant":    {`local t = {a = 1, b = {1, 2}}; t.a = 2; t.b[1] = 5; local l = {1, 2}; l[1] = 9`, `local t = {a = 1, b = {1, 2}}; local l = {1, 2}; return t.a + t.b[1] + l[1] ~= 3 or nil`},
		"iterator":          {`it = string.gmatch("a b", "%a"); it()`, `return it`},
		"stack":             {`return o.data, o, "left"`, `local function f(...) local a, b, c; return a or b or c or ... end; return f()`},
		"varargs":           {`local function f(...) return ... end; f(o, o, o)`, `local function f(a, b, c) return a or b or c end; return f()`},
		"error":             {`error({o.data})`, `local ok, e = pcall(error); return e`},
		"parameter":         {`params.x = o.data; params.list[1] = o.data`, `return params.x or params.list[1] ~= "first" or nil`},
		"argument":          {`o.data = "changed"; o.list[1] = "changed"`, `return o.data ~= "secret" or o.list[1] ~= 1 or nil`},
	}
	params := map[string]any{"list": []any{"first"}}
	object := map[string]any{"data": "secret", "list": []any{int64(1)}}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for range 5 {
				ask(t, "function F(o) "+test.leave+" end", script.Call{Entry: "F", Args: []any{object}, Params: params})
				ask(t, "local o = params.o "+test.leave, script.Call{Params: map[string]any{"o": object, "list": []any{"first"}}})
				a := ask(t, "function F(o) "+test.find+" end", script.Call{Entry: "F", Args: []any{object}, Params: params})
				if a.err != nil {
					t.Fatal(a.err)
				}
				for _, r := range a.results {
					if r != nil {
						t.Fatalf("found %v of an earlier run", r)
					}
				}
			}
		})
	}
}

func TestSameProgramStartsFresh(t *testing.T) {
	p := compiled(t, `
count = (count or 0) + 1
local calls = 0
local memo = {}
function F(o)
  calls = calls + 1
  memo[#memo + 1] = o
  return count, calls, #memo
end`)
	for i := range 10 {
		a := perform(p, script.Call{Entry: "F", Args: []any{map[string]any{}}})
		if d := cmp.Diff([]any{int64(1), int64(1), int64(1)}, a.results); d != "" || a.err != nil {
			t.Fatalf("run %d: %v %v", i, d, a.err)
		}
	}
}

// TestNothingIsKeptAlive holds on to the machine of a run and looks whether the
// objects of the run can still be reached through it.
func TestNothingIsKeptAlive(t *testing.T) {
	sources := map[string]string{
		"plain":               `function F(o, p) local x = o.a.b; seen = {o, p}; return x, o end`,
		"stack":               `function F(o, p) local function f(...) return select("#", ...), ... end; return f(o, p, o.a, p.a) end`,
		"pairs":               `function F(o, p) for k, v in pairs(o) do last = v end; local t = {}; for i = 1, 40 do t[i] = p end; return t[40] end`,
		"closures":            `function F(o, p) local function f() return o end; return f, p end`,
		"keys":                `function F(o, p) local t = {}; t[o] = p; for i = 1, 30 do t["k" .. i] = o end; return t end`,
		"strings":             `function F(o, p) return (string.gsub("x", "x", function() return o.s end)), string.match(o.s, ".*") end`,
		"error":               `function F(o, p) local x = {o, p}; error(x) end`,
		"gas":                 `function F(o, p) local x = {o, p}; while true do x[#x] = o end end`,
		"depth":               `function F(o, p) return 1 + F(o, {p}) end`,
		"kube":                `function F(o, p) return kube.merge(o, p), kube.get(o, "a.b") end`,
		"string on the stack": `function F(o, p) local x, y = o.s, p.s; error("x") end`,
		"string in a list":    `function F(o, p) local t = {o.s, p.s, 1}; t[3] = nil; table.remove(t); table.insert(t, p.s) end`,
		"string in fields":    `function F(o, p) local t = {a = o.s}; t.b = p.s end`,
		"string in varargs":   `function F(o, p) local function f(...) return select("#", ...) end; return f(o.s, p.s) end`,
		"string in a pcall":   `function F(o, p) return select(2, pcall(function() return o.s end)), (pcall(error, p.s)) end`,
		"string as a key":     `function F(o, p) for k in pairs(o) do end for k in pairs(p) do end end`,
		"string as a result":  `function F(o, p) return o.s, p.s, o.s end`,
		"string in a frame":   `function F(o, p) local function f() return o.s end; local function g() error(p.s) end; f(); pcall(g); return 1 end`,
		"callbacks":           `function F(o, p) table.sort({o, p, o, p}, function(a, b) return a.n < b.n end) return pcall(error, o) end`,
	}
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			p := compiled(t, source)
			var kept []weak.Pointer[payload]
			func() {
				args := make([]any, 2)
				for i := range args {
					held := &payload{}
					kept = append(kept, weak.Make(held))
					args[i] = map[string]any{
						held.text(): true, "a": map[string]any{"b": []any{held.text()}}, "n": int64(i), "s": held.text(), "l": []any{map[string]any{}},
					}
				}
				perform(p, script.Call{Entry: "F", Args: args, Params: map[string]any{"o": args[0]}})
			}()
			vm := machines.Get().(*machine)
			runtime.GC()
			runtime.GC()
			for i, w := range kept {
				if w.Value() != nil {
					t.Errorf("argument %d is still alive", i+1)
				}
			}
			runtime.KeepAlive(vm)
			runtime.KeepAlive(p)
		})
	}
}

// payload is memory that a string points into, so that its life can be seen.
type payload struct{ bytes [64]byte }

// TestManyGoroutines runs programs that would disturb each other if they could.
func TestManyGoroutines(t *testing.T) {
	health := compiled(t, healthSource)
	components := compiled(t, componentsSource)
	greedy := compiled(t, `string = nil; kept = {} function F(o) kept[#kept + 1] = o; local s = "x" while true do s = s .. s end end`)
	shared := flinkObject()
	before := deepCopy(shared)
	want := perform(components, script.Call{Entry: "GetComponents", Args: []any{shared}})
	var wait sync.WaitGroup
	for g := range 16 {
		wait.Go(func() {
			for i := range 200 {
				if a := perform(health, script.Call{Entry: "InterpretHealth", Args: []any{shared}}); a.err != nil || a.results[0] != true {
					t.Errorf("goroutine %d, run %d: %v %v", g, i, a.results, a.err)
					return
				}
				a := perform(components, script.Call{Entry: "GetComponents", Args: []any{shared}})
				if d := cmp.Diff(want.results, a.results); d != "" || a.usage != want.usage {
					t.Errorf("goroutine %d, run %d: usage %v, want %v\n%s", g, i, a.usage, want.usage, d)
					return
				}
				if i%50 == 0 {
					if a := perform(greedy, script.Call{Entry: "F", Args: []any{shared}}); a.err == nil {
						t.Error("the greedy program ends")
						return
					}
				}
			}
		})
	}
	wait.Wait()
	if d := cmp.Diff(before, any(shared)); d != "" {
		t.Errorf("the shared argument changed:\n%s", d)
	}
}

// TestCostIsTheSameEverywhere runs all chunks again and again, in changing order
// on machines in all states, and with other numbers of processors.
func TestCostIsTheSameEverywhere(t *testing.T) {
	type run struct {
		program script.Program
		usage   script.Usage
		text    string
	}
	var runs []*run
	for _, file := range chunkFiles(t) {
		for _, c := range readChunks(t, file) {
			p, err := Compile(Script{File: filepath.Base(file), Text: c.source()}, script.Limits{})
			if err != nil {
				continue
			}
			a := perform(p, script.Call{Now: chunkTime})
			runs = append(runs, &run{p, a.usage, fmt.Sprint(a.results, a.err)})
		}
	}
	for _, source := range []string{`while true do end`, `local t = {} while true do t[#t + 1] = {} end`, `for k in pairs(params) do params[k .. "x"] = k end return params`} {
		p := compiled(t, source)
		a := perform(p, script.Call{Params: sample()})
		runs = append(runs, &run{p, a.usage, fmt.Sprint(a.results, a.err)})
	}
	for round := range 20 {
		before := runtime.GOMAXPROCS(1 + round%2)
		for i := range runs {
			r := runs[(i*7+round*13)%len(runs)]
			var params map[string]any
			if (i*7+round*13)%len(runs) >= len(runs)-3 {
				params = sample()
			}
			a := perform(r.program, script.Call{Now: chunkTime, Params: params})
			if a.usage != r.usage || fmt.Sprint(a.results, a.err) != r.text {
				t.Fatalf("round %d: got %+v %s\nwant %+v %s", round, a.usage, fmt.Sprint(a.results, a.err), r.usage, r.text)
			}
		}
		runtime.GOMAXPROCS(before)
		if round%5 == 0 {
			runtime.GC()
			runtime.GC()
		}
	}
}

// TestCostOfKnownPrograms pins the cost of programs, so that a change of it is
// seen: it changes what users may run.
func TestCostOfKnownPrograms(t *testing.T) {
	tests := map[string]struct {
		source string
		want   script.Usage
	}{
		"nothing":    {``, script.Usage{Gas: 1}},
		"a constant": {`return 1`, script.Usage{Gas: 3}},
		"a sum":      {`local a, b = 1, 2 return a + b`, script.Usage{Gas: 8}},
		"a loop":     {`for i = 1, 100 do end`, script.Usage{Gas: 204}},
		"a table":    {`return {a = 1}`, script.Usage{Gas: 4 + 3, Memory: tableBytes + tableBytes + fieldBytes}},
		"a call":     {`return type(1)`, script.Usage{Gas: 7}},
		"a string":   {`return string.rep("x", 640)`, script.Usage{Gas: 9 + 10, Memory: 640 + textBytes}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if a := ask(t, test.source, script.Call{}); a.err != nil || a.usage != test.want {
				t.Errorf("got %+v %v, want %+v", a.usage, a.err, test.want)
			}
		})
	}
}

func TestClockAndPrintAreThoseOfTheCall(t *testing.T) {
	var lines []string
	a := ask(t, "print('at', os.time(), os.date('!%F %T'))\nprint()\nprint({a = {1, 'x'}}, {})\nreturn os.time()", script.Call{
		Now:   time.Date(2030, 1, 2, 3, 4, 5, 0, time.FixedZone("elsewhere", 3600)),
		Print: func(at script.Position, line string) { lines = append(lines, at.String()+" "+line) },
	})
	if a.err != nil {
		t.Fatal(a.err)
	}
	if d := cmp.Diff([]string{"test.lua:1 at\t1893549845\t2030-01-02 02:04:05", "test.lua:2 ", `test.lua:3 {a = {1, "x"}}	{}`}, lines); d != "" {
		t.Errorf("printed (-want +got):\n%s", d)
	}
}

// text returns a string in the memory of the payload.
func (p *payload) text() string { return unsafe.String(&p.bytes[0], len(p.bytes)) }
