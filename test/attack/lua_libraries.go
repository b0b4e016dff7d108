// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// libraries are odd arguments of the time, of math, of print and of require.
func libraries() []Attack {
	return []Attack{
		{"print often", `while true do print(string.rep("x", 1e5)) end`, script.Memory},
		{"os.date far away", `return os.date("%Y", 9e18)`, script.Type},
		{"os.date grows", `return os.date(string.rep("%c", 5e5))`, script.Memory},
		{"os.date of all years", `while true do os.date("%Y-%m-%d %H:%M:%S", -62135596800) end`, Limited},
		{"os.date of odd times", `return pcall(os.date, "*t", 2^53), pcall(os.date, "!%c", -2^63), pcall(os.date, "%c", 0/0), pcall(os.date, "*t", 1e300)`, Harmless},
		{"os.date of unknown letters", `return pcall(os.date, "%Q%E%O%"), pcall(os.date, "%")`, Harmless},
		{"os.date of percent signs", `return #os.date(string.rep("%%", 5e5))`, script.Gas},
		{"os.time of odd dates", `return pcall(os.time, {year = 2^53, month = -2^53, day = 2^62}), pcall(os.time, {year = 1e300, month = 1, day = 1}), pcall(os.time, {year = 0/0, month = 1, day = 1})`, Harmless},
		{"os.time of nothing", `return os.time({})`, script.Type},
		{"os.difftime of the ends", `return os.difftime(2^63, -2^63), os.difftime(-9223372036854775807 - 1, 9223372036854775807)`, Harmless},
		{"math of the ends", `return math.floor(1e308), math.ceil(-1e308), math.fmod(-9223372036854775807 - 1, -1), math.pow(2, 1e308), math.ldexp(1, 2^62), math.frexp(5e-324)`, Harmless},
		{"math.fmod by zero", `return math.fmod(1, 0)`, Harmless},
		{"math.max of many", `local t = {} for i = 1, 7000 do t[i] = i end while true do math.max(unpack(t)) end`, Limited},
		{"integers overflow", `return 9223372036854775807 + 1, 9223372036854775807 * 2, -9223372036854775807 - 2, (2^53) ^ 100, 9223372036854775807 % -1, 1 % 0.0`, Harmless},
		{"require of a host module", `return require("os").execute, require("io")`, script.Syntax},
		{"require of a path", `return require("../../../../etc/passwd")`, script.Syntax},
		{"print of cycles", `local t = {} t.t = t while true do print(t, t, t) end`, Limited},
		{"print of many", `while true do print(unpack({}, 1, 7000)) end`, Limited},
	}
}
