// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// sorts are sorts whose order is none, or changes the list.
func sorts() []Attack {
	return []Attack{
		{"sort without order", `local t = {} for i = 1, 100 do t[i] = i % 7 end table.sort(t, function() return true end) return #t`, Harmless},
		{"sort at random", `local n, t = 1, {} for i = 1, 200 do t[i] = i end table.sort(t, function() n = (n * 1103515245 + 12345) % 2147483648 return n % 2 == 0 end) return #t`, Harmless},
		{"sort that shrinks", `local t = {5, 4, 3, 2, 1} table.sort(t, function(a, b) t[#t] = nil return a < b end) return #t`, Harmless},
		{"sort that grows", `local t = {5, 4, 3, 2, 1} table.sort(t, function(a, b) t[#t + 1] = 1 return a < b end) return #t`, Harmless},
		{"sort of many", `local t = {} for i = 1, 10000 do t[i] = -i end table.sort(t, function(a, b) return a < b end)`, script.Gas},
		{"sort mixed", `table.sort({1, "x", {}, true})`, script.Type},
		{"sort that fails", `while true do pcall(table.sort, {3, 2, 1}, error) end`, Limited},
		{"sort in sort", `local t = {} for i = 1, 100 do t[i] = -i end table.sort(t, function(a, b) table.sort(t) return a < b end) return #t`, Harmless},
		{"sort that empties", `local t = {} for i = 1, 1000 do t[i] = -i end table.sort(t, function(a, b) for i = 1, 10 do table.remove(t) end return a < b end) return #t`, script.Gas},
		{"sort that replaces", `local t = {} for i = 1, 200 do t[i] = {n = -i} end table.sort(t, function(a, b) for i = 1, 200 do t[i] = {n = i} end return a.n < b.n end) return #t`, Limited},
		{"sort of the object", `local l = params.list for i = 1, 5000 do l[i] = {n = i % 7} end table.sort(l, function(a, b) return a.n < b.n end)`, script.Gas},
		{"sort of long strings", `local t, s = {}, string.rep("x", 1e4) for i = 1, 500 do t[i] = s .. i end while true do table.sort(t) end`, Limited},
		{"sort with holes", `local t = {3, nil, 1, nil, 2} t[9] = 4 table.sort(t)`, script.Type},
		{"sort of NaN", `local t = {} for i = 1, 1000 do t[i] = i % 3 == 0 and 0/0 or i end table.sort(t) return #t`, Harmless},
	}
}
