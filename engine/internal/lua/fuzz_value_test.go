// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/yuin/gopher-lua/parse"

	"github.com/dragoman-io/dragoman/engine/script"
)

// FuzzGuard reads arbitrary sources: what the guard passes neither the parser nor the
// compiler stumbles over, and what it refuses has a line within the source.
func FuzzGuard(f *testing.F) {
	for _, part := range []string{"(", "[", "{", "if x then ", "else ", "do ", "repeat ", "function() ", "- ", "not ", "a.", "a..", "()", "'", "[==[", "--[[", "\\", "end ", ")", "goto a "} {
		f.Add(part, "x", 100)
		f.Add("x = ", part, 300)
	}
	f.Fuzz(func(t *testing.T, open, part string, n int) {
		n = min(max(n, 0), 5000)
		if len(part)*n > 64<<10 || len(open) > 4<<10 {
			return
		}
		source := open + strings.Repeat(part, n)
		g := guard(source)
		if lines := 1 + strings.Count(source, "\n") + strings.Count(source, "\r"); g.line < 1 || g.line > lines {
			t.Fatalf("line %d of %d", g.line, lines)
		}
		if g.problem == "" {
			_, _ = parse.Parse(strings.NewReader(source), "fuzz") // it must return
		}
		_, err := Compile(Script{File: "fuzz", Text: source}, script.Limits{})
		var e *script.Error
		if err != nil && (!errors.As(err, &e) || e.Code != script.Syntax) {
			t.Fatalf("compile: %v", err)
		}
	})
}

// FuzzValue takes arbitrary values through a run: handed on they are themselves, copied
// part by part they are equal but for nulls and the sort of what is empty.
func FuzzValue(f *testing.F) {
	for _, s := range []string{
		`{"a": [1, {"b": "x"}], "c": {}, "d": [], "e": null}`, `[[1], [[]], [{}]]`, `9223372036854775807`, `-0.0`, `1e300`, `{"": {"": ""}}`, `[1, null, 3]`, `"\u0000"`, `true`, `{"1": 1}`,
	} {
		f.Add(s)
	}
	p, err := Compile(Script{File: "fuzz", Text: `
local function copy(v)
  if type(v) ~= "table" then return v end
  local t = {}
  for k, x in pairs(v) do t[k] = copy(x) end
  return t
end
function F(v) return v, copy(v) end`}, script.Limits{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var v, before any
		if utiljson.Unmarshal([]byte(text), &v) != nil {
			return
		}
		_ = utiljson.Unmarshal([]byte(text), &before)
		a := perform(p, script.Call{Entry: "F", Args: []any{v}})
		if !reflect.DeepEqual(before, v) { // cmp takes exponential time for lists in lists
			t.Fatalf("the argument changed:\n%s", cmp.Diff(before, v))
		}
		if a.err != nil {
			if e := scriptError(t, a.err); e.Code == script.Internal || e.Code == script.User || e.Code == script.Type {
				t.Fatalf("%s: %v", e.Code, e)
			}
			return
		}
		if !reflect.DeepEqual(before, a.results[0]) { // cmp takes exponential time for lists in lists
			t.Fatalf("handed on it differs (-want +got):\n%s", cmp.Diff(before, a.results[0]))
		}
		if !reflect.DeepEqual(folded(before), folded(a.results[1])) { // cmp takes exponential time for lists in lists
			t.Fatalf("the copy differs (-want +got):\n%s", cmp.Diff(folded(before), folded(a.results[1])))
		}
	})
}

// folded returns a value without nulls at the end of lists and in maps, and with maps for
// all that is empty.
func folded(v any) any {
	switch x := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for k, e := range x {
			if e != nil {
				m[k] = folded(e)
			}
		}
		return m
	case []any:
		for len(x) > 0 && x[len(x)-1] == nil {
			x = x[:len(x)-1]
		}
		if len(x) == 0 {
			return map[string]any{}
		}
		l := make([]any, len(x))
		for i, e := range x {
			l[i] = folded(e)
		}
		return l
	}
	return v
}
