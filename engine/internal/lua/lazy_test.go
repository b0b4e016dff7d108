// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/script"
)

func TestTablesAtTheTopOfAChunk(t *testing.T) {
	tests := map[string]struct {
		source string
		want   []any
	}{
		"one table for all readers": {
			`local t = {a = {b = 1}} local function f() return t end function F() f().a.b = 2 return t.a.b, f() == t end`,
			[]any{int64(2), true},
		},
		"assigned": {
			`local t = {1} local function f() return t end t = nil function F() return f() == nil end`, []any{true},
		},
		"assigned inside a function": {
			`local t = {1} local function f() t = nil end function F() f() return t == nil end`, []any{true},
		},
		"two of a name": {
			`local t = {1} local function f() return t end local t = {2} local function g() return t end function F() return f()[1], g()[1] end`,
			[]any{int64(1), int64(2)},
		},
		"order of keys": {
			`local t = {z = {1}, a = {2}} function F() local s = "" for k in pairs(t) do s = s .. k end return s end`, []any{"za"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := Compile(Script{File: "test.lua", Text: test.source}, script.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				a := perform(p, script.Call{Entry: "F"})
				if d := cmp.Diff(test.want, a.results); d != "" || a.err != nil {
					t.Errorf("results (-want +got):\n%s, error %v", d, a.err)
				}
			}
		})
	}
}

func TestTableThatIsNotReadTakesNoMemory(t *testing.T) {
	memory := func(entry string) int64 {
		return ask(t, `local t = {a = {1}, b = {2}} function F() return 1 end function G() return t.a[1] end`, script.Call{Entry: entry}).usage.Memory
	}
	if f, g := memory("F"), memory("G"); f != 0 || g == 0 {
		t.Errorf("got %d bytes without a read and %d with one, want none and some", f, g)
	}
}
