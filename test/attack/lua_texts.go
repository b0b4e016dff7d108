// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// texts are strings that grow, and numbers that are no place in a string.
func texts() []Attack {
	return []Attack{
		{"string doubled", `local s = "x" while true do s = s .. s end`, script.Memory},
		{"string grown", `local s = "" for i = 1, 1e6 do s = s .. "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" end`, script.Memory},
		{"rep", `return string.rep("x", 1e9)`, script.Memory},
		{"rep overflow", `return string.rep(string.rep("x", 1000), 2^62)`, script.Memory},
		{"upper", `local s = string.rep("x", 2^20) for i = 1, 1000 do s:upper() end`, script.Memory},
		{"byte", `return string.byte(string.rep("x", 1e6), 1, -1)`, script.Type},
		{"char of many", `return #string.char(unpack({}, 1, 100))`, script.Type},
		{"strings", `local s = string.rep("x", 100) while true do local t = s .. "y" end`, Limited},
		{"substrings", `local s = string.rep("x", 1e5) while true do local t = s:sub(2) end`, script.Gas},
		{"tostring", `while true do local s = tostring(12345.678) end`, script.Gas},
		{"long strings compared", `local a, b = string.rep("x", 1e6), string.rep("x", 1e6) while a == b do end`, script.Gas},
		{"long strings ordered", `local a, b = string.rep("x", 1e6), string.rep("x", 1e6) while a <= b do end`, script.Gas},
		{"long strings as keys", `local a, t = string.rep("x", 1e6), {} t[a] = 1 while t[a] do end`, script.Gas},
		{"rep of nothing", `return #string.rep("", 2^62), #string.rep("", 1e15)`, Harmless},
		{"rep below nothing", `return #string.rep("x", -9223372036854775807 - 1)`, Harmless},
		{"rep with a separator", `return string.rep("x", 1e6, string.rep("y", 1e6))`, Harmless},
		{"rep through a method", `return ("x"):rep(1e9)`, script.Memory},
		{"rep of NaN", `return string.rep("x", 0/0)`, Harmless},
		{"sub with the ends of the integers", `return ("x"):sub(-9223372036854775807 - 1, 9223372036854775807), ("x"):sub(9223372036854775807), ("x"):sub(math.huge, -math.huge)`, Harmless},
		{"byte with the ends of the integers", `return ("x"):byte(-9223372036854775807 - 1, 9223372036854775807)`, Harmless},
		{"byte up to infinity", `return ("x"):byte(1, math.huge)`, Harmless},
		{"bytes of a long string in a loop", `local s = string.rep("x", 7000) while true do s:byte(1, 7000) end`, Limited},
		{"char of odd numbers", `return string.char(0/0, -1, 1e300)`, script.Type},
		{"reverse in a loop", `local s = string.rep("x", 2^20) while true do s:reverse() end`, Limited},
		{"lower in a loop", `local s = string.rep("X", 2^20) while true do s:lower() end`, Limited},
		{"numbers appended", `local s = "" while true do s = s .. 1.5 .. -2^63 end`, Limited},
		{"a long concatenation", `local a = string.rep("a", 2^16) return a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a`, script.Memory},
	}
}
