// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// conversions are objects and results that take the conversion of the published form
// long. The scripts are the most harmless there are.
func conversions() []Question {
	retained := func(name string, desired, observed func() map[string]any) Question {
		return Question{Name: name, Form: Published, Operation: retain, Source: "return desired", Object: desired, Observed: observed, Want: Bounded}
	}
	made := func(name, operation, source string) Question {
		return Question{Name: name, Form: Published, Operation: operation, Source: source, Want: Bounded}
	}
	empties := func() map[string]any { return below(200_000, listOf(20_000, emptyMap)) }
	return []Question{
		retained("20,000 empty maps below a key of 100 KB", func() map[string]any { return below(100_000, mapOf(20_000, emptyMap)) }, nil),
		retained("20,000 empty maps below a key of 200 KB", empties, nil),
		retained("empty maps below a long key, on both sides", empties, empties),
		retained("empty maps below a long key, observed", nil, empties),
		retained("1.4 MB of empty maps below a long key", func() map[string]any { return below(400_000, mapOf(100_000, emptyMap)) }, nil),
		retained("5,000 levels", func() map[string]any {
			return map[string]any{"x": nested(5_000, strings.Repeat("k", 150), emptyMap(0))}
		}, nil),
		retained("9,000 levels of lists", func() map[string]any { return map[string]any{"x": nestedLists(9_000)} }, nil),
		retained("100,000 numbers below a long key", func() map[string]any { return below(400_000, mapOf(100_000, number)) }, nil),
		retained("large numbers below a long key", func() map[string]any { return below(400_000, listOf(50_000, largeNumber)) }, nil),
		retained("an object of small maps", func() map[string]any { return map[string]any{"x": listOf(60_000, smallMap)} }, nil),
		retained("small maps with nulls", func() map[string]any { return map[string]any{"x": listOf(60_000, nullMap)} }, nil),
		retained("levels of long keys with empties at each", func() map[string]any { return map[string]any{"x": combs(400, 1_000)} }, nil),
		{
			Name: "a status of 5,000 levels", Form: Published, Operation: status, Source: "return object.status", Want: Bounded,
			Object: func() map[string]any {
				return map[string]any{"status": nested(5_000, strings.Repeat("k", 150), emptyMap(0))}
			},
		},
		{
			Name: "a status of numbers below a long key", Form: Published, Operation: status, Source: "return object.status", Want: Bounded,
			Object: func() map[string]any { return map[string]any{"status": below(400_000, mapOf(100_000, number))} },
		},
		{
			Name: "a status of empties below a long key", Form: Published, Operation: status, Source: "return {s = object.status}", Want: Bounded,
			Object: func() map[string]any { return map[string]any{"status": below(400_000, listOf(100_000, emptyList))} },
		},
		{
			Name: "empties restored from a long state", Form: Published, Operation: restore, Source: "desired.state = state return desired", Want: Bounded,
			Object: empties, State: func() map[string]string { return map[string]string{strings.Repeat("k", 500_000): "v"} },
		},
		{
			Name: "items of empties below long keys", Form: Published, Operation: aggregate, Source: "object.status = {items = items} return object", Want: Bounded,
			Items: func() []any { return items(20, func(i int) any { return below(20_000, listOf(2_000, emptyMap)) }) },
		},
		made("empties made below a long key", status, `local k, t = string.rep("k", 500000), {} for i = 1, 15000 do t[i] = {} end return {[k] = t}`),
		made("empties made below a long key in the object", retain, `local k, t = string.rep("k", 500000), {} for i = 1, 15000 do t[i] = {} end desired.x = {[k] = t} return desired`),
		made("empties in a long list", retain, `local t = {} for i = 1, 20000 do t[i] = {} end desired.x = t return desired`),
		made("one empty shared by many", retain, `local e, t = {}, {} for i = 1, 60000 do t[i] = e end desired.x = t return desired`),
		made("numbers beyond the exact ones", status, `local t = {} for i = 1, 60000 do t[i] = 2^53 + i * 2 end return {t = t}`),
		{
			Name: "the object twice in the answer", Form: Published, Operation: revise, Want: Bounded, Object: empties,
			Source: `object.y = object.x object.z = {object.x, object.x} return object`,
		},
		{
			Name: "54 KB of nesting as the template", Form: Published, Operation: prune, Source: "return template", Want: Bounded,
			Object: func() map[string]any { return map[string]any{"x": nested(9_000, "a", emptyList(0))} },
		},
		{
			Name: "nothing but its health", Form: Published, Operation: health, Source: "return true", Want: Bounded,
			Object: func() map[string]any { return map[string]any{"x": listOf(60_000, smallMap)} },
		},
	}
}

func nullMap(i int) any { return map[string]any{"a": int64(i), "b": nil} }

// combs returns n levels with a key of length bytes, and an empty list at each.
func combs(n, length int) any {
	var v any = []any{}
	for range n {
		v = map[string]any{strings.Repeat("k", length): v, "e": []any{}, "m": map[string]any{}}
	}
	return v
}

// items returns n status items, each with the status of its index.
func items(n int, status func(i int) any) []any {
	return listOf(n, func(i int) any {
		return map[string]any{"clusterName": "m" + key(i), "status": status(i)}
	})
}

// aggregated are attacks that each status item adds to.
func aggregated() []Question {
	with := func(name string, form Form, source string, status func(i int) any, want script.Code) Question {
		return Question{
			Name: "5,000 items: " + name, Form: form, Operation: aggregate, Source: source, Want: want,
			Items: func() []any { return items(5_000, status) },
		}
	}
	none := func(int) any { return map[string]any{} }
	set := strings.Repeat("b", 61)
	return []Question{
		with("an endless loop", Bundle, `while true do end`, none, script.Gas),
		with("an endless loop, published", Published, `while true do end`, none, script.Gas),
		with("sets of 61 letters", Bundle, `local s = string.rep("a", 100000) while true do s:find("[`+set+`]*c") end`, none, Limited),
		with("a pattern that backtracks", Bundle, `local s = string.rep("a", 1000) while true do s:find(".-.-.-b") end`, none, Limited),
		with("texts that double", Bundle, `local s = "x" while true do s = s .. s end`, none, script.Memory),
		with("strange floats", Bundle, `while true do string.format("%.18e", 5e-324) end`, none, Limited),
		with("pairs of long keys", Bundle, `local t = {} for i = 1, 8 do t[string.rep("k", 100000) .. i] = i end while true do for k in pairs(t) do end end`, none, Limited),
		with("messages of long texts", Published, `local s = string.rep("x", 1000000) while true do pcall(require, s) end`, none, Limited),
		with("quantities of many digits", Bundle, `local s = string.rep("9", 300) while true do pcall(kube.resourceAdd, s, s) end`, none, Limited),
		with("needles that collide", Bundle, `local s, n = string.rep("a", 1000000), string.rep("a", 500000) .. "lxAdaaZk" while true do s:find(n, 1, true) end`, none, Limited),
		with("conditions merged", Bundle, `object.status = {conditions = kube.mergeConditions(items)} return object`, conditionsOf(3), Bounded),
		with("worst conditions", Published, `object.status = {conditions = kube.worstConditions(items, {"c1", "c2"})} return object`, conditionsOf(3), Bounded),
		with("sums of many fields", Published, `local f = {} for i = 1, 50 do f[i] = "f" .. i end object.status = kube.sumStatus(items, f) return object`, func(int) any { return mapOf(20, number) }, Bounded),
		with("all of them in the answer", Published, `object.status = {all = items} return object`, func(int) any { return mapOf(20, emptyMap) }, Bounded),
		with("tables made", Bundle, `local t = {} while true do t[#t + 1] = {items} end`, none, Limited),
		with("an expression over pairs", Expression, `{"status": {"n": items.map(a, items.map(b, a == b).size())}}`, none, Limited),
		with("an expression with a regular expression", Expression, `{"status": {"n": items.filter(a, a.clusterName.matches("(a*)*b" + a.clusterName)).size()}}`, none, Bounded),
		with("an expression over texts", Expression, `{"status": {"n": items.map(a, items.map(b, b.clusterName + a.clusterName).join(",").size())}}`, none, Limited),
	}
}

// conditionsOf returns what makes a status of n conditions.
func conditionsOf(n int) func(int) any {
	return func(int) any {
		return map[string]any{"conditions": listOf(n, func(i int) any {
			return map[string]any{"type": "c" + key(i), "status": "True", "reason": "r", "message": "m", "lastTransitionTime": "2020-01-01T00:00:00Z"}
		})}
	}
}
