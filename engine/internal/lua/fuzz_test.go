// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/script"
)

// fuzzLimits keep one input short.
var fuzzLimits = script.Limits{Gas: 20_000, Memory: 1 << 20, Source: 16 << 10}

// FuzzRun compiles and runs arbitrary sources. Whatever they are, they end in a
// result or an error, not in a defect; they cost the same twice; and they leave
// their argument alone.
func FuzzRun(f *testing.F) {
	for _, file := range chunkFiles(f) {
		for _, c := range readChunks(f, file) {
			f.Add(c.source())
		}
	}
	f.Add(healthSource)
	f.Add(componentsSource)
	f.Add("local t = {} for i = 1, 20 do t[i] = params[i] or params.spec.list end return t, params")
	f.Add("for k, v in pairs(params) do params[v] = k params[k] = nil end return params, next(params)")
	f.Add("return (string.gsub(params.a, '(.)(.)', function(x, y) return y .. x end))")
	f.Fuzz(func(t *testing.T, source string) {
		if c := Parse(Script{Text: source}); c != nil {
			c.Reads("F") // it must return, whatever the source
		}
		p, err := Compile(Script{File: "fuzz", Text: source}, fuzzLimits)
		if err != nil {
			var e *script.Error
			if !errors.As(err, &e) || e.Code != script.Syntax {
				t.Fatalf("compile: %v", err)
			}
			return
		}
		params := sample()
		params["a"] = "some text"
		before := deepCopy(params)
		call := script.Call{Params: params, Limits: fuzzLimits, Now: chunkTime}
		first := perform(p, call)
		var e *script.Error
		if errors.As(first.err, &e) && e.Code == script.Internal {
			t.Fatalf("internal: %v\n%s", e, e.Backtrace())
		}
		if first.usage.Gas < 0 || first.usage.Memory < 0 || first.usage.Memory > 64<<20 {
			t.Fatalf("usage %+v", first.usage)
		}
		second := perform(p, call)
		if first.usage != second.usage || fmt.Sprint(first.err) != fmt.Sprint(second.err) {
			t.Fatalf("the second run differs: %+v %v, then %+v %v", first.usage, first.err, second.usage, second.err)
		}
		if d := cmp.Diff(before, any(params)); d != "" {
			t.Fatalf("the argument changed:\n%s", d)
		}
	})
}

// FuzzPattern matches arbitrary patterns: within the budget, and within the text.
func FuzzPattern(f *testing.F) {
	for _, seed := range []struct{ text, pattern string }{
		{"hello world", "(%w+) (%w+)"},
		{"key = value", "^(%w+)%s*=%s*(.-)$"},
		{"f(a(b)c)", "%b()"},
		{"aaa", "a-$"},
		{"[x]", "[%[%]]"},
		{"a-b", "[a%-b]+"},
		{"", "()"},
		{"abcabc", "(a(b)c)%1"},
		{"x", "[^%s]"},
		{"\x00", "%z"},
		{"é", "."},
		{"aaaaaaaaaaaaaaaaaaaa", "a-a-a-a-a-b"},
		{"x", "%"},
		{"x", "["},
		{"x", "(()"},
		{"x", "[]-a]"},
		{"-", "[a-]"},
	} {
		f.Add(seed.text, seed.pattern, 1)
	}
	p, err := Compile(Script{File: "fuzz", Text: `
function F(text, pattern, from)
  local first, last = string.find(text, pattern, from)
  string.match(text, pattern, from)
  local n = 0
  for a in string.gmatch(text, pattern) do n = n + 1 end
  local out, count = string.gsub(text, pattern, "%0%0")
  return first, last, count
end`}, script.Limits{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text, pattern string, from int) {
		a := perform(p, script.Call{Entry: "F", Args: []any{text, pattern, int64(from)}, Limits: fuzzLimits})
		if a.err != nil {
			if e := scriptError(t, a.err); e.Code == script.Internal || strings.Contains(e.Message, "runtime error") {
				t.Fatalf("%s: %v", e.Code, e)
			}
			return
		}
		if a.results[0] == nil {
			return
		}
		first, last := a.results[0].(int64), a.results[1].(int64)
		if first < 1 || last < first-1 || last > int64(len(text)) {
			t.Fatalf("found %d to %d in %q", first, last, text)
		}
	})
}

// FuzzNumber reads and writes numbers: what is written reads as the same.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"1", "-0x10", "1e5", ".5", "5.", "9223372036854775808", "0x", "1e400", " 7 ", "1_0", "nan", "0b1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, ok := parseNumber(s)
		if !ok {
			return
		}
		again, ok := parseNumber(text(n))
		if !ok && text(n) != "inf" && text(n) != "-inf" {
			t.Fatalf("%q reads as %v, which does not read as a number", s, n)
		}
		if i, whole := n.(int64); whole && again != i {
			t.Fatalf("%q reads as %d, then as %v", s, i, again)
		}
	})
}
