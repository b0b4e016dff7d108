// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// raised are errors that are large, odd, or raised where errors are handled.
func raised() []Attack {
	return []Attack{
		{"error with a long message", `while true do pcall(error, string.rep("x", 1e5)) end`, script.Memory},
		{"error with a deep value", `local t = {} for i = 1, 1000 do t = {t} end error(t)`, script.User},
		{"a handler that fails deeper each time", `local function h(n) error(n) end local function f() return xpcall(error, function(e) f() h(e) end) end f()`, script.Depth},
		{"a handler that never ends", `xpcall(error, function() while true do end end)`, script.Gas},
		{"error with a cycle", `local t = {} t.t = t error(t)`, script.User},
		{"error with a cycle in pcall", `local t = {} t[1] = t while true do pcall(error, t) end`, Limited},
		{"error with a doubled table", `local t = {1} for i = 1, 40 do t = {t, t} end error(t)`, script.User},
		{"error with a huge table", `local t = {} for i = 1, 20000 do t[i] = i end error(t)`, script.User},
		{"error with the object", `error(params)`, script.User},
		{"error with the object often", `local t = {} for i = 1, 20000 do t[i] = params end error(t)`, script.User},
		{"error with a function", `error(print)`, script.User},
		{"error with nil", `error(nil)`, script.User},
		{"error with NaN", `error(0/0)`, script.User},
		{"error of a long message", `error(string.rep("x", 1e6))`, script.User},
		{"error of control characters", `error(string.rep("\27[2J", 1e5))`, script.User},
		{"error with lines", `error(string.rep("x\n", 1e5))`, script.User},
		{"error that looks like a position", `error("test.lua:99999999999999999999999: x", 0)`, script.User},
		{"error at odd levels", `pcall(error, "x", 2^53) pcall(error, "x", -2^63) pcall(error, "x", 0/0) return pcall(error, "x", math.huge)`, Harmless},
		{"assert with a long message", `assert(false, string.rep("x", 1e6))`, script.User},
		{"assert with a cycle", `local t = {} t.t = t assert(nil, t)`, script.User},
		{"a deep trace", `local function f(n) if n == 0 then error("deep") end return (f(n - 1)) end f(90)`, script.User},
		{"call of what is no function", `local t = {} t.a = t t.a.a.a.a()`, script.Type},
	}
}
