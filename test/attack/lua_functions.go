// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// members are two thousand status items without conditions.
const members = `local it = {} for i = 1, 2000 do it[i] = {clusterName = "m" .. i, status = {a = 1, conditions = {}}} end it = kube.list(unpack(it)) `

// functions are large, deep and cyclic arguments of the functions of kube.
func functions() []Attack {
	return []Attack{
		{"kube merge often", `local a = {} for i = 1, 1000 do a["k" .. i] = i end while true do a = kube.merge(a, a) end`, Limited},
		{"kube quantity exponent", `return kube.resourceAdd("1e999999999", "1")`, script.Type},
		{"kube quantity digits", `return kube.resourceAdd(string.rep("9", 1e6))`, script.Type},
		{"kube get of a long path", `local p = string.rep("a.", 1e5) .. "a" while true do kube.get({}, p) end`, script.Gas},
		{"kube.merge of deep maps", `local t = {} for i = 1, 1000 do t = {a = t} end return kube.merge(t, t)`, script.Type},
		{"kube.merge of a cycle", `local t = {} t.t = t return kube.merge(t, {})`, script.Type},
		{"kube.merge of doubled maps", `local t = {} for i = 1, 40 do t = {a = t, b = t} end return kube.merge({}, t)`, Limited},
		{"kube.merge of the object often", `while true do kube.merge(params, params) end`, Limited},
		{"kube.merge of lists", `return kube.merge({1, 2}, {3})`, script.Type},
		{"kube.get of a million keys", `return kube.get(params, string.rep("a.", 5e5))`, script.Gas},
		{"kube.get of a list of keys", `local t = {} for i = 1, 7000 do t[i] = "k" end while true do kube.get(params, t) end`, script.Gas},
		{"kube.get of a cycle as the path", `local t = {} t[1] = t return kube.get(params, t)`, script.Type},
		{"kube.get through a cycle", `local t = {} t.a = t while true do kube.get(t, "a.a.a.a.a.a.a.a") end`, script.Gas},
		{"kube.get with a long key", `local s = string.rep("x", 1e6) while true do kube.get(params, s) end`, script.Gas},
		{"kube.list of many", `while true do kube.list(unpack({}, 1, 7000)) end`, Limited},
		{"kube.list of the object", `while true do kube.list(params, params, params, params) end`, Limited},
		{"kube.resourceAdd of an exponent", `return kube.resourceAdd("1e999999")`, script.Type},
		{"kube.resourceAdd of a negative exponent", `return kube.resourceAdd("1e-999999999", "1")`, script.Type},
		{"kube.resourceAdd far apart", `while true do kube.resourceAdd("1e15", "1n") end`, Limited},
		{"kube.resourceAdd of many", `local t = {} for i = 1, 7000 do t[i] = "1.5Gi" end while true do kube.resourceAdd(unpack(t)) end`, Limited},
		{"kube.resourceAdd of nothing finite", `return kube.resourceAdd(0/0, math.huge)`, script.Type},
		{"kube.resourceAdd of large numbers", `return kube.resourceAdd(1e300), kube.resourceAdd(9223372036854775807, 9223372036854775807)`, script.Type},
		{"kube.getResourceQuantity of a negative exponent", `return kube.getResourceQuantity("0.1e-99999999")`, script.Type},
		{"kube.getResourceQuantity of many digits", `local s = "1" .. string.rep("0", 1e5) while true do pcall(kube.getResourceQuantity, s) end`, Limited},
		{"kube.getResourceQuantity of words", `return pcall(kube.getResourceQuantity, "NaN"), pcall(kube.getResourceQuantity, "Inf"), pcall(kube.getResourceQuantity, "0x10"), pcall(kube.getResourceQuantity, "")`, Harmless},
		{"kube.flinkMemory of large numbers", `return pcall(kube.flinkMemory, "9223372036854775807t"), pcall(kube.flinkMemory, string.rep("9", 1e5)), pcall(kube.flinkMemory, "-1g")`, Harmless},
		{"kube.accuratePodRequirements of a cycle", `local t = {} t.spec = t return kube.accuratePodRequirements(t)`, script.Type},
		{"kube.accuratePodRequirements of many containers", `local c = {} for i = 1, 2000 do c[i] = {name = "c" .. i, resources = {requests = {cpu = "1m"}}} end while true do kube.accuratePodRequirements({spec = {containers = c}}) end`, Limited},
		{"kube.accuratePodRequirements of nonsense", `return pcall(kube.accuratePodRequirements, {spec = {containers = {1, "x", {resources = 5}}}}), pcall(kube.accuratePodRequirements, {spec = 1}), pcall(kube.accuratePodRequirements, {1, 2})`, Harmless},
		{"kube.getPodDependencies of many volumes", `local v = {} for i = 1, 2000 do v[i] = {name = "v" .. i, secret = {secretName = "s" .. i}} end while true do kube.getPodDependencies({spec = {volumes = v}}, "ns") end`, Limited},
		{"kube.getPodDependencies of a cycle", `local t = {} t.spec = t return kube.getPodDependencies(t, "ns")`, script.Type},
		{"kube.condition of many", `local c = {} for i = 1, 5000 do c[i] = {type = "t" .. i} end while true do kube.condition({status = {conditions = c}}, "none") end`, script.Gas},
		{"kube.flinkMemory of digits", `local s = string.rep("9", 1e6) while true do pcall(kube.flinkMemory, s) end`, Limited},
		{"kube.latest of digits", `local s = string.rep("9", 1e6) while true do pcall(kube.latest, {{clusterName = "a", status = {t = s}}}, "t") end`, Limited},
		{"kube.accuratePodRequirements of empty containers", `local c = {} for i = 1, 3000 do c[i] = {} end local p = kube.merge({}, {spec = {containers = kube.list(unpack(c))}}) while true do kube.accuratePodRequirements(p) end`, Limited},
		{"kube.mergeConditions without conditions", members + `while true do kube.mergeConditions(it) end`, Limited},
		{"kube.worstConditions without conditions", members + `while true do kube.worstConditions(it, {"A"}) end`, Limited},
		{"kube.orNil of an object", `while true do kube.orNil(kube.list(1)) end`, Limited},
		{"kube.sumStatus of no fields", members + `while true do kube.sumStatus(it, {}) end`, Limited},
		{"kube.mergeConditions that fails late", members + `local x = kube.concat(it, kube.list("x")) while true do pcall(kube.mergeConditions, x) end`, Limited},
		{"kube.latest that fails late", members + `local x = kube.concat(it, kube.list("x")) while true do pcall(kube.latest, x, "a") end`, Limited},
		{"kube.observedByAll that fails late", members + `local x = kube.concat(it, kube.list("x")) while true do pcall(kube.observedByAll, params, x) end`, Limited},
		{"kube.observedGeneration that fails late", members + `local x = kube.concat(it, kube.list("x")) while true do pcall(kube.observedGeneration, params, x) end`, Limited},
		{"kube.largestRequirements of one claim", `local n = {} for i = 1, 500 do n["k" .. i] = "v" end local c = {} for i = 1, 50 do c[i] = {name = "c", replicas = 1, replicaRequirements = {nodeClaim = {nodeSelector = n}}} end local l = kube.list(unpack(c)) while true do kube.largestRequirements(l) end`, Limited},
		{"kube.references with a long namespace", `return kube.references("Secret", string.rep("n", 1e6), unpack({"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"}))`, Limited},
		{"kube.getPodDependencies with a long namespace", `local v = {} for i = 1, 500 do v[i] = {secret = {secretName = "s" .. i}} end return kube.getPodDependencies({spec = {volumes = v}}, string.rep("n", 1e6))`, Limited},
		{"kube.list doubled", `local l = kube.list(1) for i = 1, 40 do l = kube.list(l, l) end return l`, Limited},
		{"kube.concat doubled", `local l = kube.list(1) for i = 1, 40 do l = kube.concat(kube.list(l), kube.list(l)) end return l`, Limited},
		{"kube.list doubled less often", `local l = kube.list(1) for i = 1, 16 do l = kube.list(l, l) end return {l = l}`, Limited},
		{"kube.list doubled as far as it goes", `local l = kube.list(1) for i = 1, 14 do l = kube.list(l, l) end return {l = l}`, Harmless},
		{"kube.merge doubled", `local m = {a = 1} for i = 1, 40 do m = kube.merge({a = m}, {b = m}) end return m`, Limited},
		{"kube.list of itself", `local l = kube.list(1) for i = 1, 9000 do l = kube.list(l) end return l`, script.Type},
		{"parts of a kube.list often", `local l, t = kube.list(kube.list(unpack({1, 2, 3}, 1, 7000))), {} for i = 1, 5000 do t[i] = l[1] end return t`, Limited},
		{"kube functions as callbacks", `return pcall(string.gsub, "abc", ".", kube.get), pcall(table.sort, {3, 2, 1}, kube.merge), pcall(kube.list, kube, kube.list)`, Harmless},
		{"kube function of itself", `return kube.merge(kube, kube)`, script.Type},
	}
}
