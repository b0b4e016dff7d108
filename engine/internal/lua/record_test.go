// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/script"
)

const recordSource = `local m = require("lib.m")
local seen = 0

local function double(n)
  return n * 2
end

function F(object)
  local sum, last = 0
  for i, v in ipairs(object.list) do
    sum = sum + double(v)
  end
  while sum > 10 do sum = sum - 5 end
  if sum == 1 then
    last = "one"
  elseif sum == m.limit() then
    object.status = {sum = sum}
    seen = seen + 1
  end
  table.insert(object.list, last or 7)
  return sum, object
end
`

// recorded runs the source with a recording, and returns its answer.
func recorded(t *testing.T, source string, steps int, call script.Call) (*script.Recording, answer) {
	t.Helper()
	src := Script{Recording: script.NewRecording(steps)}.withModules(source, map[string]string{"m": "local M = {}\nfunction M.limit()\n  return 8\nend\nreturn M"})
	p, err := Compile(src, script.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return src.Recording, perform(p, call)
}

// steps writes the steps of a recording, a line each.
func steps(r *script.Recording) string {
	kept, left := r.Steps()
	var b strings.Builder
	for i, s := range kept {
		fmt.Fprintf(&b, "%s%s:%d %s", strings.Repeat("  ", s.Depth), s.File, s.Line, strings.TrimSpace(r.Texts()[i]))
		for _, c := range s.Changes {
			fmt.Fprintf(&b, " | %s = %s", c.Name, c.Value)
		}
		if s.Condition != "" {
			fmt.Fprintf(&b, " | is %s", s.Condition)
		}
		if s.Value != "" {
			fmt.Fprintf(&b, " | returns %s", s.Value)
		}
		b.WriteString("\n")
	}
	if left > 0 {
		fmt.Fprintf(&b, "%d more\n", left)
	}
	return b.String()
}

func argument() script.Call {
	return script.Call{Entry: "F", Args: []any{map[string]any{"list": []any{int64(4), int64(5)}}}}
}

func TestRecording(t *testing.T) {
	r, a := recorded(t, recordSource, 100, argument())
	if a.err != nil {
		t.Fatal(a.err)
	}
	want := `test.lua:1 local m = require("lib.m")
test.lua:2 local seen = 0 | seen = 0
test.lua:4 local function double(n)
test.lua:8 function F(object)
test.lua:8 function F(object) | object = {list = {4, 5}}
test.lua:9 local sum, last = 0 | sum = 0 | last = nil
test.lua:10 for i, v in ipairs(object.list) do | i = 1 | v = 4
test.lua:11 sum = sum + double(v)
  test.lua:4 local function double(n) | n = 4
  test.lua:5 return n * 2 | returns 8
test.lua:11 sum = sum + double(v) | sum = 8
test.lua:10 for i, v in ipairs(object.list) do | i = 2 | v = 5
test.lua:11 sum = sum + double(v)
  test.lua:4 local function double(n) | n = 5
  test.lua:5 return n * 2 | returns 10
test.lua:11 sum = sum + double(v) | sum = 18
test.lua:13 while sum > 10 do sum = sum - 5 end | sum = 8 | is false
test.lua:14 if sum == 1 then | is false
test.lua:16 elseif sum == m.limit() then
  lib/m.lua:1 local M = {} | M = {limit = function M.limit}
  lib/m.lua:2 function M.limit()
  lib/m.lua:5 return M | returns {limit = function M.limit}
  lib/m.lua:2 function M.limit()
  lib/m.lua:3 return 8 | returns 8
test.lua:16 elseif sum == m.limit() then | is true
test.lua:17 object.status = {sum = sum} | object = {list = {4, 5}, status = {sum = 8}} | object.status = {sum = 8}
test.lua:18 seen = seen + 1 | seen = 1
test.lua:20 table.insert(object.list, last or 7) | object = {list = {4, 5, 7}, status = {sum = 8}}
test.lua:21 return sum, object | returns 8, {list = {4, 5, 7}, status = {sum = 8}}
`
	if d := cmp.Diff(want, steps(r)); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
}

func TestRecordingIsBounded(t *testing.T) {
	r, _ := recorded(t, recordSource, 2, argument())
	if d := cmp.Diff("test.lua:1 local m = require(\"lib.m\")\ntest.lua:2 local seen = 0 | seen = 0\n25 more\n", steps(r)); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
	long := strings.Repeat("x", 300)
	r, _ = recorded(t, `function F(a, b, c) return a end`, 100, script.Call{Entry: "F", Args: []any{long, map[string]any{"k": long, "l": int64(1), "m": int64(2)}, make([]any, 500)}})
	kept, _ := r.Steps()
	for _, c := range kept[len(kept)-1].Changes {
		if len(c.Value) > 250 || c.Name != "c" && !strings.Contains(c.Value, "…+") {
			t.Errorf("%s = %s: want a text that was cut, and says so", c.Name, c.Value)
		}
	}
}

func TestRecordingOfAFailure(t *testing.T) {
	r, a := recorded(t, "function F(object)\n  local x = object.a\n  return x.b\nend", 100, argument())
	want := `test.lua:1 function F(object)
test.lua:1 function F(object) | object = {list = {4, 5}}
test.lua:2 local x = object.a | x = nil
test.lua:3 return x.b
`
	if d := cmp.Diff(want, steps(r)); d != "" || a.err == nil {
		t.Errorf("error %v, steps (-want +got):\n%s", a.err, d)
	}
}

// TestRecordingAfterACaughtError checks that the lines of a function that was left by an error
// are not taken for those of its caller.
func TestRecordingAfterACaughtError(t *testing.T) {
	source := `local function bad(n)
  if n > 0 then bad(n - 1) end
  error("no")
end
function F()
  local ok = pcall(bad, 1)
  local x = 1
  return x
end`
	r, _ := recorded(t, source, 100, script.Call{Entry: "F"})
	want := `test.lua:1 local function bad(n)
test.lua:5 function F()
test.lua:5 function F()
test.lua:6 local ok = pcall(bad, 1)
  test.lua:1 local function bad(n) | n = 1
  test.lua:2 if n > 0 then bad(n - 1) end | is true
    test.lua:1 local function bad(n) | n = 0
    test.lua:2 if n > 0 then bad(n - 1) end | is false
    test.lua:3 error("no")
test.lua:6 local ok = pcall(bad, 1) | ok = false
test.lua:7 local x = 1 | x = 1
test.lua:8 return x | returns 1
`
	if d := cmp.Diff(want, steps(r)); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
}

// gasOf returns the gas of each line, and the sum of all with what no line took.
func gasOf(r *script.Recording) (lines map[string]int64, sum int64) {
	lines = map[string]int64{}
	all, other := r.Lines()
	for _, l := range all {
		lines[fmt.Sprintf("%s:%d", l.File, l.Line)] += l.Gas
		sum += l.Gas
	}
	return lines, sum + other
}

func TestRecordingOfGas(t *testing.T) {
	source := `function F(n)
  local s = 0
  for i = 1, n do
    s = s + i
  end
  if s < 0 then
    return 0
  elseif s > 3 then
    s = string.rep("x", 640)
  end
  return s
end`
	gas := func(n int64) map[string]int64 {
		r, a := recorded(t, source, 0, script.Call{Entry: "F", Args: []any{n}, Spent: script.Usage{Gas: 5}})
		lines, sum := gasOf(r)
		if a.err != nil || sum != a.usage.Gas {
			t.Errorf("lines and what is around them took %d, the run %d; error %v", sum, a.usage.Gas, a.err)
		}
		return lines
	}
	one, ten := gas(1), gas(10)
	each := one["test.lua:4"]
	if each == 0 || ten["test.lua:4"] != 10*each {
		t.Errorf("line 4 took %d in one turn and %d in ten", each, ten["test.lua:4"])
	}
	if ten["test.lua:3"]-one["test.lua:3"] != 2*9 { // a block, and a turn
		t.Errorf("line 3 took %d in one turn and %d in ten", one["test.lua:3"], ten["test.lua:3"])
	}
	if one["test.lua:9"] != 0 || ten["test.lua:9"] < 640/gasBytes {
		t.Errorf("line 9 took %d where it did not run, and %d where it made 640 bytes", one["test.lua:9"], ten["test.lua:9"])
	}
	if one["test.lua:8"] == 0 || one["test.lua:8"] != ten["test.lua:8"] {
		t.Errorf("line 8 took %d and %d", one["test.lua:8"], ten["test.lua:8"])
	}
}

func TestRecordingDoesNotChangeTheRun(t *testing.T) {
	sources := map[string]string{"lines": recordSource, "covered": coverSource}
	for seed := range 200 {
		sources[fmt.Sprint("seed ", seed)] = generated(uint64(seed), 7)
	}
	for name, source := range sources {
		call, again := argument(), argument()
		if strings.HasPrefix(name, "seed") {
			call.Entry, again.Entry = "", ""
		}
		modules := map[string]string{"m": "return {third = function() return 3 end, limit = function() return 8 end}"}
		bare := askOf(t, withModules(source, modules), call)
		src := Script{Recording: script.NewRecording(50)}.withModules(source, modules)
		seen := askOf(t, src, again)
		if d := cmp.Diff(bare.results, seen.results); d != "" || bare.usage != seen.usage || fmt.Sprint(bare.err) != fmt.Sprint(seen.err) {
			t.Errorf("%s: results (-bare +recorded):\n%s; usage %+v and %+v; errors %v and %v", name, d, bare.usage, seen.usage, bare.err, seen.err)
		}
		if _, sum := gasOf(src.Recording); seen.usage.Gas != 0 && sum != seen.usage.Gas {
			t.Errorf("%s: lines took %d, the run %d", name, sum, seen.usage.Gas)
		}
	}
}

func TestRecordingOfTheAnswer(t *testing.T) {
	const source = `local m = require("lib.m")
local function inner(n)
  return n
end

function F(object)
  if object.n > m.limit() then
    return inner(object.n)
  elseif object.n < 0 then
    error("negative")
  elseif object.n == 0 then
    object.n = 1
    return
  elseif object.n > 1 then return inner(1)
  end
end
`
	for n, want := range map[int64]string{
		9: "test.lua:6 test.lua:8", -1: "test.lua:6 -", 0: "test.lua:6 test.lua:13", 2: "test.lua:6 test.lua:14", 1: "test.lua:6 -",
	} {
		r, _ := recorded(t, source, 0, script.Call{Entry: "F", Args: []any{map[string]any{"n": n}}})
		entry, returned := r.Answer()
		got := entry.String() + " -"
		if returned.Line > 0 {
			got = entry.String() + " " + returned.String()
		}
		if got != want {
			t.Errorf("F of %d: got %s, want %s", n, got, want)
		}
	}
}
