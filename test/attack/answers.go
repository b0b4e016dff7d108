// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"fmt"
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// read returns an attack whose script returns a part of the object, so that reading
// the answer is what takes long.
func read(name, operation string, x func() any) []Question {
	object := func() map[string]any { return map[string]any{"x": x()} }
	var all []Question
	for _, a := range answers {
		if a.operation != operation {
			continue
		}
		for _, f := range []Form{Published, Bundle, Expression} {
			source := a.lua
			if f == Expression {
				source = a.cel
			}
			all = append(all, Question{Name: fmt.Sprintf("%s, %s", name, f), Form: f, Operation: operation, Source: source, Object: object, Want: Bounded})
		}
	}
	return all
}

// concat concatenates lists of attacks.
func concat(lists ...[]Question) []Question {
	var all []Question
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// components are answers of InterpretComponent.
func components() []Question {
	list := func(n int, more func(i int, c map[string]any)) func() any {
		return func() any {
			return listOf(n, func(i int) any {
				c := map[string]any{"name": "c" + key(i), "replicas": int64(1)}
				if more != nil {
					more(i, c)
				}
				return c
			})
		}
	}
	return concat(
		read("components with long names", component, list(10, func(i int, c map[string]any) { c["name"] = strings.Repeat("n", 100_000) + key(i) })),
		read("45,000 components", component, list(45_000, nil)),
		[]Question{{
			Name: "70,000 components with names alone", Form: Bundle, Operation: component, Source: "return object.x", Want: Bounded,
			Object: func() map[string]any {
				return map[string]any{"x": listOf(70_000, func(i int) any { return map[string]any{"name": key(i)} })}
			},
		}},
		read("one name at the end of many", component, list(40_000, func(i int, c map[string]any) {
			if i == 39_999 {
				c["name"] = "c0"
			}
		})),
		read("components with unknown fields", component, list(10_000, func(_ int, c map[string]any) {
			for j := range 6 {
				c["f"+key(j)] = "x"
			}
		})),
		read("one component with many unknown fields", component, func() any {
			return []any{mapOf(130_000, number)}
		}),
		read("components with long unknown fields", component, list(10, func(_ int, c map[string]any) { c[strings.Repeat("f", 100_000)] = "x" })),
		read("components with requirements", component, list(8_000, func(_ int, c map[string]any) {
			c["replicaRequirements"] = map[string]any{"resourceRequest": map[string]any{"cpu": "1.5", "memory": "1Gi"}, "nodeClaim": map[string]any{"nodeSelector": map[string]any{"a": "b"}}}
		})),
		read("components with tolerations", component, list(6_000, func(_ int, c map[string]any) {
			c["replicaRequirements"] = map[string]any{"nodeClaim": map[string]any{"tolerations": []any{map[string]any{"key": "a", "operator": "Exists"}}}}
		})),
		read("components that are numbers", component, func() any { return listOf(300_000, number) }),
		read("a component of wrong replicas", component, list(45_000, func(i int, c map[string]any) { c["replicas"] = float64(i) + 0.5 })),
	)
}

// pointers are lists of JSON pointers, which an expression returns for Retain and
// PruneTemplate.
func pointers() []Question {
	kept := func(name, source string, object func() map[string]any) Question {
		return Question{Name: "pointers: " + name, Form: Expression, Operation: retain, Source: source, Object: object, Observed: object, Want: Bounded}
	}
	pruned := func(name, source string, object func() map[string]any) Question {
		return Question{Name: "pruned: " + name, Form: Expression, Operation: prune, Source: source, Object: object, Want: Bounded}
	}
	wide := func() map[string]any { return map[string]any{"x": mapOf(60_000, number)} }
	levels := func() map[string]any { return map[string]any{"x": nested(4_000, "a", mapOf(1_000, number))} }
	slashes := func() map[string]any { return map[string]any{"s": "/" + strings.Repeat("/", 1_000_000)} }
	tildes := func() map[string]any { return map[string]any{"s": "/" + strings.Repeat("~1", 500_000)} }
	big := func() map[string]any { return map[string]any{"x": listOf(60_000, smallMap)} }
	other := func() map[string]any {
		return map[string]any{"x": listOf(60_000, func(i int) any { return map[string]any{"a": int64(-i), "b": "c"} })}
	}
	deep := strings.Repeat("/a", 4_000)
	return []Question{
		kept("the identity", `["/metadata/name", "/kind", "/apiVersion", "/metadata"]`, nil),
		kept("8,000 into a map of 60,000", `lists.range(8000).map(i, "/x/" + string(i))`, wide),
		{Name: "pointers: 8,000 into a map of 60,000 that differs", Form: Expression, Operation: retain, Source: `lists.range(8000).map(i, "/x/" + string(i))`, Object: func() map[string]any { return map[string]any{"x": mapOf(60_000, emptyMap)} }, Observed: wide, Want: Bounded},
		kept("one, 10,000 times", `lists.range(10000).map(i, "/x")`, big),
		{Name: "pointers: one, 10,000 times over what differs", Form: Expression, Operation: retain, Source: `lists.range(10000).map(i, "/x")`, Object: other, Observed: big, Want: Bounded},
		kept("an honest three", `["/x", "/spec/replicas", "/metadata/labels"]`, big),
		{Name: "pointers: an honest three over what differs", Form: Expression, Operation: retain, Source: `["/x", "/spec/replicas", "/metadata/labels"]`, Object: other, Observed: big, Want: Bounded},
		kept("six of slashes", `lists.range(6).map(i, desired.s)`, slashes),
		kept("six of tildes", `lists.range(6).map(i, desired.s)`, tildes),
		kept("a hundred into the depth", `lists.range(100).map(i, "/x`+deep+`/" + string(i))`, levels),
		kept("long ones that differ at the end", `lists.range(50).map(i, "/`+strings.Repeat("k", 10_000)+`" + string(i))`, wide),
		kept("into no map", `lists.range(10000).map(i, "/x/1/a")`, wide),
		kept("that are no pointers", `lists.range(10000).map(i, i)`, nil),
		pruned("the identity", `["/metadata/name", "/kind", "/apiVersion", "/metadata"]`, nil),
		pruned("8,000 of a map of 60,000", `lists.range(8000).map(i, "/x/" + string(i))`, wide),
		pruned("six of slashes", `lists.range(6).map(i, template.s)`, slashes),
		pruned("a hundred in the depth", `lists.range(100).map(i, "/x`+deep+`/" + string(i))`, levels),
		pruned("one, 10,000 times", `lists.range(10000).map(i, "/x")`, big),
	}
}

// references are answers of InterpretDependency.
func references() []Question {
	list := func(n int, more func(i int, r map[string]any)) func() any {
		return func() any {
			return listOf(n, func(i int) any {
				r := map[string]any{"apiVersion": "v1", "kind": "Secret", "namespace": "ns", "name": "s" + key((i*7919)%n)}
				if more != nil {
					more(i, r)
				}
				return r
			})
		}
	}
	selector := func(labels int) func(i int, r map[string]any) {
		return func(i int, r map[string]any) {
			r["name"] = "s"
			r["labelSelector"] = map[string]any{"matchLabels": mapOf(labels, func(j int) any { return "v" + key(i+j) })}
		}
	}
	return concat(
		read("dependencies with long names", dependency, list(10, func(i int, r map[string]any) { r["name"] = strings.Repeat("n", 100_000) + key(i) })),
		read("24,000 dependencies", dependency, list(18_000, nil)),
		read("1,300 dependencies with selectors", dependency, list(1_300, selector(30))),
		read("10,000 dependencies with small selectors", dependency, list(10_000, selector(1))),
		read("one dependency with a wide selector", dependency, list(1, selector(100_000))),
		read("a selector of expressions", dependency, list(1, func(_ int, r map[string]any) {
			r["labelSelector"] = map[string]any{"matchExpressions": listOf(15_000, func(i int) any {
				return map[string]any{"key": "k" + key(i), "operator": "In", "values": []any{"a", "b"}}
			})}
		})),
		read("a selector of many values", dependency, list(1, func(_ int, r map[string]any) {
			r["labelSelector"] = map[string]any{"matchExpressions": []any{map[string]any{"key": "k", "operator": "In", "values": listOf(150_000, func(i int) any { return key(i) })}}}
		})),
		read("equal dependencies", dependency, list(20_000, func(_ int, r map[string]any) { r["name"] = "a" })),
		read("dependencies with long equal names", dependency, list(12, func(_ int, r map[string]any) { r["name"] = strings.Repeat("n", 100_000) })),
		read("a selector with unknown fields", dependency, list(1, func(_ int, r map[string]any) { r["labelSelector"] = mapOf(100_000, number) })),
		read("a selector with wrong labels", dependency, list(1, func(_ int, r map[string]any) {
			r["labelSelector"] = map[string]any{"matchLabels": mapOf(60_000, func(int) any { return "!!!" })}
		})),
		read("a selector with long labels", dependency, list(1, func(_ int, r map[string]any) {
			r["labelSelector"] = map[string]any{"matchLabels": longKeys(12, 100_000)}
		})),
	)
}

// claims are requirements in answers of InterpretReplica, and states in those of
// InterpretState.
func claims() []Question {
	claim := func(v any) func() any { return func() any { return map[string]any{"nodeClaim": v} } }
	return concat(
		read("a long namespace", replica, func() any { return map[string]any{"namespace": strings.Repeat("n", 1_000_000)} }),
		read("60,000 unknown fields in tolerations", replica, claim(map[string]any{"tolerations": []any{mapOf(60_000, number)}})),
		read("tolerations that are many", replica, claim(map[string]any{"tolerations": listOf(30_000, func(i int) any { return map[string]any{"key": key(i), "operator": "Exists"} })})),
		read("tolerations that are numbers", replica, claim(map[string]any{"tolerations": listOf(200_000, number)})),
		read("an affinity of many terms", replica, claim(map[string]any{"hardNodeAffinity": map[string]any{"nodeSelectorTerms": listOf(10_000, func(i int) any {
			return map[string]any{"matchExpressions": []any{map[string]any{"key": key(i), "operator": "In", "values": []any{"a"}}}}
		})}})),
		read("an affinity of unknown fields", replica, claim(map[string]any{"hardNodeAffinity": mapOf(60_000, emptyMap)})),
		read("an affinity that nests", replica, claim(map[string]any{"hardNodeAffinity": nested(5_000, "a", emptyMap(0))})),
		read("a node selector that is wide", replica, claim(map[string]any{"nodeSelector": mapOf(100_000, func(int) any { return "v" })})),
		read("a node selector with long keys", replica, claim(map[string]any{"nodeSelector": longKeys(12, 100_000)})),
		read("a claim of unknown fields", replica, claim(mapOf(100_000, number))),
		read("requirements of unknown fields", replica, func() any { return mapOf(100_000, number) }),
		read("a long priority class", replica, func() any { return map[string]any{"priorityClassName": strings.Repeat("n", 1_000_000)} }),
		read("resources with long names", replica, func() any { return map[string]any{"resourceRequest": longKeys(12, 100_000)} }),
		read("resources that are many", replica, func() any { return map[string]any{"resourceRequest": mapOf(60_000, func(int) any { return "1" })} }),
		read("a state of long keys", state, func() any { return longKeys(12, 100_000) }),
		read("a state of many keys", state, func() any { return mapOf(100_000, number) }),
		read("a state of floats", state, func() any { return mapOf(50_000, func(int) any { return 1.7976931348623157e308 }) }),
		read("a state of the least floats", state, func() any { return mapOf(50_000, func(int) any { return 5e-324 }) }),
		read("a state of long texts", state, func() any { return mapOf(12, longText) }),
		read("a state of maps", state, func() any { return mapOf(60_000, emptyMap) }),
		read("a health that is a large map", health, func() any { return mapOf(60_000, emptyMap) }),
	)
}

// objects are answers that are objects: merge patches, and whole ones.
func objects() []Question {
	wide := func() map[string]any { return map[string]any{"x": mapOf(60_000, number)} }
	big := func() map[string]any { return map[string]any{"x": listOf(60_000, smallMap)} }
	patch := func(name, operation, source string, object func() map[string]any) Question {
		return Question{Name: "patch: " + name, Form: Expression, Operation: operation, Source: source, Object: object, Observed: object, Want: Bounded}
	}
	return []Question{
		patch("that removes the identity", revise, `{"metadata": null}`, nil),
		patch("of the whole object", retain, "observed", big),
		patch("of a wide map", revise, `{"x": object.x}`, wide),
		patch("of nulls", revise, `{"x": object.x.transformMap(k, v, null)}`, wide),
		patch("of the object in the object", revise, `{"x": {"y": object, "z": object}}`, big),
		patch("into the depth", prune, `{"x": template.x}`, func() map[string]any { return map[string]any{"x": nested(60, "a", mapOf(60_000, number))} }),
		patch("of a status that is large", aggregate, `{"status": {"a": object.x}}`, big),
		patch("of a status that is no map", aggregate, `{"status": object.x}`, big),
		{Name: "an object with a wide map changed", Form: Bundle, Operation: retain, Source: `desired.x["0"] = -1 return desired`, Object: wide, Want: Bounded},
		{Name: "an object with each item changed", Form: Bundle, Operation: retain, Source: `for i, v in ipairs(desired.x) do v.a = 1 end return desired`, Object: big, Want: Bounded},
		{Name: "an object with a text of a megabyte", Form: Bundle, Operation: status, Source: `return {s = string.rep("x", 1000000)}`, Want: Bounded},
		{Name: "a status of two megabytes", Form: Bundle, Operation: status, Source: `local s = string.rep("x", 1000000) return {a = s, b = s, c = s .. "a"}`, Want: Bounded},
		{Name: "a status of one text, 8,000 times", Form: Bundle, Operation: status, Source: `local s, t = string.rep("x", 1000000), {} for i = 1, 8000 do t[i] = s end return {t = t}`, Want: Bounded},
		{Name: "a status of control characters", Form: Bundle, Operation: status, Source: `return {s = string.rep("\1", 1000000)}`, Want: Bounded},
		{Name: "a name of a megabyte", Form: Bundle, Operation: revise, Source: `object.metadata.name = string.rep("x", 1000000) return object`, Want: Bounded},
		{Name: "a kind of a megabyte", Form: Published, Operation: revise, Source: `object.kind = string.rep("x", 1000000) return object`, Want: Bounded},
		{Name: "a finished that is a long text", Form: Bundle, Operation: finished, Source: `return string.rep("x", 1000000)`, Want: script.Result},
	}
}
