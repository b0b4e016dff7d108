// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"fmt"
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

const (
	// collision has the hash of eight letters a in the search of package strings, which
	// has no seed: a text of letters a that holds it looks, to the hash, like one of
	// letters a alone. Reversed it is the one of the search from the end.
	collision = "lxAdaaZk"
	backwards = "kZaadAxl"
)

// collide returns texts of letters a, each with a collision at another place: the search
// compares nearly all of it at each position.
func collide(n int) []text {
	return []text{
		{"at the end", strings.Repeat("a", n) + collision},
		{"at the start", collision + strings.Repeat("a", n)},
		{"in the middle", strings.Repeat("a", n/2) + collision + strings.Repeat("a", n/2)},
		{"at the end, backwards", strings.Repeat("a", n) + backwards},
		{"at the start, backwards", backwards + strings.Repeat("a", n)},
		{"twice", strings.Repeat("a", n/2) + collision + strings.Repeat("a", n/2) + collision},
		{"last letter", strings.Repeat("a", n) + "b"},
		{"periods", strings.Repeat("ab", n/2) + "aa"},
		{"long periods", strings.Repeat(strings.Repeat("a", 1_000)+"b", n/1_001) + strings.Repeat("a", 1_001)},
	}
}

// searched returns an object with a text of letters a, one of pairs, and a needle.
func searched(needle string, hay int) func() map[string]any {
	return func() map[string]any {
		return map[string]any{"s": strings.Repeat("a", hay), "n": needle, "m": strings.Repeat("ab", hay/2)}
	}
}

// needles are searches for a text that collides with what is searched.
func needles() []Question {
	object := searched(strings.Repeat("a", 500_000)+collision, 1_000_000)
	made := `local s, n = string.rep("a", 1000000), string.rep("a", 500000) .. "lxAdaaZk" `
	cel := func(name, source string) Question {
		return Question{Name: "needle that collides: " + name, Form: Expression, Operation: status, Object: object, Want: Bounded, Source: source}
	}
	return []Question{
		{Name: "needle that collides, made by the script", Form: Published, Operation: status, Want: Bounded, Source: made + `return {n = s:find(n, 1, true)}`},
		{Name: "needle that collides, in the object", Form: Bundle, Operation: status, Object: object, Want: Bounded, Source: `return {n = object.s:find(object.n, 1, true)}`},
		{Name: "needles that collide, for ever", Form: Bundle, Operation: status, Want: Bounded, Source: made + `while true do s:find(n, 1, true) end`},
		{Name: "needle as long as a word of the search", Form: Bundle, Operation: status, Want: script.Gas, Source: `local s, n = string.rep("a", 500000), string.rep("a", 60) .. "b" while true do s:find(n, 1, true) end`},
		cel("contains", "{'a': object.s.contains(object.n)}"), cel("split", "{'a': object.s.split(object.n).size()}"), cel("replace", "{'a': object.s.replace(object.n, '').size()}"),
		cel("indexOf", "{'a': object.s.indexOf(object.n)}"), cel("lastIndexOf", "{'a': object.s.lastIndexOf(object.n)}"), cel("contains for ever", Forever("!object.s.contains(object.n)")),
	}
}

// needleForms are searches for texts that collide at different places, by all functions
// that search.
func needleForms() []Question {
	object := searched
	var all []Question
	for _, c := range collide(300_000) {
		lua := map[string]string{
			"find":          "object.s:find(object.n, 1, true)",
			"find a pair":   "object.m:find(object.n, 1, true)",
			"find a late":   "object.s:find(object.n, 1000, true)",
			"find pattern":  "object.s:find(object.n)",
			"match":         "object.s:match(object.n)",
			"gsub":          "object.s:gsub(object.n, '')",
			"gmatch":        "object.s:gmatch(object.n)()",
			"kube.get":      "kube.get(object, object.n)",
			"made":          "(object.s .. 'a'):find(object.n, 1, true)",
			"kube.get path": "kube.get(object, {object.n, object.s})",
		}
		for _, name := range sorted(lua) {
			all = append(all, Question{
				Name: fmt.Sprintf("needle %s: Lua %s", c.name, name), Form: Bundle, Operation: status, Object: object(c.text, 700_000), Want: Bounded,
				Source: "while true do local x = " + lua[name] + " end",
			})
		}
		cel := map[string]string{
			"contains": "object.s.contains(object.n)", "indexOf": "object.s.indexOf(object.n) < 0", "lastIndexOf": "object.s.lastIndexOf(object.n) < 0",
			"replace": "object.s.replace(object.n, 'b') != ''", "replace once": "object.s.replace(object.n, 'b', 1) != ''", "split": "object.s.split(object.n).size() > 0", "split in two": "object.s.split(object.n, 2).size() > 0",
			"contains pairs": "object.m.contains(object.n)", "indexOf from": "object.s.indexOf(object.n, 10) < 0", "matches": "object.s.matches(object.n)", "made": "(object.s + string(i)).contains(object.n)",
		}
		for _, name := range sorted(cel) {
			all = append(all, Question{
				Name: fmt.Sprintf("needle %s: CEL %s", c.name, name), Form: Expression, Operation: status, Object: object(c.text, 700_000), Want: Bounded,
				Source: Forever(cel[name] + " || true"),
			})
		}
	}
	return all
}
