// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// walks are lengths and iterations, also of what changes under way.
func walks() []Attack {
	return []Attack{
		{"pairs grow", `local t = {} for i = 1, 1e6 do t[-i] = i end`, Limited},
		{"length of a long tail", `local t = kube.list(unpack({}, 1, 7000)) while #t == 0 do end`, script.Gas},
		{"iteration that deletes", `local t = {} for i = 1, 100 do t["k" .. i] = i t[i] = i end for k in pairs(t) do t[k] = nil end return next(t)`, Harmless},
		{"iteration that adds", `local t = {a = 1} for k, v in pairs(t) do t[k .. "x"] = v if #k > 50 then break end end`, Harmless},
		{"next with a foreign key", `return next({}, {})`, script.Type},
		{"length of a sparse table", `local t = {} for i = 1, 1000 do t[i * 2] = i end while #t >= 0 do end`, script.Gas},
		{"length of a list that is appended to", `local l = params.list while #l >= 0 do l[#l + 1] = #l end`, script.Gas},
		{"maxn of a sparse table", `return table.maxn({[1e15] = 1, [2^53] = 2})`, Harmless},
		{"maxn in a loop", `local t = {} for i = 1, 1000 do t[i * 3] = 1 end while true do table.maxn(t) end`, script.Gas},
		{"next from key to key", `local t = {} for i = 1, 3000 do t["k" .. i] = i end local k while true do k = next(t, k) end`, script.Gas},
		{"next from number to number", `local t = {} for i = 1, 3000 do t[-i] = i end local k while true do k = next(t, k) end`, script.Gas},
		{"next from key to key of the object", `local k while true do k = next(params, k) end`, script.Gas},
		{"next while keys come", `local t, k = {a = 1}, nil while true do k = next(t, k) if k == nil then k = "a" end t[k .. "x"] = 1 end`, script.Gas},
		{"next while keys go", `local t = {} for i = 1, 100 do t["k" .. i] = i end local k = next(t) while k do t[k] = nil local ok, n = pcall(next, t, k) k = ok and n or nil end return next(t)`, Harmless},
		{"pairs that empties the object", `for k in pairs(params) do params[k] = nil end for k in pairs(params) do error(k) end`, Harmless},
		{"pairs started often", `while true do for k in pairs(params) do break end end`, script.Gas},
		{"pairs over a new table each time", `while true do for k in pairs({a = 1, b = 2, c = 3, 1, 2, 3}) do end end`, script.Gas},
	}
}
