// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// calls are calls without end, and arguments without number.
func calls() []Attack {
	return []Attack{
		{"unpack often", `local t = {} while true do t = {unpack({}, 1, 7000)} end`, Limited},
		{"varargs often", `local function f(...) return f(...) end f(unpack({}, 1, 7900))`, Limited},
		{"varargs collected", `local t = {} local function f(...) t[#t + 1] = {...} t[#t + 1] = function() return t end end while true do f(unpack({}, 1, 7000)) end`, Limited},
		{"select over and over", `local function f(...) return select(2, ...) end while true do f(unpack({}, 1, 7000)) end`, script.Gas},
		{"recursion", `local function f() return 1 + f() end f()`, script.Depth},
		{"tail recursion", `local function f() return f() end f()`, script.Depth},
		{"recursion through pcall", `local function f() return pcall(f) end f()`, script.Depth},
		{"recursion through gsub", `local function f() return (string.gsub("x", "x", f)) end f()`, script.Depth},
		{"recursion through sort", `local function f() table.sort({1, 2, 3}, f) end f()`, script.Depth},
		{"recursion through iterators", `local function f() for _ in f do end end f()`, script.Depth},
		{"pcall in pcall in pcall", `local t = {} for i = 1, 5000 do t[i] = pcall end return pcall(unpack(t))`, script.Depth},
		{"mutual recursion", `local f, g function f() return g() end function g() return f() end f()`, script.Depth},
		{"pcall around an endless loop", `while true do pcall(function() while true do end end) end`, script.Gas},
		{"xpcall around memory", `xpcall(function() local s = "x" while true do s = s .. s end end, function() while true do end end)`, script.Memory},
		{"pcall around recursion", `local function f() return 1 + f() end pcall(f) while true do end`, script.Depth},
		{"pcall for ever", `while true do pcall(error) end`, script.Gas},
		{"xpcall handler fails", `xpcall(error, function(e) error("again") end)`, Harmless},
		{"varargs that double", `local function d(...) local t = {...} for i = 1, select("#", ...) do t[#t + 1] = i end return d(unpack(t)) end d(1)`, script.Type},
		{"varargs of varargs", `local function f(...) return {...}, {...}, {...} end while true do f(f(f(f(f(1))))) end`, Limited},
		{"select far away", `return select(9223372036854775807, 1), select("#", select(2^53, 1))`, Harmless},
		{"select far below", `return select(-9223372036854775807 - 1, 1)`, script.Type},
		{"select of NaN", `return select(0/0, 1)`, script.Type},
		{"pcalls of pcalls", `local f = error for i = 1, 150 do local g = f f = function() return pcall(g) end end return f()`, script.Depth},
		{"pcall of nothing", `return pcall()`, script.Type},
		{"pcall of pcall without arguments", `return pcall(pcall), pcall(pcall, pcall), pcall(xpcall), pcall(select, "#", pcall)`, Harmless},
		{"xpcall in a handler", `local function h() return xpcall(error, h) end xpcall(error, h)`, script.Depth},
		{"xpcall with itself", `return xpcall(error, xpcall)`, Harmless},
	}
}
