// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// long is a name of 16 KiB.
var long = strings.Repeat("k", 1<<14)

// TestPricesOfLongKeys: a key is hashed, and compared with those of its length, by
// whatever way it comes.
func TestPricesOfLongKeys(t *testing.T) {
	object := map[string]any{}
	for i := range 10 {
		object[fmt.Sprint(long, i)] = map[string]any{"a": int64(1)}
	}
	const one = 1 << 10
	prices(t, map[string]any{"object": object, "key": long + "1", "field": map[string]any{}}, map[string]price{
		"a variable":              {`local v = params.object[params.key]`, one},
		"a variable, written":     {`params.field[params.key] = 1`, one},
		"a name":                  {`local v = params.object.` + long + `1`, one},
		"a name, written":         {`params.field.` + long + ` = 1`, one},
		"a name in a table":       {`local v = {` + long + ` = i, ` + long + ` = i}`, 2 * one},
		"a name of a library":     {`local s = string; local v = s.` + long, one},
		"a variable of a library": {`local s = string; local v = s[params.key]`, one},
		"a variable of a text":    {`local v = ("x")[params.key]`, one},
		"a method":                {`local v = {f = 1}; local ok = pcall(function() v:` + long + `() end)`, one},
		"a method with a list":    {`local v = {f = 1}; local ok = pcall(function() v:` + long + `(unpack({})) end)`, one},
		"a method of a text":      {`local ok = pcall(function() ("x"):` + long + `() end)`, one},
		"a walk":                  {`for k, v in pairs(params.object) do end`, 10 * one},
		"a walk by next":          {`for k, v in next, params.object do end`, 20 * one},
		"one next":                {`local v = next(params.object, params.key)`, 2 * one},
		"a module that is none":   {`local ok = pcall(require, params.key)`, one},
	})
}

// TestPriceOfOrder: the keys of a map are compared with each other before a walk.
func TestPriceOfOrder(t *testing.T) {
	object := map[string]any{}
	for i := range 100 {
		object[fmt.Sprint(strings.Repeat("k", 200), i)] = int64(i)
	}
	a := ask(t, `for k in pairs(params) do end`, script.Call{Params: object})
	if a.err != nil {
		t.Fatal(a.err)
	}
	if a.usage.Gas < 500 {
		t.Errorf("a walk over 100 keys of 200 bytes costs %d units of gas, want 500 at least", a.usage.Gas)
	}
}

// TestPricesOfEntriesThatAreGone: what a walk or a look for the first entry passes over
// is work.
func TestPricesOfEntriesThatAreGone(t *testing.T) {
	nulls := map[string]any{}
	for i := range 1000 {
		nulls[fmt.Sprint(i)] = nil
	}
	params := map[string]any{"list": make([]any, 1000), "map": nulls}
	prices(t, params, map[string]price{
		"null in a list":         {`local v = next(params.list)`, 1000},
		"null in a list, a walk": {`for k in pairs(params.list) do end`, 1000},
		"null in a map":          {`local v = next(params.map)`, 1000},
		"null in a map, a walk":  {`for k in pairs(params.map) do end`, 1000},
	})
	for name, key := range map[string]string{"fields": `"k" .. i`, "pairs": `i + 0.5`} {
		t.Run(name, func(t *testing.T) {
			made := `local t = {} for i = 1, 1000 do t[` + key + `] = 1 end for i = 1, 1000 do t[` + key + `] = nil end `
			cost := func(source string) int64 {
				a := ask(t, made+source, script.Call{})
				if a.err != nil {
					t.Fatal(a.err)
				}
				return a.usage.Gas
			}
			before := cost("")
			for _, source := range []string{`local v = next(t)`, `for k in pairs(t) do end`} {
				if got := cost(source) - before; got < 1000 {
					t.Errorf("%s costs %d units of gas, want 1000 at least", source, got)
				}
			}
		})
	}
}

// TestEmptyTablesThatWereFull: whether a table has entries is known without a look at
// those that are gone.
func TestEmptyTablesThatWereFull(t *testing.T) {
	a := ask(t, `
local t = {}
local function empty() return next(t) == nil, not next(t) end
t.a, t[0.5] = 1, 1
t.a, t.b, t[0.5] = nil, nil, nil
local first, second = empty()
t.a = 2
local third = empty()
t.a, t[0.5] = nil, 3
local fourth = empty()
t[0.5] = nil
local list = {}
list[2], list[3] = "b", "c"
list[1] = "a"
return first, second, third, fourth, t, #list, list`, script.Call{})
	if a.err != nil {
		t.Fatal(a.err)
	}
	if got, want := fmt.Sprint(a.results), "[true true false false map[] 3 [a b c]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
