// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// formats are numbers and texts made of each other.
func formats() []Attack {
	return []Attack{
		{"format width", `return string.format("%1000000d", 1)`, script.Type},
		{"format widths", `return string.format(string.rep("%99d", 1e4), unpack({}, 1, 7000))`, script.Type},
		{"format of long strings", `local s = string.rep("x", 1e6) return string.format("%s%s%s%s%s%s%s%s%s%s%s%s", s, s, s, s, s, s, s, s, s, s, s, s)`, script.Memory},
		{"format of large floats", `local t = {} for i = 1, 5000 do t[i] = 1e308 end return #string.format(string.rep("%99.99f", 5000), unpack(t))`, script.Gas},
		{"format precision", `return string.format("%.1000s", "x")`, script.Type},
		{"format position", `return string.format(string.rep("%1000000[1]d", 2048), 1)`, script.Type},
		{"format of quotes", `return #string.format("%q", string.rep("\0", 1e6))`, script.Memory},
		{"format of odd numbers", `local n = 0 for _, d in ipairs({"%d", "%i", "%u", "%c", "%x", "%o", "%e", "%g", "%f", "%s", "%q", "%*d", "%n", "%v", "%T", "%p"}) do for _, v in ipairs({2^63, -2^63, 0/0, math.huge, -1, 1e300}) do if pcall(string.format, d, v) then n = n + 1 end end end return n`, Harmless},
		{"format of a cycle", `local t = {} t.t = t return string.format("%s%d", t, 1)`, Harmless},
		{"tostring of the limits", `return tostring(1e308), tostring(-9223372036854775807 - 1), tostring(5e-324), tostring(2^63)`, Harmless},
		{"tonumber of many digits", `local s = string.rep("9", 1e6) while true do tonumber(s) end`, script.Gas},
		{"tonumber of many hexadecimal digits", `local s = "0x" .. string.rep("f", 1e6) while true do tonumber(s) end`, script.Gas},
		{"tonumber of many digits of a base", `local s = string.rep("z", 1e6) while true do tonumber(s, 36) end`, script.Gas},
		{"tonumber near zero", `while true do tonumber("4.940656458412465441765687928682213723651e-324") end`, script.Gas},
		{"tonumber of digits near zero", `local s = "2.47032822920623272" .. string.rep("1", 370) .. "e-324" while true do local n = s + s end`, script.Gas},
		{"strings that become numbers", `local s = string.rep(" ", 1e6) .. "1" while true do pcall(function() return s + 1 end) end`, script.Gas},
		{"strings that become negative", `local s = string.rep(" ", 1e6) .. "1" while true do pcall(function() return -s end) end`, script.Gas},
		{"strings that become arguments", `local s = string.rep(" ", 1e6) .. "1" while true do pcall(math.max, s, s) pcall(string.rep, "", s) end`, script.Gas},
		{"tonumber with a huge exponent", `return tonumber("1e999999999"), tonumber("0." .. string.rep("0", 1e5) .. "1"), tonumber("1e-999999999")`, Harmless},
		{"tonumber with a huge base", `return tonumber("1", 2^31)`, script.Type},
		{"for over strings that become numbers", `for i = string.rep("0", 1e6) .. "1", "1e300" do end`, script.Type},
	}
}
