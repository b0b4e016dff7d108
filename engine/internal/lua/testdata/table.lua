return {}, {1, 2, 3}, {a = 1, ["b c"] = 2, [3] = 3}
--> {}, {1, 2, 3}, {["a"]=1, ["b c"]=2, [3]=3}
----
return {1, 2; 3, x = 4; 5}
--> {1, 2, 3, 5, ["x"]=4}
----
return {[1] = "a", "b"}
--> {"b"}
----
return {"a", [1] = "b", [2] = "c"}
--> {"a", "c"}
----
local t = {1, 2, 3, nil}
return #t
--> 3
----
local t = {n = nil, 1}
return t.n, #t
--> nil, 1
----
local t = {}
for i = 10, 1, -1 do t[i] = i end
return #t, t[1], t[10]
--> 10, 1, 10
----
local t = {}
t[1] = 1; t[2] = 2; t[4] = 4
t[3] = 3
return #t
--> 4
----
local t = {1, 2, 3}
t[#t] = nil
t[#t + 1] = "x"
return t
--> {1, 2, "x"}
----
local t = {1, 2, 3}
t[2] = nil
return #t == 3 or #t == 1, t[3]
--> true, 3
----
local t = {x = 1}
t.x = nil
return t.x, next(t)
--> nil, nil
----
local t = {1, 2, 3}
table.insert(t, 4)
table.insert(t, 1, 0)
table.insert(t, 3, "mid")
return t
--> {0, 1, "mid", 2, 3, 4}
----
local t = {}
table.insert(t, "a")
table.insert(t, 1, "b")
table.insert(t, #t + 1, "c")
return t
--> {"b", "a", "c"}
----
table.insert({})
--x <string>:1: wrong number of arguments to 'table.insert' (2 or 3 expected, got 1)
----
table.insert(nil, 1)
--x <string>:1: bad argument #1 to 'table.insert': table expected, got nil
----
local t = {1, 2, 3, 4}
local a, b, c = table.remove(t), table.remove(t, 1), table.remove(t, 99)
return t, a, b, c
--> {2, 3}, 4, 1, nil
----
return table.remove({}), select("#", table.remove({1}))
--> nil, 1
----
local t = {1, nil, 3}
return table.remove(t, 1), t[1], t[2]
--> 1, nil, 3
----
return table.concat({1, {}, 3})
--x <string>:1: invalid value (a table) at index 2 in table for 'concat'
----
local t = {3, 1, 2}
table.sort(t)
return t
--> {1, 2, 3}
----
local t = {"b", "a", "C"}
table.sort(t)
return t
--> {"C", "a", "b"}
----
local t = {3, 1, 2}
table.sort(t, function(a, b) return a > b end)
return t
--> {3, 2, 1}
----
local t = {{k = 1, v = "a"}, {k = 0, v = "b"}, {k = 1, v = "c"}}
table.sort(t, function(a, b) return a.k < b.k end)
return t[1].v, t[2].k, t[3].k
--> "b", 1, 1
----
table.sort({1, "a"})
--x <string>:1: attempt to compare string with number
----
table.sort({{}, {}})
--x <string>:1: attempt to compare table with table
----
table.sort({1, 2}, 5)
--x <string>:1: bad argument #2 to 'table.sort': function expected, got number
----
return table.maxn({1, 2, [10] = 3}), table.maxn({}), table.getn({1, 2})
--> 10, 0, 2
----
return unpack({1, 2, 3})
--> 1, 2, 3
----
return unpack({1, 2, 3}, 2)
--> 2, 3
----
return unpack({1, 2, 3}, 2, 5)
--> 2, 3, nil, nil
----
return select("#", unpack({}, 1, 0))
--> 0
----
local t = {1, 2, 3, a = 4}
local n = 0
for k, v in pairs(t) do n = n + 1 end
return n
--> 4
----
local k, v = next({5})
return k, v, next({5}, 1)
--> 1, 5, nil
----
return next({}), type(next), next({a = 1})
--> nil, "function", "a", 1
----
local t = {a = 1, b = 2, c = 3}
local n, k = 0, nil
repeat k = next(t, k); if k then n = n + t[k] end until not k
return n
--> 6
----
local t = {}
for i = 1, 100 do t[i] = i end
for i = 1, 100 do t[i] = nil end
return #t, next(t)
--> 0, nil
----
local t = {}
for i = 1, 20 do t["k" .. i] = i end
t.k5 = nil
local s = 0
for k, v in pairs(t) do s = s + v end
return s, t.k20, t.k5
--> 205, 20, nil
----
local t = {10, 20, 30}
t.x = {t[1], t[2]}
return t.x[2], #t.x
--> 20, 2
----
local t = {f = {g = {}}}
t.f.g.h = t
return t.f.g.h.f.g.h == t
--> true
----
local t = {[1] = 1, [2] = 2, [4] = 4}
return #t == 2 or #t == 4
--> true
----
return ({1, 2, 3})[2], ({a = 5}).a, #({1, 2})
--> 2, 5, 2
----
local t = {}
t[2^31] = "big"
t[-1] = "neg"
t[0] = "zero"
return t[2147483648], t[-1], t[0], #t
--> "big", "neg", "zero", 0
----
local t = {}
t[1e300] = 1
return t[1e300]
--> 1
----
return ("x").y, ("x").len
--> nil, function
----
local x = 5
return x.y
--x <string>:2:8: attempt to index a number value (x) with key 'y'
----
return nil.x
--x <string>:1:12: syntax error near 'x'
----
local t = {}
t.a.b = 1
--x <string>:2:1: attempt to index a nil value (t.a) to set key 'b'
----
local t = {}
t.a.b.c = 1
--x <string>:2:1: attempt to index a nil value (t.a) with key 'b'
----
local t = {a = {}}
return t.a.b.c
--x <string>:2:8: attempt to index a nil value (t.a.b) with key 'c'
----
local t = {{}}
return t[1][2][3]
--x <string>:2:8: attempt to index a nil value (t[1][2]) with key '3'
----
local t = {a = 1}
return t.a.b
--x <string>:2:8: attempt to index a number value (t.a) with key 'b'
----
local t = {a = 1}
t.a.b = 2
--x <string>:2:1: attempt to index a number value (t.a) to set key 'b'
----
undefined.x = 1
--x <string>:1:1: attempt to index a nil value (undefined) to set key 'x'
----
undefined()
--x <string>:1:1: attempt to call a nil value (undefined)
----
local t = {}
t.f()
--x <string>:2:1: attempt to call a nil value (t.f)
----
local t = {}
t:f()
--x <string>:2:1: attempt to call a nil value (method 'f' of t)
----
local t = {a = {}}
t.a.f(1)
--x <string>:2:1: attempt to call a nil value (t.a.f)
----
("x")()
--x <string>:1: attempt to call a string value
----
local t = {}
t[1]()
--x <string>:2:1: attempt to call a nil value (t[1])
----
local s = "x"
s:nope()
--x <string>:2:1: attempt to call a nil value (method 'nope' of s)
----
string = nil
return ("x"):upper(), string
--> "X", nil
----
local string = {format = 1}
return string.format
--> 1
----
math = {floor = function() return "mine" end}
return math.floor(1.5)
--> "mine"
----
local t = {1, 2, 3}
t[3] = nil
t[2] = nil
return #t
--> 1
----
local t = {nil, nil, 3}
return t[3]
--> 3
----
local t = {}
t.a = 1
t.a = nil
t.a = 2
return t.a, next(t)
--> 2, "a", 2
----
local t = {1,2,3,4,5,6,7,8,9,10}
for i = 1, 5 do table.remove(t, 1) end
return table.concat(t, ",")
--> "6,7,8,9,10"
----
return {1, 2, {3, {4}}, x = {y = {z = {}}}}
--> {1, 2, {3, {4}}, ["x"]={["y"]={["z"]={}}}}
----
local function make() return {a = 1, b = 2, c = 3} end
local x, y = make(), make()
x.d = "x"
y.e = "y"
return x, y
--> {["a"]=1, ["b"]=2, ["c"]=3, ["d"]="x"}, {["a"]=1, ["b"]=2, ["c"]=3, ["e"]="y"}
----
local function make() return {1, 2, 3} end
local x, y = make(), make()
x[4], x[1] = "x", 0
y[4] = "y"
return x, y
--> {0, 2, 3, "x"}, {1, 2, 3, "y"}
----
table.insert({}, 0, 1)
-->
