// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"fmt"
	"strings"
)

// messages are errors whose message has a long text. A script catches them, and goes on.
func messages() []Question {
	lua := func(name, body string) Question {
		return Question{Name: "message: " + name, Form: Published, Operation: status, Want: Limited, Source: luaTexts + "while true do " + body + " end"}
	}
	cel := func(name, body string) Question {
		return Question{Name: "message of CEL: " + name, Form: Expression, Operation: status, Object: longTexts, Want: Bounded, Source: Forever(body + " || true")}
	}
	return []Question{
		lua("require of a long name", `pcall(require, s)`),
		lua("a long key of nothing", `pcall(function() return x[s] end)`),
		lua("a long key of nil", `pcall(function() local n return n[s].x end)`),
		lua("a long key of nil, set", `pcall(function() local n n[s] = 1 end)`),
		lua("a long text called", `pcall(function() return s() end)`),
		lua("a long method", `pcall(function() return s[s](s) end)`),
		lua("a long text raised", `pcall(error, s)`),
		lua("a long text raised with a level", `pcall(error, s, 2)`),
		lua("a long text asserted", `pcall(assert, false, s)`),
		lua("a table of long texts raised", `pcall(error, t)`),
		lua("a long text in a sum", `pcall(function() return s + 1 end)`),
		lua("a long text compared", `pcall(function() return s < 1 end)`),
		lua("a long text in a for", `pcall(function() for i = s, 2 do end end)`),
		lua("wide letters", `pcall(require, w)`),
		lua("control characters", `pcall(require, c)`),
		lua("invalid letters", `pcall(function() return x[b] end)`),
		lua("xpcall", `xpcall(function() return x[s] end, function(m) return m end)`),
		cel("int", "int(object.s) > 1"), cel("double", "double(object.s) > 1.0"), cel("timestamp", "timestamp(object.s) > now"), cel("duration", "duration(object.s) > duration('1h')"),
		cel("a key", "object[object.s] == 1"), cel("a key of a map", "{'a': 1}[object.s] == 1"), cel("a pattern", "object.s.matches('(' + object.s)"), cel("a pattern of the object", "object.s.matches(object.p)"),
		cel("a quantity", "quantity(object.s).isInteger()"), cel("a sum", "object.s + 1 == 2"), cel("a comparison", "object.s < 1"), cel("kube", "kube.resourceAdd(object.s) == ''"),
		cel("a url", "url(object.s).getHost() == ''"), cel("an address", "ip(object.s).family() == 4"), cel("a network", "cidr(object.s).prefixLength() == 4"), cel("a version", "semver(object.s).major() == 4"),
		cel("a zone", "now.getHours(object.s) == 4"), cel("a name", "format.named(object.s).hasValue()"), cel("a format", "object.p.format([object.s]) == ''"), cel("a bool", "bool(object.s)"), cel("wide letters", "int(object.w) > 1"),
		cel("a list of texts", "int(object.list) > 1"), cel("a method", "object.s.size(object.s) > 1"), cel("an index", "object.list[object.s] == 1"),
		{Name: "message: raised at the end", Form: Bundle, Operation: status, Source: luaTexts + "error(s)", Want: Bounded},
		{Name: "message: raised at the end as a table", Form: Bundle, Operation: status, Source: luaTexts + "error(t)", Want: Bounded},
		{Name: "message: printed", Form: Bundle, Operation: status, Source: luaTexts + "while true do print(s, t, w) end", Want: Limited},
	}
}

// luaTexts makes the long texts that messages are made of: of letters, of wide ones, of
// control characters, of what is no text, and a table of them.
const luaTexts = `
local s, w, c, b = string.rep("x", 1000000), string.rep("\195\164", 500000), string.rep("\1", 1000000), string.rep("\255", 1000000)
local t = {s, w, {a = s}}
local x = {} `

func longTexts() map[string]any {
	return map[string]any{"s": strings.Repeat("x", 1_000_000), "w": strings.Repeat("ä", 200_000), "p": "(" + strings.Repeat("%", 100_000), "list": []any{strings.Repeat("x", 100_000)}}
}

// messageForms are calls of each function of the libraries of Lua with a long text in the
// place of each argument.
func messageForms() []Question {
	functions := []string{
		"type", "tostring", "tonumber", "select", "unpack", "next", "pairs", "ipairs", "assert", "error", "require", "print",
		"string.rep", "string.sub", "string.byte", "string.char", "string.format", "string.find", "string.match", "string.gmatch", "string.gsub", "string.len", "string.lower", "string.upper", "string.reverse",
		"table.concat", "table.insert", "table.remove", "table.sort", "table.maxn",
		"math.floor", "math.max", "math.fmod", "math.ldexp", "math.huge", "os.date", "os.time", "os.difftime", "os.clock",
		"kube.get", "kube.list", "kube.merge", "kube.concat", "kube.condition", "kube.conditionTrue", "kube.component", "kube.earliest", "kube.flinkMemory", "kube.getPodDependencies", "kube.getResourceQuantity",
		"kube.accuratePodRequirements", "kube.largestRequirements", "kube.latest", "kube.mergeConditions", "kube.observedByAll", "kube.observedGeneration", "kube.orNil", "kube.pick", "kube.references", "kube.reflectStatus", "kube.reported",
		"kube.resourceAdd", "kube.retainsReplicas", "kube.share", "kube.sumStatus", "kube.totalReplicas", "kube.worstConditions",
	}
	var all []Question
	for _, f := range functions {
		for _, arguments := range []string{"s", "s, s", "t, s", "{}, s, s", "{s}, {s}", "1, s", "s, 1, s", "w, b, c", "'%d', s", "{{status = {[s] = s, conditions = {{type = s, status = s}}}}}, s, {s}"} {
			all = append(all, Question{
				Name: fmt.Sprintf("message of %s(%s)", f, arguments), Form: Bundle, Operation: status, Want: Bounded,
				Source: fmt.Sprintf("%s while true do pcall(%s, %s) end", luaTexts, f, arguments),
			})
		}
	}
	return all
}
