return type(nil), type(1), type("x"), type({}), type(print), type(true), type(string)
--> "nil", "number", "string", "table", "function", "boolean", "table"
----
return type()
--x <string>:1: bad argument #1 to 'type': value expected, got no value
----
return select(1, "a", "b"), select(2, "a", "b"), select(-1, "a", "b"), select("#"), select("#", nil)
--> "a", "b", "b", 0, 1
----
return select(3, "a", "b")
-->
----
return select(0)
--x <string>:1: bad argument #1 to 'select': index out of range
----
return select(-3, 1, 2)
--x <string>:1: bad argument #1 to 'select': index out of range
----
return select(-2, "a", "b", "c")
--> "b", "c"
----
return assert(1, 2, 3)
--> 1, 2, 3
----
assert(false)
--x <string>:1: assertion failed!
----
assert(nil, "message")
--x <string>:1: message
----
assert(false, {code = 1})
--x <string>:1: the script raised a table value
----
local t = {}
assert(t.ready)
--x <string>:2:8: assertion failed: t.ready
----
error("plain")
--x <string>:1: plain
----
error("level 0", 0)
--x <string>:1: level 0
----
local function f() error("level 2", 2) end
f()
--x <string>:2: level 2
----
error({code = 5})
--x <string>:1: the script raised a table value
----
error()
--x <string>:1: the script raised a nil value
----
error(42)
--x <string>:1: 42
----
return pcall(error, "x", 0)
--> false, "x"
----
return pcall(function() error("x") end)
--> false, "<string>:1: x"
----
return pcall(function() error("x", 0) end)
--> false, "x"
----
return pcall(function() error({code = 7}) end)
--> false, {["code"]=7}
----
local ok, e = pcall(function() error({code = 7}) end)
return ok, e.code
--> false, 7
----
return pcall(function(...) return select("#", ...), ... end, 1, nil, 3)
--> true, 3, 1, nil, 3
----
return pcall(function() end)
--> true
----
return pcall()
--x <string>:1: bad argument #1 to 'pcall': value expected, got no value
----
return pcall(pcall, error, "x", 0)
--> true, false, "x"
----
local ok, e = pcall(function() local ok, e = pcall(error, "inner", 0); error(e .. " outer", 0) end)
return ok, e
--> false, "inner outer"
----
return xpcall(function() error("x", 0) end, function(e) return e .. " handled" end)
--> false, "x handled"
----
return xpcall(function() return 1, 2 end, print)
--> true, 1, 2
----
return xpcall(error, nil)
--x <string>:1: bad argument #2 to 'xpcall': function expected, got nil
----
return pcall(string.rep, "x", -1)
--> true, ""
----
local function f() local ok = pcall(function() error("a", 0) end); return ok end
return f(), f()
--> false, false
----
local r = {}
for i = 1, 3 do
  local ok, e = pcall(function() if i == 2 then error("two", 0) end; return i end)
  r[#r + 1] = tostring(ok) .. tostring(e)
end
return table.concat(r, " ")
--> "true1 falsetwo true3"
----
return math.abs(-5), math.abs(5.5), math.abs(-0.5), math.ceil(1.2), math.ceil(-1.2), math.floor(1.8), math.floor(-1.2), math.floor(5)
--> 5, 5.5, 0.5, 2, -1, 1, -2, 5
----
return math.max(1, 3, 2), math.min(3, 1, 2), math.max(1.5, 1), math.min(-1, -1.5), math.max(7)
--> 3, 1, 1.5, -1.5, 7
----
return math.max()
--x <string>:1: bad argument #1 to 'math.max': number expected, got no value
----
return math.sqrt(16), math.pow(2, 10), math.exp(0), math.log(1), math.log10(1000), math.fmod(7, 3), math.fmod(-7, 3), math.modf(3.7), math.modf(-3.5)
--> 4, 1024, 1, 0, 3, 1, -1, 3, -3, -0.5
----
return math.pi > 3.14, math.huge > 1e308, -math.huge < 0, math.floor(2^40 + 0.5)
--> true, true, true, 1099511627776
----
return math.floor("3.7"), math.max("10", 9), math.abs("-3")
--> 3, 10, 3
----
return math.floor("x")
--x <string>:1: bad argument #1 to 'math.floor': number expected, got string
----
return math.deg(math.pi), math.rad(180) == math.pi, math.sin(0), math.cos(0), math.tan(0), math.atan2(0, 1), math.frexp(8), math.ldexp(0.5, 4)
--> 180, true, 0, 1, 0, 0, 0.5, 8
----
return os.time({year = 2024, month = 1, day = 15, hour = 10, min = 30, sec = 5})
--> 1705314605
----
return os.time({year = 2024, month = 1, day = 15})
--> 1705320000
----
return os.time({year = 2024, month = 14, day = 1, hour = 0})
--> 1738368000
----
return os.date("!%Y-%m-%dT%H:%M:%SZ", 1705314605)
--> "2024-01-15T10:30:05Z"
----
local io = {read = function() return "own" end}
return io.read()
--> "own"
----
return unknown_global
--> nil
----
return _VERSION
--> "Lua 5.1"
----
return ipairs({})
--> function, {}, 0
----
return (pairs({}))
--> function
----
return print("x", 1, nil)
-->
