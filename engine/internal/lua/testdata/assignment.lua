local a, b, c = 1
return a, b, c
--> 1, nil, nil
----
local a, b = 1, 2, 3
return a, b
--> 1, 2
----
local i, t = 1, {}
i, t[i] = i + 1, 20
return i, t[1], t[2]
--> 2, 20, nil
----
local t = {1, 2, 3}
local i = 1
t[i], i = i + 10, 3
return t[1], t[3], i
--> 11, 3, 3
----
local t = {}
t.a, t.b, t.a = 1, 2, 3
return t.a, t.b
--> 1, 2
----
local function two() return 1, 2 end
local a, b, c = two()
local d, e = (two())
local f, g, h = 0, two()
local i, j = two(), 5
return a, b, c, d, e, f, g, h, i, j
--> 1, 2, nil, 1, nil, 0, 1, 2, 1, 5
----
x = 5
local x = x + 1
return x
--> 6
----
local x = 1
do local x = x + 1; x = x + 1 end
return x
--> 1
----
local function f() return f end
return f() == f
--> true
----
f = function() return f end
return f() == f
--> true
----
local a = {}
local b = a
b.x = 1
return a.x, a == b, a == {}
--> 1, true, false
----
local t = {}
t["x y"], t[1.0], t[2^53] = 1, 2, 3
return t["x y"], t[1], t[9007199254740992]
--> 1, 2, 3
----
local o = {v = 1}
function o.f(x) return x end
function o:m(x) return self.v + x end
function o.p() return "p" end
o.q = {}
function o.q.deep() return "deep" end
function o.q:name() return self == o.q end
return o.f(2), o:m(3), o.p(), o.q.deep(), o.q:name()
--> 2, 4, "p", "deep", true
----
local t = {}
t.x = {}
t.x.y = {z = 1}
t.x.y.z = t.x.y.z + 1
return t.x.y.z
--> 2
----
local a <const> = 1
return a
--x <string>:1:9: syntax error near '<'
----
a.b:c = 1
--x <string>:1:7: syntax error near '='
----
1 = 2
--x <string>:1:1: syntax error near '1'
