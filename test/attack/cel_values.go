// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"fmt"
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// celValues are values that double, and numbers and times at the ends of their range.
func celValues() []Attack {
	return []Attack{
		{"string doubling on dyn", Nested(40, "object.s", "$+$", "$.size()"), script.Memory},
		{"string doubling on string", Nested(40, "string(object.s)", "$+$", "$.size()"), script.Memory},
		{"list doubling and exists", Nested(40, "object.numbers", "$+$", "$.exists(y, y == -1)"), script.Memory},
		{"list doubling on list", Nested(40, "[1]", "$+$", "$.exists(y, y == -1)"), script.Memory},
		{"all in all in all in all", "lists.range(1000).all(i, lists.range(1000).all(j, lists.range(1000).all(k, lists.range(1000).all(l, true))))", script.Gas},
		{"all over dyn, four times", "object.numbers.all(i, object.numbers.all(j, object.numbers.all(k, object.numbers.all(l, true))))", script.Gas},
		{"range of millions", "lists.range(5000000)", script.Gas},
		{"range of nearly a million", "lists.range(900000)", script.Gas},
		{"range in a loop", Forever("lists.range(10000).size() > 0"), script.Gas},
		{"list of lists, doubled", Nested(40, "[1]", "dyn([$,$])", "$ == $"), script.Gas},
		{"typed list of lists", Nested(30, "[1]", "{1:[$,$]}[1]", "$ == $"), script.Gas},
		{"map of maps, doubled", Nested(40, "{}", "dyn({'a':$,'b':$})", "$ == $"), script.Gas},
		{"doubled list as the result", Nested(40, "[1]", "dyn([$,$])", "$"), Limited},
		{"doubled list as text", Nested(40, "[1]", "dyn([$,$])", "'%s'.format([$])"), script.Gas},
		{"doubled list in a list", Nested(40, "[1]", "dyn([$,$])", "$ in [$,[$]]"), script.Gas},
		{"texts of doubled lists", Nested(40, "['a']", "$ + $", "$.join(',').size()"), script.Memory},
		{"type of a doubled list", Nested(40, "[1]", "dyn([$,$])", "type($) == list"), Harmless},
		{"doubled map as the result", Nested(40, "{'a': 1}", "dyn({'a': $, 'b': $})", "$"), Limited},
		{"object often in the result", `lists.range(30000).map(i, object)`, Limited},
		{"object of objects, doubled", Nested(40, "object", "dyn({'a': $, 'b': $})", "$"), Limited},
		{"optionals doubled", Nested(40, "optional.of([1])", "optional.of([$,$])", "$ == $"), Limited},
		{"optionals doubled often", Nested(110, "optional.of([1])", "optional.of([$,$])", "$ == $"), Limited},
		{"optionals as deep as allowed", Nested(28, "optional.of([1])", "optional.of([$,$])", "$ == $"), Limited},
		{"types that nest side by side", "[" + repeated(Nested(25, "[1]", "[$,$]", "$ == $")+",", 90) + "1]", script.Syntax},
		{"one list often in the result", Nested(1, "object.maps", "lists.range(200).map(i, $)", "$"), script.Gas},
		{"texts often in the result", `lists.range(200).map(i, object.big)`, script.Gas},
		{"deep result", Nested(100, "[1]", "dyn([$])", "$"), script.Result},
		{"shifts", Forever(`math.bitShiftLeft(1, 63) != math.bitShiftRight(-1, 1)`), script.Gas},
		{"integers overflow", `[9223372036854775807 + int(object.numbers[1])]`, script.Type},
		{"smallest integer negated", `-(-9223372036854775807 - int(object.numbers[1]))`, script.Type},
		{"smallest integer divided", `(-9223372036854775807 - int(object.numbers[1])) / -int(object.numbers[1])`, script.Type},
		{"doubles out of range", `int(1e300 * double(object.numbers[1]))`, script.Type},
		{"durations overflow", `duration("2562047h") + duration("2562047h")`, script.Type},
		{"times overflow", `timestamp("9999-12-31T23:59:59Z") + duration("2562047h")`, script.Type},
		{"error in a loop within or", Forever(`(1 / 0 == 1) || true`), script.Gas},
		{"conditions nested", Forever(`(i > 0 ? (i > 1 ? (i > 2 ? true : true) : true) : true)`), script.Gas},
		{"bindings of loops", Nested(10, "lists.range(1000)", "$.map(x, x + 1).filter(x, x > 0)", "$.size()"), Harmless},
		{"a key that is long", `{object.big: 1, object.big + "x": 2}.size()`, Limited},
		{"entries that collide", `object.names.transformMapEntry(i, v, {"a": v})`, script.Type},
		{"brackets in brackets", repeated("(", 400) + "1" + repeated(")", 400), script.Syntax},
		{"a long chain", "1" + repeated(" + 1", 10000), script.Syntax},
		{"a long path", "object" + repeated(".a", 20000), script.Syntax},
		{"a source of 1 MB", repeated("!", 1<<20) + "true", script.Syntax},
	}
}

// Nested binds x0 to first, each next one to step, and ends with last; $ stands for the
// one before. An expression of a few hundred bytes makes 2^n of something.
func Nested(n int, first, step, last string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "cel.bind(x0, %s, ", first)
	for i := range n {
		fmt.Fprintf(&b, "cel.bind(x%d, %s, ", i+1, strings.ReplaceAll(step, "$", fmt.Sprint("x", i)))
	}
	b.WriteString(strings.ReplaceAll(last, "$", fmt.Sprint("x", n)))
	b.WriteString(strings.Repeat(")", n+1))
	return b.String()
}

// Forever runs body until the limit.
func Forever(body string) string {
	return "lists.range(40000).all(i, " + body + ")"
}
