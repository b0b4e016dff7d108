local function f(a, b) return a, b end
return f(1), f(1, 2, 3)
--> 1, 1, 2
----
local function f(...) return select("#", ...), ... end
return f(nil, 2, nil)
--> 3, nil, 2, nil
----
local function f(...) local a, b = ...; return a, b end
return f(1)
--> 1, nil
----
local function f(a, ...) return a, ... end
return f(1, 2, 3)
--> 1, 2, 3
----
local function f(...) return (...) end
return f(1, 2, 3)
--> 1
----
local function f(...) local t = {...}; return #t, t[2] end
return f(1, 2, 3)
--> 3, 2
----
local function f(...) return {n = select("#", ...), ...} end
local t = f(5, nil, 7)
return t.n, t[1], t[3]
--> 3, 5, 7
----
local function none() end
return none(), (none()), none()
--> nil, nil
----
local function none() end
local t = {none(), none()}
return #t
--> 0
----
local function two() return 1, 2 end
local t = {two(), two()}
return #t, t[1], t[2], t[3]
--> 3, 1, 1, 2
----
local function two() return 1, 2 end
return {two(), x = 1, two(), (two())}
--> {1, 1, 1, ["x"]=1}
----
local function two() return 1, 2 end
local function add(a, b, c) return a + b + (c or 0) end
return add(two()), add(10, two()), add(two(), 10)
--> 3, 13, 11
----
local function counter() local n = 0; return function() n = n + 1; return n end end
local a, b = counter(), counter()
a(); a()
return a(), b()
--> 3, 1
----
local fs = {}
for i = 1, 3 do fs[i] = function() i = i + 10; return i end end
return fs[1](), fs[1](), fs[2](), fs[3]()
--> 11, 21, 12, 13
----
local fs = {}
for _, v in ipairs({"a", "b"}) do fs[#fs + 1] = function() return v end end
return fs[1](), fs[2]()
--> "a", "b"
----
local fs, i = {}, 0
while i < 3 do i = i + 1; local j = i; fs[i] = function() j = j + 1; return j end end
return fs[1](), fs[1](), fs[2](), fs[3]()
--> 2, 3, 3, 4
----
local fs = {}
repeat local x = #fs; fs[#fs + 1] = function() return x end until #fs == 3
return fs[1](), fs[2](), fs[3]()
--> 0, 1, 2
----
local function make()
  local n = 0
  local function inc() n = n + 1 end
  local function get() return n end
  return inc, get
end
local inc, get = make()
inc(); inc()
return get()
--> 2
----
local a = 1
local function f() a = a + 1; return a end
local function g() return f() + a end
return g(), a
--> 4, 2
----
local function deep() local x = 1; return function() return function() x = x + 1; return x end end end
local f = deep()()
return f(), f()
--> 2, 3
----
local even, odd
function even(n) if n == 0 then return true end return odd(n - 1) end
function odd(n) if n == 0 then return false end return even(n - 1) end
return even(10), odd(7)
--> true, true
----
local function f(p) p = p or "default"; return p end
return f(), f(false), f("x")
--> "default", "default", "x"
----
local function f(p) local g = function() p = p + 1 return p end; g(); return g(), p end
return f(1)
--> 3, 3
----
return (function(...) return select("#", ...) end)(unpack({}, 1, 3))
--> 3
----
local t = {f = function(self, x) return self.v * x end, v = 6}
return t:f(7), t.f(t, 7), t["f"](t, 7)
--> 42, 42, 42
----
local s = "text"
return s:upper(), ("x"):rep(3), s:len(), #s
--> "TEXT", "xxx", 4, 4
----
local function f(t) return t.a, t[1] end
return f{a = 1, 2}
--> 1, 2
----
local function f(s) return s .. "!" end
return f"x", f'y', f[[z]]
--> "x!", "y!", "z!"
----
local t = {a = {b = {c = function() return "abc" end}}}
return t.a.b.c(), t["a"]["b"].c()
--> "abc", "abc"
----
local function f() return function() return function() return 42 end end end
return f()()()
--> 42
----
function f(a, a) return a end
return f(1, 2)
--> 2
----
local x = 10
local function f(x) return function() return x end end
return f(20)(), x
--> 20, 10
----
local t = {}
for i = 1, 5 do local k = i; t[k] = function(v) if v then k = v end; return k end end
t[1](100)
return t[1](), t[2]()
--> 100, 2
----
local function outer()
  local a, b = 1, 2
  local function mid() local function inner() a, b = b, a end; inner() end
  mid()
  return a, b
end
return outer()
--> 2, 1
----
local function f() return 1, nil end
local function g() return nil, 1 end
return select("#", f()), select("#", g())
--> 2, 2
----
local f
do local hidden = 7; f = function() hidden = hidden + 1; return hidden end end
f()
return f(), hidden
--> 9, nil
----
return type(print), type(string.format), type(function() end)
--> "function", "function", "function"
----
local function many() return 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 end
local t = {many()}
return #t, (many()), select(9, many())
--> 10, 1, 9, 10
----
local function f(...) local g = function(...) return select("#", ...) end; return g(...), g(1, ...), g(..., 1) end
return f(1, 2)
--> 2, 3, 2
----
function InterpretHealth() return true end
return InterpretHealth()
--> true
