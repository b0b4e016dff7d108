// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/internal/lua"
)

// TestInspect inspects chunks that the scripts of package author's testdata do not have.
func TestInspect(t *testing.T) {
	for source, want := range map[string]string{
		"local a = 1 return a":                                               "",
		"local function f() return f end return 1":                           "",
		"local f = function() return 1 end":                                  "1:7 unused",
		"x = 1 x = 2":                                                        "1:1 global-write",
		"if params then function f() end end":                                "1:25 global-write",
		"local t = {} function t.f() end return t":                           "",
		"for i = 1, 2 do end":                                                "",
		"local a a = a":                                                      "",
		"while true do end":                                                  "1:1 unbounded-loop",
		"while false do end":                                                 "",
		"repeat until true":                                                  "",
		"repeat until nil":                                                   "1:1 unbounded-loop",
		"while true do error('x') end":                                       "",
		"while true do while true do break end end":                          "1:1 unbounded-loop",
		"while 1 do for i = 1, 2 do return i end end":                        "",
		"local n = 2 while n > 1 do local m = n - 1 n = m end":               "",
		"return #params == 'x'":                                              "1:16 string-number-compare",
		"return 1 .. 'x' == 2 + 3":                                           "1:17 string-number-compare",
		"local n = 1 n = 'x' return n == 'x'":                                "",
		"local n = 1 return n < 'x'":                                         "1:22 string-number-compare",
		"return tostring(1) == 2, type(1) == 'x'":                            "1:20 string-number-compare",
		"local function tostring(x) return x end return tostring(1) == 2":    "",
		"return (params.a):find('.*x.*y.*')":                                 "1:24 backtracking-pattern",
		"return string.find('x', '[%]a]*[%]a]*')":                            "1:25 backtracking-pattern",
		"return string.find('x', '[]a]*[^]a]*')":                             "",
		"return string.find('x', '%w-(%w+)')":                                "1:25 backtracking-pattern",
		"return string.find('x', '%')":                                       "",
		"return string.find('x', '[')":                                       "",
		"return string.find('x', '.*.*', nil, true)":                         "",
		"return string.find('x', '.*.*', nil, false)":                        "1:25 backtracking-pattern",
		"local s = function(a) local a = 1 return a end return s":            "1:29 shadowed",
		"local s = function(a) return function(a) return a end end return s": "",
		"local next = params.next return next(1)":                            "1:33 shadowed",
		"local next = kube.x.next return next(1)":                            "1:33 shadowed",
		"local type = kube.type return type(1)":                              "",
		"local x = {} function x.y() end":                                    "",
		"return 1e-5 == 0xE-1, 3 .. ''":                                      "",
		"local a = { ['x'] = -1, y = not nil, [[z]] } return a, ...":         "",
		"function F(a, ...) return ... end function G() end":                 "1:44 unused",
		"function H() end":                                                   "1:10 wrong-entry-name",
		"local t = {} function t:m(a) return self, a end return t:m(1)":      "",
		"if params.a then elseif params.b then local u = 1 else if params.c then local v end end": "1:45 unused; 1:79 unused",
	} {
		c := lua.Parse(lua.Script{File: "a", Text: source})
		if c == nil {
			t.Errorf("%s: does not parse", source)
			continue
		}
		var got []string
		for _, f := range Inspect(Source{Chunk: c, Asked: []string{"F"}, Entries: map[string]string{"F": "f", "H": "h"}}) {
			got = append(got, fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.Rule))
		}
		if g := strings.Join(got, "; "); g != want {
			t.Errorf("%s\n got %s\nwant %s", source, g, want)
		}
	}
}

// FuzzInspect inspects any chunk that parses: nothing panics, and every finding stands in the
// source.
func FuzzInspect(f *testing.F) {
	files, err := filepath.Glob("../../../../scripts/*/*/*.lua")
	if err != nil || len(files) < 100 {
		f.Fatalf("got %d files, error %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("local a = 1 while true do x = a local a = #x == 'y' end")
	f.Add("function F(o)\r\n  local t = 1\r  return o.a.b + tonumber(o.resources.requests.cpu)\n\rend -- lint:disable x")
	f.Add("function A()if 0then end end")
	f.Fuzz(func(t *testing.T, source string) {
		lua.Comments(source)
		c := lua.Parse(lua.Script{File: "fuzz", Text: source})
		if c == nil {
			return
		}
		lines := strings.Count(source, "\n") + strings.Count(source, "\r") + 1
		for _, found := range Inspect(Source{Chunk: c, Asked: []string{"F"}, Stored: true}) {
			if found.Line < 1 || found.Line > lines || found.Column < 1 || found.Column > len(source) {
				t.Errorf("%s %s: there is no such place", found.Position, found.Rule)
			}
		}
		for _, read := range c.Reads("F") {
			if read.Line < 1 || read.Line > lines || read.Column < 0 || read.Column > len(source) {
				t.Errorf("%+v: there is no such place", read)
			}
		}
	})
}
