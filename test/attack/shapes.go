// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"fmt"
	"strings"
)

// shape is an object of a kind that makes a walk over it long: by its number of values,
// its depth, its keys or its texts.
type shape struct {
	name string
	make func() map[string]any
}

// shapes are objects of at most 1.5 MB of JSON, which is what an API server stores.
func shapes() []shape {
	return []shape{
		{"empty maps below a long key", func() map[string]any { return below(200_000, mapOf(20_000, emptyMap)) }},
		{"many empty maps below a long key", func() map[string]any { return below(400_000, mapOf(100_000, emptyMap)) }},
		{"empty lists below a long key", func() map[string]any { return below(200_000, listOf(60_000, emptyList)) }},
		{"numbers below a long key", func() map[string]any { return below(400_000, mapOf(100_000, number)) }},
		{"nulls below a long key", func() map[string]any { return below(200_000, listOf(100_000, null)) }},
		{"large numbers below a long key", func() map[string]any { return below(200_000, listOf(50_000, largeNumber)) }},
		{"five thousand levels", func() map[string]any {
			return map[string]any{"x": nested(5_000, strings.Repeat("k", 150), emptyMap(0))}
		}},
		{"levels of lists", func() map[string]any { return map[string]any{"x": nestedLists(9_000)} }},
		{"small maps", func() map[string]any { return map[string]any{"x": listOf(60_000, smallMap)} }},
		{"long texts", func() map[string]any { return map[string]any{"x": listOf(12, longText)} }},
		{"long keys", func() map[string]any { return map[string]any{"x": longKeys(12, 100_000)} }},
		{"wide and empty", func() map[string]any { return map[string]any{"x": mapOf(130_000, emptyMap)} }},
		{"lists in lists", func() map[string]any { return map[string]any{"x": listOf(300, listsOfEmpties)} }},
	}
}

// below returns a map whose field x holds v below a key of n bytes.
func below(n int, v any) map[string]any {
	return map[string]any{"x": map[string]any{strings.Repeat("k", n): v}}
}

func emptyMap(int) any    { return map[string]any{} }
func emptyList(int) any   { return []any{} }
func null(int) any        { return nil }
func number(i int) any    { return int64(i) }
func longText(i int) any  { return strings.Repeat("x", 100_000+i) }
func largeNumber(int) any { return int64(1<<53 + 1) }
func smallMap(i int) any {
	return map[string]any{"a": int64(i), "b": "c"}
}
func listsOfEmpties(int) any { return listOf(300, emptyList) }

// key returns a short key, another one for each i.
func key(i int) string { return fmt.Sprintf("%x", i) }

// mapOf returns a map of n values under short keys.
func mapOf(n int, value func(i int) any) map[string]any {
	m := make(map[string]any, n)
	for i := range n {
		m[key(i)] = value(i)
	}
	return m
}

// listOf returns a list of n values.
func listOf(n int, value func(i int) any) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = value(i)
	}
	return list
}

// longKeys returns a map of n keys that differ in their last bytes.
func longKeys(n, length int) map[string]any {
	m := make(map[string]any, n)
	for i := range n {
		m[strings.Repeat("k", length)+key(i)] = int64(i)
	}
	return m
}

// nested returns v below n maps.
func nested(n int, key string, v any) any {
	for range n {
		v = map[string]any{key: v}
	}
	return v
}

// nestedLists returns a list in lists, n deep.
func nestedLists(n int) any {
	var v any = []any{}
	for range n {
		v = []any{v}
	}
	return v
}

// answers are what a harmless script returns for each operation: the object, or a part
// of it that the operation takes for its answer.
var answers = []struct{ operation, lua, cel string }{
	{replica, "return 1, object.x", `{"replicas": 1, "requirements": object.x}`},
	{component, "return object.x", "object.x"},
	{revise, "return object", `{"x": object.x}`},
	{retain, "return desired", `{"x": observed.x}`},
	{status, "return object", "object.x"},
	{aggregate, "return object", `{"status": {"x": object.x}}`},
	{health, "return object.x ~= nil", "has(object.x)"},
	{dependency, "return object.x", "object.x"},
	{state, "return object.x", "object.x"},
	{restore, "return desired", `{"x": desired.x}`},
	{prune, "return template", `{"x": template.x}`},
	{finished, "return object.x ~= nil", "has(object.x)"},
}

// shaped returns each shape of an object in each operation and each form, with the most
// harmless script.
func shaped() []Question {
	var all []Question
	for _, s := range shapes() {
		for _, a := range answers {
			for _, f := range []Form{Published, Bundle, Expression} {
				q := Question{
					Name: fmt.Sprintf("object of %s, %s, %s", s.name, a.operation, f), Form: f, Operation: a.operation,
					Source: a.lua, Object: s.make, Want: Bounded,
				}
				if f == Expression {
					q.Source = a.cel
				}
				switch a.operation {
				case retain:
					q.Observed = s.make
				case aggregate:
					q.Items = func() []any { return []any{map[string]any{"clusterName": "m1", "status": s.make()}} }
				}
				all = append(all, q)
			}
		}
	}
	return all
}
