// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// limitCases are scripts that stay within the default limits, and a limit that is too
// low for each.
var limitCases = map[string]struct {
	lua, cel string
	limits   script.Limits
	code     script.Code
}{
	"gas": {
		"for i = 1, 500 do end", "lists.range(500).all(i, i >= 0)",
		script.Limits{Gas: 100},
		script.Gas,
	},
	"memory": {
		"local t = {} for i = 1, 100 do t[i] = {i} end", "lists.range(500).map(i, [i]).size() > 0",
		script.Limits{Memory: 2000},
		script.Memory,
	},
	"depth": {
		"local function f(n) if n > 0 then return 1 + f(n - 1) end return 0 end f(30)", "",
		script.Limits{Depth: 10},
		script.Depth,
	},
	"string": {
		"local s = string.rep('x', 200)", "(object.metadata.name + object.metadata.name).size() > 0",
		script.Limits{String: 6},
		script.Memory,
	},
	"nesting": {
		"return {a = {b = {c = 1}}}", "{'a': {'b': {'c': 1}}}",
		script.Limits{Nesting: 2},
		script.Result,
	},
}

// limited returns the error of the rule where the interpreter has some limits, and the
// rule others.
func limited(r *Rule, interpreter, rule script.Limits) error {
	i := NewInterpreter(Options{Limits: interpreter})
	own := *r
	own.Limits = rule
	set(i, Embedded, sourceOf("site", InterpretStatus, &own))
	_, err := i.Snapshot().Evaluate(Request{Operation: InterpretStatus, Object: site(nil)})
	return err
}

func TestLimitsAreObeyed(t *testing.T) {
	for name, c := range limitCases {
		rules := map[string]*Rule{"lua": luaRule(t, InterpretStatus, "function ReflectStatus(object) "+c.lua+" end")}
		if strings.HasPrefix(c.cel, "{") {
			rules["cel"] = celRule(t, InterpretStatus, c.cel)
		} else if c.cel != "" {
			rules["cel"] = celRule(t, InterpretStatus, "{'a': "+c.cel+"}")
		}
		for language, r := range rules {
			t.Run(name+" "+language, func(t *testing.T) {
				none := script.Limits{}
				if err := limited(r, none, none); err != nil {
					t.Errorf("within the default limits: %v", err)
				}
				expectCode(t, "a limit of the interpreter", limited(r, c.limits, none), c.code)
				expectCode(t, "a limit of the rule", limited(r, none, c.limits), c.code)
				expectCode(t, "a rule that would raise the limit", limited(r, c.limits, script.DefaultLimits()), c.code)
			})
		}
	}
}

func expectCode(t *testing.T, what string, err error, want script.Code) {
	t.Helper()
	var failure *script.Error
	if !errors.As(err, &failure) || failure.Code != want {
		t.Errorf("%s: got error %v; want one of code %s", what, err, want)
	}
}

func TestSourceLimitIsThatOfTheCompiler(t *testing.T) {
	c := newCompiler(t)
	c.Limits.Source = 100
	unit := func(source string, limit int) Script {
		return Script{File: "site", Text: source, Operation: InterpretHealth, Limits: script.Limits{Source: limit}}
	}
	lua, cel := "function InterpretHealth(obj) return true end", "true"
	for name, tc := range map[string]struct {
		compile func(Script) (script.Program, error)
		unit    Script
		allowed bool
	}{
		"a short chunk":                       {c.Lua, unit(lua, 0), true},
		"a long chunk":                        {c.Lua, unit(lua+strings.Repeat(" ", 100), 0), false},
		"a long chunk that asks for more":     {c.Lua, unit(lua+strings.Repeat(" ", 100), 1000), false},
		"a short chunk of a lower limit":      {c.Lua, unit(lua, 10), false},
		"a short expression":                  {c.CEL, unit(cel, 0), true},
		"a long expression":                   {c.CEL, unit(cel+strings.Repeat(" ", 100), 0), false},
		"a short expression of a lower limit": {c.CEL, unit(cel, 3), false},
	} {
		_, err := tc.compile(tc.unit)
		if (err == nil) != tc.allowed {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}

// items returns n status items.
func items(n int) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = map[string]any{"clusterName": "m", "status": map[string]any{"ready": int64(1)}}
	}
	return all
}

func TestItemsAreCounted(t *testing.T) {
	for language, r := range map[string]*Rule{
		"lua": luaRule(t, AggregateStatus, "function AggregateStatus(object, items) object.status = {n = #items} return object end"),
		"cel": celRule(t, AggregateStatus, "{'n': items.size()}"),
	} {
		t.Run(language, func(t *testing.T) {
			i := NewInterpreter(Options{Limits: script.Limits{Items: 3}})
			set(i, Embedded, sourceOf("site", AggregateStatus, r))
			if _, err := i.Snapshot().Aggregate(site(nil), items(3)); err != nil {
				t.Errorf("three items: %v", err)
			}
			_, err := i.Snapshot().Aggregate(site(nil), items(4))
			expectCode(t, "four items", err, script.Input)
			if want := "items: there are 4 status items; at most 3 are allowed"; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got error %v; want %q", err, want)
			}
		})
	}
}

// A script whose work grows with the items must not fail because there are many.
func TestItemsBringTheirGas(t *testing.T) {
	sum := `function AggregateStatus(object, items)
	  local ready = 0
	  for _, item in ipairs(items) do
	    for i = 1, 50 do ready = ready + item.status.ready end
	  end
	  object.status = {ready = ready}
	  return object
	end`
	var usage script.Usage
	i := NewInterpreter(Options{Observe: func(r Run) { usage = r.Usage }})
	set(i, Embedded, sourceOf("site", AggregateStatus, luaRule(t, AggregateStatus, sum)))
	if _, err := i.Snapshot().Aggregate(site(nil), items(2000)); err != nil {
		t.Fatal(err)
	}
	if usage.Gas <= script.DefaultLimits().Gas {
		t.Errorf("the run took %d units of gas; the test wants more than a run without items has", usage.Gas)
	}
	endless := luaRule(t, AggregateStatus, "function AggregateStatus(object, items) if #items > 0 then while true do end end return object end")
	set(i, Embedded, sourceOf("site", AggregateStatus, endless))
	_, err := i.Snapshot().Aggregate(site(nil), items(10))
	expectCode(t, "an endless loop over items", err, script.Gas)
	if want := script.DefaultLimits().Gas + 10*1000; usage.Gas < want || usage.Gas > want+1000 {
		t.Errorf("ten items brought the gas to %d; want about %d", usage.Gas, want)
	}
}

func TestLimitsOnlyLower(t *testing.T) {
	high := script.Limits{Gas: 10, Memory: 10, Depth: 10, String: 10, Nesting: 10, Source: 10, Items: 10}
	low := script.Limits{Gas: 1, Memory: 2, Depth: 3, String: 4, Nesting: 5, Source: 6, Items: 7}
	if got := high.AtMost(low); got != low {
		t.Errorf("got %+v; want %+v", got, low)
	}
	if got := low.AtMost(high); got != low {
		t.Errorf("got %+v; want %+v", got, low)
	}
	if got := low.AtMost(script.Limits{}); got != low {
		t.Errorf("got %+v; want %+v", got, low)
	}
	if got := (script.Limits{}).Or(low); got != low {
		t.Errorf("got %+v; want %+v", got, low)
	}
}
