// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// tables are tables that grow, and indexes far away.
func tables() []Attack {
	return []Attack{
		{"large index", `local t = {} t[60000000] = 1`, Harmless},
		{"large indexes", `local t = {} for i = 1, 4 do t[60000000 * i] = i end return #t`, Harmless},
		{"huge and odd indexes", `local t = {} t[2^53] = 1 t[-2^53] = 1 t[1e308] = 1 t[math.huge] = 1`, Harmless},
		{"concat", `local t, s = {}, string.rep("x", 2^20) for i = 1, 1000 do t[i] = s end return table.concat(t)`, script.Memory},
		{"concat of separators", `local t = {} for i = 1, 100 do t[i] = "" end return table.concat(t, string.rep("x", 2^19))`, script.Memory},
		{"concat over a huge range", `return table.concat({}, "x", 1, 2^40)`, script.Type},
		{"concat over nothing", `return table.concat({}, "x", 2^40, 1)`, Harmless},
		{"unpack", `return unpack({}, 1, 1e9)`, script.Type},
		{"unpack negative", `return unpack({}, -1e15, 1e15)`, script.Type},
		{"insert at the front", `local t = {} for i = 1, 200000 do table.insert(t, 1, i) end`, script.Gas},
		{"remove at the front", `local t = {} for i = 1, 20000 do t[i] = i end while #t > 0 do table.remove(t, 1) end`, script.Gas},
		{"list grows", `local t = {} for i = 1, 1e6 do t[i] = i end`, Limited},
		{"fields grow", `local t = {} for i = 1, 1e6 do t["k" .. i] = i end`, Limited},
		{"tables", `while true do local t = {} end`, Limited},
		{"tables with constants", `while true do local t = {a = 1, b = 2, c = 3} end`, Limited},
		{"closures", `while true do local x = 1 local f = function() return x end end`, Limited},
		{"doubled map", `local t = {x = 1} for i = 1, 40 do t = {a = t, b = t} end return t`, script.Memory},
		{"index of NaN", `local t = {} t[0/0] = 1`, script.Type},
		{"index of the ends of the integers", `local t = {} t[9223372036854775807] = 1 t[-9223372036854775807 - 1] = 2 t[2^63] = 3 return #t`, Harmless},
		{"list filled from the back", `local t = {} for i = 20000, 1, -1 do t[i] = i end return #t`, Harmless},
		{"list with holes", `local t = {} for i = 1, 10000 do t[i] = i end for i = 1, 10000, 2 do t[i] = nil end while #t >= 0 do t[#t + 1] = 1 end`, script.Gas},
		{"list emptied from the back", `while true do local t = {} for i = 1, 100 do t[i] = i end for i = 100, 1, -1 do t[i] = nil end end`, script.Gas},
		{"insert far away", `table.insert({}, 9223372036854775807, 1)`, Harmless},
		{"insert far below", `table.insert({1, 2}, -9223372036854775807 - 1, 1)`, script.Gas},
		{"insert far into the object", `table.insert(params.list, 2^62, 1)`, Harmless},
		{"insert nothing", `local t = {} for i = 1, 1e6 do table.insert(t, nil) end`, script.Gas},
		{"remove far away", `return table.remove({1, 2}, 9223372036854775807), table.remove({1, 2}, -9223372036854775807 - 1), table.remove({}, 0/0)`, Harmless},
		{"remove from the front of the object", `local l = params.list for i = 1, 20000 do l[i] = i end while #l > 0 do table.remove(l, 1) end`, script.Gas},
		{"concat of numbers", `local t = {} for i = 1, 1e4 do t[i] = 1e300 end while true do table.concat(t, ",") end`, script.Gas},
		{"concat over all integers", `return table.concat({}, "", -9223372036854775807 - 1, 9223372036854775807)`, script.Type},
		{"concat at the largest integer", `return table.concat({}, "", 9223372036854775807, 9223372036854775807)`, script.Type},
		{"concat of tables", `return table.concat({{}, {}})`, script.Type},
		{"unpack over all integers", `return unpack({}, -9223372036854775807 - 1, 9223372036854775807)`, script.Type},
		{"unpack at the largest integer", `return unpack({}, 9223372036854775807, 9223372036854775807)`, Harmless},
		{"unpack up to the largest integer", `return unpack({}, 1, 9223372036854775807)`, script.Type},
		{"unpack between NaNs", `return unpack({}, 0/0, 0/0)`, Harmless},
		{"fields that come and go", `local t = {} for i = 1, 1e6 do t["k" .. i] = i t["k" .. i] = nil end`, script.Gas},
		{"fields read in a wide table", `local t = {} for i = 1, 3000 do t["k" .. i] = i end while t.k3000 do end`, script.Gas},
		{"fields missed in a wide table", `local t = {} for i = 1, 3000 do t["k" .. i] = i end while not t.missing do end`, script.Gas},
		{"fields of equal length", `local t, p = {}, string.rep("k", 1000) for i = 1, 3000 do t[p .. i] = i end for i = 1, 1e6 do local v = t[p .. (i % 3000)] end`, script.Gas},
		{"keys of all types", `local t = {} for i = 1, 1e6 do t[i + 0.5] = 1 t[-i] = 2 t[{}] = 3 t[function() return t end] = 4 end`, Limited},
		{"keys that are tables", `local k, t = {}, {} for i = 1, 1e6 do k = {k} t[k] = k end`, Limited},
		{"closures that keep strings", `local t = {} while true do local s = string.rep("x", 1e4) .. #t t[#t + 1] = function() return s end end`, Limited},
		{"closures with many cells", `local a, b, c, d, e, f, g, h = 1, 2, 3, 4, 5, 6, 7, 8 local t = {} while true do t[#t + 1] = function() return a, b, c, d, e, f, g, h end end`, script.Gas},
		{"a chain of closures", `local f = function() return 1 end while true do local g = f f = function() return g() + 1 end end`, script.Gas},
		{"a long list in a constructor", `while true do local t = {unpack({1, 2, 3, 4, 5, 6, 7, 8}, 1, 7000)} end`, Limited},
	}
}
