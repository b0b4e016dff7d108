// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// results are results that are larger than they look, or have no plain form.
func results() []Attack {
	return []Attack{
		{"deep result", `local t = {} for i = 1, 9000 do t = {t} end return t`, script.Result},
		{"large result", `local t = {} for i = 1, 500000 do t[i] = {} end return t`, Limited},
		{"doubled result", `local t = {1} for i = 1, 40 do t = {t, t} end return t`, script.Memory},
		{"object many times", `local t = {} for i = 1, 30000 do t[i] = params end return t`, Limited},
		{"part of the object often", `local t, l = {}, params.list table.insert(l, 1) for i = 1, 20000 do t[i] = l end return t`, script.Memory},
		{"cyclic result", `local t = {} t[1] = t return t`, script.Result},
		{"cyclic result that doubles", `local t = {} t.a, t.b = t, t return t`, script.Result},
		{"cycle through the object", `params.self = params return params`, script.Result},
		{"result with functions", `return {f = function() end}`, script.Result},
		{"result with a library", `return {s = string}`, script.Result},
		{"result with NaN", `return {n = 0/0, i = math.huge}`, script.Result},
		{"result with odd keys", `return {[1.5] = 1, [true] = 2, [{}] = 3}`, script.Result},
		{"result with items and fields", `return {1, 2, a = 3}`, script.Result},
		{"result with a far item", `local t = {} t[2^40] = 1 return t`, script.Result},
		{"result with holes", `local t = {1} t[5] = 5 return t`, script.Result},
		{"result with a long key", `return {[string.rep("k", 1e6)] = 1}`, Harmless},
		{"result with one text often", `local s, t = string.rep("x", 1e6), {} for i = 1, 1000 do t[i] = s end return t`, Limited},
		{"result with one key often", `local s, t = string.rep("x", 1e6), {} for i = 1, 1000 do t[i] = {[s] = 1} end return t`, Limited},
		{"result with one constant often", `local t = {} for i = 1, 10000 do t[i] = {"` + repeated("x", 50_000) + `"} end return t`, Limited},
		{"results by the thousand", `return unpack({}, 1, 7000)`, Harmless},
		{"list of the object in itself", `params.list[1] = params.list return params`, script.Result},
		{"parts of the object crossed", `params.list[1].b = params.list params.list[2].a = params.list[1] return params`, script.Result},
		{"parts of the object moved about", `for i = 1, 2000 do params["m" .. i] = params.list end return params`, Harmless},
		{"a list grown by its own items", `local l = params.list for i = 1, 500 do l[#l + 1] = {l[1], l[2]} end return l`, Harmless},
		{"nested as deep as allowed", `local t = {} for i = 1, 62 do t = {t} end return t`, Harmless},
		{"nested maps too deep", `local t = {} for i = 1, 100 do t = {a = t} end return t`, script.Result},
	}
}
