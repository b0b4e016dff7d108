// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"fmt"
	"strings"
)

// keys are maps with long keys, read in all ways there are.
func keys() []Question {
	object := func() map[string]any {
		return map[string]any{"m": longKeys(12, 60_000), "k": strings.Repeat("k", 60_000)}
	}
	made := `local k = string.rep("k", 100000) local t = {} for i = 1, 8 do t[k .. i] = i end local x = {{}} `
	lua := func(name, source string) Question {
		return Question{Name: "long keys: " + name, Form: Bundle, Operation: status, Object: object, Want: Limited, Source: source}
	}
	cel := func(name, body string) Question {
		return Question{Name: "long keys of CEL: " + name, Form: Expression, Operation: status, Object: object, Want: Bounded, Source: Forever(body + " || true")}
	}
	field := strings.Repeat("k", 59_000)
	constant := func(name, source string) Question { // may also be refused
		q := lua(name, source)
		q.Want = Bounded
		return q
	}
	return []Question{
		lua("pairs of the script's", made+"while true do for k in pairs(t) do end end"),
		lua("pairs of the object's", "while true do for k in pairs(object.m) do end end"),
		lua("next", made+"while true do local k = next(t) while k do k = next(t, k) end end"),
		lua("next of the object's", "local m = object.m while true do local k = next(m) while k do k = next(m, k) end end"),
		lua("index by a variable", made+"local k = k .. 9 while true do local v = t[k] end"),
		lua("index of the object by a variable", "local k = object.k while true do local v = object.m[k] end"),
		lua("set by a variable", made+"local k = k .. 9 while true do t[k] = 1 end"),
		lua("set in the object", "local k = object.k while true do object.m[k] = 1 end"),
		lua("index by keys of pairs", "while true do for k in pairs(object.m) do local v = object.m[k] end end"),
		lua("keys added", "local i = 0 while true do i = i + 1 object.m[object.k .. i] = 1 end"),
		lua("keys removed", made+"while true do for k in pairs(t) do t[k] = nil end for i = 1, 8 do t[k .. i] = 1 end end"),
		constant("a constant field", "local m = object.m while true do local v = m."+field+" end"),
		constant("a constant field, set", "local m = {} while true do m."+field+" = 1 end"),
		constant("a constant field of a table", "local m = {"+field+" = 1, a = 2} while true do local v = m."+field+" end"),
		constant("a constant method", "local m = {"+field[:29_000]+" = function() end} while true do m:"+field[:29_000]+"() end"),
		constant("a constant method of a text", "while true do pcall(function() local s = 'a' s:"+field+"() end) end"),
		constant("a constructor", "while true do local t = {"+field+" = 1} end"),
		lua("a constructor by a variable", "local k = object.k while true do local t = {[k] = 1} end"),
		constant("a global", "while true do pcall(function() return "+field+" end) end"),
		lua("kube.get", "while true do kube.get(object, {'m', object.k}) end"),
		lua("kube.get of a path", "local p = 'm.' .. object.k while true do kube.get(object, p) end"),
		lua("kube.merge", "while true do kube.merge(object.m, object.m) end"),
		lua("kube.pick", "while true do pcall(kube.pick, object.m, object.k, object.k) end"),
		lua("equality of texts", "local a, b = object.k .. 'a', object.k .. 'b' while true do local v = a == b end"),
		lua("order of texts", "local a, b = object.k .. 'a', object.k .. 'b' while true do local v = a < b end"),
		lua("texts sorted", "local t = {} for i = 1, 60 do t[i] = object.k .. i end while true do table.sort(t) end"),
		constant("a dozen fields", "local m = kube.merge({}, object.m) while true do local v = m."+field+" end"),
		cel("all", "object.m.all(k, v, v >= 0)"), cel("all of keys", "object.m.all(k, k != '')"), cel("map", "object.m.map(k, 1).size() > 0"), cel("exists", "object.m.exists(k, v, v < 0)"),
		cel("transformMap", "object.m.transformMap(k, v, 1).size() > 0"), cel("transformList", "object.m.transformList(k, v, 1).size() > 0"), cel("in", "object.k in object.m"), cel("index", "object.m[?object.k].hasValue()"),
		cel("equality", "object.m == object.m"), cel("a map made", "{object.k: 1}.size() > 0"), cel("kube.get", "kube.get(object, ['m', object.k]) == null"), cel("kube.merge", "kube.merge(object.m, object.m) == null"),
		cel("has", "has(object.m."+field+")"), cel("a field", "object.m."+field+" == 1"), cel("an optional field", "object.m.?"+field+".hasValue()"), cel("a constant key", `object.m["`+field+`"] == 1`),
		cel("less", "object.k + 'a' < object.k + 'b'"), cel("sort", "[object.k + 'b', object.k + 'a'].sort().size() > 0"), cel("transformMapEntry", "object.m.transformMapEntry(k, v, {k: v}).size() > 0"), cel("distinct", "[object.k, object.k + 'a'].distinct().size() > 0"),
	}
}

// formatted are texts of numbers, times and patterns that cost more than they look.
func formatted() []Question {
	lua := func(name, source string) Question {
		return Question{Name: "formatted: " + name, Form: Bundle, Operation: status, Source: source, Want: Limited}
	}
	all := []Question{
		lua("the least float", `while true do string.format("%.18e", 5e-324) end`),
		lua("the least floats", `while true do string.format("%.99e%.99e%.99e%.99e", 5e-324, 5e-324, 5e-324, 5e-324) end`),
		lua("the least float in full", `while true do string.format("%.99f", 5e-324) end`),
		lua("the largest float", `while true do string.format("%.99f", 1.7976931348623157e308) end`),
		lua("the largest float, short", `while true do string.format("%.17g", 1.7976931348623157e308) end`),
		lua("floats with many places", `while true do string.format("%.99g%.99g", 0.1, 2^-1074 * 3) end`),
		lua("floats of tostring", `local x = 2^-1074 * 3 while true do tostring(x) end`),
		lua("floats joined", `local x, t = 2^-1074 * 3, {} for i = 1, 1000 do t[i] = x end while true do table.concat(t) end`),
		lua("floats appended", `local x = 1.7976931348623157e308 while true do local s = x .. "" end`),
		lua("numbers read", `while true do local n = tonumber("0.000000000000000000000000000000000000000000000000000001e-270") end`),
		lua("numbers between floats", `local s = "1.00000000000000011102230246251565404236316680908203125" .. string.rep("0", 700) .. "1" while true do tonumber(s) end`),
		lua("dates of days", `local f = string.rep("%w", 500000) while true do os.date(f) end`),
		lua("dates of all", `local f = string.rep("%c", 20000) while true do os.date(f) end`),
		lua("dates of years", `local f = string.rep("%Y", 200000) while true do os.date(f, 1e11) end`),
		lua("dates of names", `local f = string.rep("%A%B", 30000) while true do os.date(f) end`),
		lua("dates of percents", `local f = string.rep("%%", 500000) while true do os.date(f) end`),
		lua("dates of letters", `local f = string.rep("a", 1000000) while true do os.date(f) end`),
		lua("times of fields", `while true do os.time({year = 2^31, month = -2^31, day = 2^31, hour = 2^31, min = -2^31, sec = 2^31}) end`),
	}
	for _, n := range []int{8, 31, 61, 62, 63, 64, 65, 200, 5_000} {
		set := strings.Repeat("b", n)
		all = append(all,
			lua(fmt.Sprintf("a set of %d letters", n), fmt.Sprintf(`local s = string.rep("a", 100000) while true do s:find("[%s]*c") end`, set)),
			lua(fmt.Sprintf("a negated set of %d letters", n), fmt.Sprintf(`local s = string.rep("a", 100000) while true do s:gsub("[^%s]", "") end`, set)),
			lua(fmt.Sprintf("a set of %d ranges", n), fmt.Sprintf(`local s = string.rep("a", 100000) while true do s:find("[%s]+c") end`, strings.Repeat("b-c", n))),
			lua(fmt.Sprintf("a set of %d classes", n), fmt.Sprintf(`local s = string.rep("a", 100000) while true do s:match("^[%s]*$") end`, strings.Repeat("%d", n))),
			lua(fmt.Sprintf("a frontier of %d letters", n), fmt.Sprintf(`local s = string.rep("a", 100000) while true do pcall(string.find, s, "%%f[%s]") end`, set)),
			lua(fmt.Sprintf("a lazy set of %d letters", n), fmt.Sprintf(`local s = string.rep("a", 2000) while true do s:find("[a%s]-c") end`, set)),
		)
	}
	for _, v := range []string{"%d", "%5.2f", "%e", "%q", "%x", "%c", "%-99d", "%099d", "%+.99e", "%a"} {
		all = append(all, Question{Name: "formatted: many of " + v, Form: Bundle, Operation: status, Want: Bounded, Source: fmt.Sprintf(`local f, t = string.rep(%q, 5000), {} for i = 1, 5000 do t[i] = 65 end while true do pcall(string.format, f, unpack(t)) end`, v)})
	}
	return all
}
