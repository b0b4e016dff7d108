// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// patterns are matches that backtrack forever, and replacements that grow.
func patterns() []Attack {
	return []Attack{
		{"pattern a- times eight", `local s = string.rep("a", 64) return string.find(s, "a-a-a-a-a-a-a-a-b")`, script.Gas},
		{"pattern a- times four", `local s = string.rep("a", 256) return string.find(s, "a-a-a-a-b")`, script.Gas},
		{"pattern .-b", `local s = string.rep("a", 512 * 1024) return string.find(s, ".-b")`, script.Gas},
		{"pattern .*.*.*b", `local s = string.rep("a", 1024) return string.find(s, ".*.*.*b")`, script.Gas},
		{"pattern %b", `local s = string.rep("(", 128 * 1024) return string.find(s, "%b()")`, script.Gas},
		{"pattern deep", `return string.find(string.rep("a", 300), string.rep("a?", 300) .. "b")`, script.Depth},
		{"pattern captures", `return string.find("a", string.rep("()", 40))`, script.Type},
		{"pattern nested captures", `return string.find("a", string.rep("(", 300))`, script.Type},
		{"pattern set", `return string.find(string.rep("a", 1e5), "[" .. string.rep("b", 1e5) .. "]*c")`, script.Gas},
		{"pattern of nothing", `return string.gsub(string.rep("a", 1e5), "", "b")`, Harmless},
		{"gmatch", `for w in string.gmatch(string.rep("a ", 1e5), "%a+%s*$") do end`, script.Gas},
		{"gsub grows", `return string.gsub(string.rep("x", 65536), "x", string.rep("y", 65536))`, script.Memory},
		{"gsub template", `return string.gsub(string.rep("x", 65536), ".*", string.rep("%0", 1000))`, script.Memory},
		{"gsub function", `return string.gsub(string.rep("x", 65536), "x", function() return string.rep("y", 65536) end)`, script.Memory},
		{"find from far away", `return ("x"):find("x", 9223372036854775807), ("x"):find("x", -9223372036854775807 - 1), ("").find("", "", 2^63)`, Harmless},
		{"find of a long plain text", `local s, p = string.rep("a", 5e5), string.rep("a", 2e5) .. "b" while true do s:find(p, 1, true) end`, script.Gas},
		{"find of much plain text in little", `local s, p = string.rep("ab", 1e5), string.rep("ba", 5e4) .. "a" while true do s:find(p, 1, true) end`, script.Gas},
		{"pattern with back references", `return string.find(string.rep("a", 5000), "(.*)%1%1b")`, script.Gas},
		{"pattern of lazy back references", `return string.find(string.rep("a", 1e5), "^(.-)%1%1%1%1$")`, script.Gas},
		{"pattern as long as the text", `local n = 1e5 return string.match(string.rep("x", n), string.rep(".", n)) ~= nil`, Harmless},
		{"pattern of optional ones", `return string.match(string.rep("a", 150), string.rep("a?", 150) .. string.rep("a", 150))`, script.Gas},
		{"pattern of lazy ones", `return string.match(string.rep("a", 150), string.rep("a-", 150) .. "b")`, script.Gas},
		{"pattern with a frontier", `local s = string.rep("a ", 1e5) while true do s:gsub("%f[%w]%w", "") end`, script.Gas},
		{"pattern of balances", `return string.find(string.rep("(", 1000) .. string.rep(")", 1000), string.rep("%b()", 90))`, script.Gas},
		{"patterns cut short", `local n = 0 for _, p in ipairs({"%", "[", "[%", "[a-", "[^", "(", ")", "%b", "%bx", "%f", "%1", "(()", "[]", "[^]", "^", "$", "%g%"}) do if not pcall(string.find, "abc", p) then n = n + 1 end end return n`, Harmless},
		{"gsub with a table", `return string.gsub(string.rep("a", 1e6), "a", {a = string.rep("b", 100)})`, script.Memory},
		{"gsub with a function that fails", `while true do pcall(string.gsub, "aaaa", "a", error) end`, Limited},
		{"gsub that starts itself in pcall", `local function f(s) local ok, r = pcall(string.gsub, s, ".", f) return r end return f("ab")`, script.Depth},
		{"gsub with odd counts", `return string.gsub("aaa", "a", "b", 0/0), string.gsub("aaa", "a", "b", -2^63), string.gsub("aaa", "a", "b", math.huge)`, Harmless},
		{"gsub with a capture that is not there", `return string.gsub("abc", "%w", "%9")`, script.Type},
		{"gsub of positions", `return #string.gsub(string.rep("x", 1e5), "()", "%1%1%1%1")`, script.Memory},
		{"gmatch kept", `local t = {} while true do t[#t + 1] = string.gmatch(string.rep("x", 100), "x") end`, Limited},
		{"gmatch with captures in a loop", `local s = string.rep("abcdefgh", 1000) while true do for a, b, c, d in s:gmatch("(.)(.)(.)(.)") do end end`, script.Gas},
	}
}
