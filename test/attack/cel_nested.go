// SPDX-License-Identifier: Apache-2.0

package attack

import "strings"

// celNested are values that nest deep, given to what copies at each level.
func celNested() []Question {
	question := func(name, source string, x func() any) Question {
		return Question{
			Name: "CEL of what nests: " + name, Form: Expression, Operation: status, Want: Bounded, Source: source,
			Object: func() map[string]any { return map[string]any{"x": x()} },
		}
	}
	lists := func(levels, items int) func() any {
		return func() any {
			var v any = listOf(items, number)
			for range levels {
				v = []any{v}
			}
			return v
		}
	}
	maps := func(levels, length int) func() any {
		return func() any { return nested(levels, "a", strings.Repeat("x", length)) }
	}
	mixed := func() any {
		var v any = strings.Repeat("x", 300_000)
		for range 4_000 {
			v = []any{map[string]any{"a": v}}
		}
		return v
	}
	return []Question{
		question("flatten of 9,000 levels above 60,000 items", `{"n": object.x.flatten(100000).size()}`, lists(9_000, 60_000)),
		question("flatten of 1,000 levels above 1,000 items", Forever(`object.x.flatten(100000).size() == 0 || true`), lists(1_000, 1_000)),
		question("format of 9,000 maps above a text", `{"n": "%s".format([object.x]).size()}`, maps(9_000, 300_000)),
		question("format of 9,000 maps", `{"n": "%s".format([object.x]).size()}`, maps(9_000, 1)),
		question("format of 60 maps above a text", Forever(`"%s".format([object.x]) == "" || true`), maps(60, 10_000)),
		question("format of maps in lists", `{"n": "%s".format([object.x]).size()}`, mixed),
		question("format of a map of 20,000", Forever(`"%s".format([object.x]) == "" || true`), func() any { return mapOf(20_000, func(i int) any { return float64(i) + 0.1 }) }),
	}
}

// celCompared are values of Kubernetes that take long to be compared.
func celCompared() []Question {
	question := func(name, source, text string) Question {
		return Question{
			Name: "CEL that compares: " + name, Form: Expression, Operation: status, Want: Bounded, Source: source,
			Object: func() map[string]any { return map[string]any{"p": text} },
		}
	}
	twice := func(made, body string) string {
		return "cel.bind(a, " + strings.ReplaceAll(made, "$", "1") + ", cel.bind(b, " + strings.ReplaceAll(made, "$", "2") + ", " + Forever(body+" || true") + "))"
	}
	among := func(made string) string {
		return "cel.bind(a, " + strings.ReplaceAll(made, "$", "1") + ", cel.bind(l, lists.range(200).map(i, " + strings.ReplaceAll(made, "$", "2") + "), " + Forever("a in l || true") + "))"
	}
	const (
		version  = `semver("1.0.0-" + object.p + "a.$")`
		path     = `url("http://a/" + object.p + "$")`
		fragment = `url("http://a/#" + object.p + "$")`
		user     = `url("http://" + object.p + "$@b/")`
		many     = "a == b || a == b || a == b || a == b || a == b || a == b || a == b || a == b"
	)
	parts, wide, spaces := strings.Repeat("a.", 490), strings.Repeat("é", 490), strings.Repeat(" ", 980)
	return []Question{
		question("versions in a list", among(version), parts),
		question("versions", twice(version, many), parts),
		question("versions by order", twice(version, "a.isLessThan(b) && a.isGreaterThan(b) || a.isLessThan(b) && a.compareTo(b) > 1"), parts),
		question("versions in distinct", `lists.range(250).map(i, semver("1.0.0-" + object.p + string(i))).distinct().size()`, parts),
		question("URLs", twice(path, many), wide),
		question("URLs with fragments", twice(fragment, many), wide),
		question("URLs with users", twice(user, many), strings.Repeat(":", 980)),
		question("URLs in a list", among(path), wide),
		question("URLs with fragments in a list", among(fragment), spaces),
		question("quantities in a list", `cel.bind(a, quantity("1"), cel.bind(l, lists.range(1000).map(i, quantity("12345678901234567890123456789012345678901234567890123456789e99")), lists.range(1000).all(i, !(a in l))))`, ""),
	}
}

// directives are formats of many directives.
func directives() []Question {
	many := func(directive, value string) Question {
		return Question{
			Name: "format of 200 " + directive + " of " + value, Form: Bundle, Operation: status, Want: Bounded,
			Source: `local t, f = {}, string.rep("` + directive + `", 200) for i = 1, 200 do t[i] = ` + value + ` end while true do string.format(f, unpack(t)) end`,
		}
	}
	return []Question{many("%.14g", "12345.678"), many("%.17g", "1.2345678901234567e-200"), many("%.0e", "4.9e-324"), many("%.0f", "4.9e-324"), many("%f", "12345.678")}
}

// misfits are calls of functions of kube with a part of the object that nests too deep for
// them, behind much that does not.
func misfits() []Question {
	object := func() map[string]any {
		x := listOf(100_000, number)
		return map[string]any{"x": append(x, nestedLists(70))}
	}
	var all []Question
	for _, f := range []Form{Published, Bundle} {
		for _, name := range []string{"list", "merge", "totalReplicas"} {
			all = append(all, Question{
				Name: "function of what nests too deep: kube." + name + ", " + string(f), Form: f, Operation: status, Object: object, Want: Bounded,
				Source: "for i = 1, 1000 do pcall(kube." + name + ", object.x, object.x) end return {}",
			})
		}
	}
	return all
}
