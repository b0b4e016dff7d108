// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// loops are loops that do not end, and numbers at the ends of their range.
func loops() []Attack {
	return []Attack{
		{"endless loop", `while true do end`, script.Gas},
		{"endless repeat", `repeat until false`, script.Gas},
		{"endless for", `for i = 1, math.huge do end`, script.Gas},
		{"endless for downwards", `for i = 1, -math.huge, -1 do end`, script.Gas},
		{"endless generic for", `for k in function() return 1 end do end`, script.Gas},
		{"endless pairs", `local t = {1} for i in pairs(t) do t[i + 1] = 1 end`, script.Gas},
		{"endless ipairs", `local t = {1} for i in ipairs(t) do t[i + 1] = 1 end`, script.Gas},
		{"integer overflow in a loop", `local n = 0 for i = 9223372036854775800, 9223372036854775807 do n = n + 1 end return n`, Harmless},
		{"integer limits", `return (-9223372036854775807 - 1) / -1, (-9223372036854775807 - 1) % -1, math.abs(-9223372036854775807 - 1), -(-9223372036854775807 - 1)`, Harmless},
		{"for to NaN", `for i = 1, 0/0 do end`, Harmless},
		{"for from NaN", `for i = 0/0, 1 do end`, Harmless},
		{"for by NaN", `for i = 1, 2, 0/0 do end`, Harmless},
		{"for from minus infinity", `for i = -math.huge, math.huge do end`, script.Gas},
		{"for at infinity", `for i = math.huge, math.huge do end`, script.Gas},
		{"for by infinity", `local n = 0 for i = 1, math.huge, math.huge do n = n + 1 end return n`, script.Gas},
		{"for by almost nothing", `for i = 1, 10, 1e-300 do end`, script.Gas},
		{"for by half beyond exact floats", `for i = 2^53, 2^53 + 4, 0.5 do end`, script.Gas},
		{"for to the largest integer by itself", `local n = 0 for i = 1, 9223372036854775807, 9223372036854775807 do n = n + 1 end return n`, Harmless},
		{"for over all integers by the largest", `local n = 0 for i = -9223372036854775807 - 1, 9223372036854775807, 9223372036854775807 do n = n + 1 end return n`, Harmless},
		{"for down by the smallest integer", `local n = 0 for i = 0, -9223372036854775807 - 1, -9223372036854775807 - 1 do n = n + 1 end return n`, Harmless},
		{"for at the largest integer to infinity", `local n = 0 for i = 9223372036854775807, math.huge do n = n + 1 end return n`, Harmless},
		{"for beyond the integers", `local n = 0 for i = 9223372036854775807, 1e300 do n = n + 1 end return n`, Harmless},
		{"loops within loops", `for a in pairs(params) do for b in pairs(params) do for c in pairs(params) do for d in pairs(params) do end end end end`, script.Gas},
		{"iterator that is a library function", `for a, b in string.rep, "x", 1 do end`, script.Type},
		{"iterator that is next of another table", `for k in next, params, nil do params[k] = nil params[k .. "x"] = 1 end`, script.Gas},
	}
}
