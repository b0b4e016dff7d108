local s = 0
for i = 1, 10 do s = s + i end
return s
--> 55
----
local t = {}
for i = 10, 1, -3 do t[#t + 1] = i end
return table.concat(t, " ")
--> "10 7 4 1"
----
local t = {}
for i = 1, 2, 0.25 do t[#t + 1] = i end
return table.concat(t, " ")
--> "1 1.25 1.5 1.75 2"
----
for i = 1, 0 do return "never" end
return "done"
--> "done"
----
local n = 0
for i = 3, 1 do n = n + 1 end
for i = 1.5, 3 do n = n + 1 end
return n
--> 2
----
for i = "a", 10 do end
--x <string>:1: the initial value of a for loop must be a number, not string
----
for i = 1, {} do end
--x <string>:1: the limit of a for loop must be a number, not table
----
for i = 1, 2, nil do end
--x <string>:1: the step of a for loop must be a number, not nil
----
local n, i = 0, 0
while i < 5 do i = i + 1; if i == 3 then break end; n = n + 1 end
return n, i
--> 2, 3
----
local i = 0
repeat local j = i; i = i + 1 until j >= 3
return i
--> 4
----
local n = 0
repeat n = n + 1; if n == 5 then break end until false
return n
--> 5
----
local r = {}
for i = 1, 3 do
  for j = 1, 3 do
    if j == 2 then break end
    r[#r + 1] = i .. ":" .. j
  end
end
return table.concat(r, " ")
--> "1:1 2:1 3:1"
----
local function f(n)
  for i = 1, 10 do
    while true do
      repeat
        if i == n then return i * 2 end
      until true
      break
    end
  end
  return "none"
end
return f(3), f(99)
--> 6, "none"
----
local function size(n)
  if n < 10 then return "small" elseif n < 100 then return "medium" elseif n < 1000 then return "large" else return "huge" end
end
return size(1), size(10), size(100), size(1000)
--> "small", "medium", "large", "huge"
----
if nil then return 1 elseif false then return 2 end
return 3
--> 3
----
if 0 then return "zero is true" end
--> "zero is true"
----
if "" then return "empty is true" end
--> "empty is true"
----
do return 1 end
return 2
--> 1
----
do local x = 1 end
return x
--> nil
----
local t = {}
for i, v in ipairs({1, 2, nil, 4}) do t[#t + 1] = v end
return #t
--> 2
----
local n = 0
for k, v in pairs({1, 2, nil, 4, x = 5}) do n = n + v end
return n
--> 12
----
local function upto(n) local i = 0; return function() i = i + 1; if i <= n then return i, i * i end end end
local s = 0
for i, q in upto(4) do s = s + q end
return s
--> 30
----
local function iter(state, i) if i < state then return i + 1, i * 2, "third" end end
local r = {}
for i, d, x in iter, 3, 0 do r[#r + 1] = i .. d .. x end
return table.concat(r, " ")
--> "10third 22third 34third"
----
for i in nil do end
--x <string>:1: attempt to call a nil value
----
for i in 5 do end
--x <string>:1: attempt to call a number value
----
for i in pairs(nil) do end
--x <string>:1: bad argument #1 to 'pairs': table expected, got nil
----
for i in ipairs() do end
--x <string>:1: bad argument #1 to 'ipairs': table expected, got no value
----
local t = {a = 1, b = 2, c = 3}
for k in pairs(t) do t[k] = nil end
return next(t)
--> nil
----
local t = {1, 2, 3, 4}
for i, v in ipairs(t) do if v % 2 == 0 then table.remove(t, i) end end
return #t, t[1], t[2]
--> 2, 1, 3
----
local t = {1}
for i, v in ipairs(t) do if i < 5 then t[i + 1] = v * 2 end end
return #t, t[5]
--> 5, 16
----
local i = 1
for i = 5, 6 do end
return i
--> 1
----
local s = 0
for i = 1, 3 do local i = i * 10; s = s + i end
return s
--> 60
----
for i = 1, 3 do i = 10 end
return "ok"
--> "ok"
----
while true do if true then break end end
return "out"
--> "out"
----
break
--x <string>:1: break stands outside a loop
----
for i = 1, 2 do local function f() break end end
--x <string>:1: break stands outside a loop
----
;;; local x = 1; return x
--> 1
----
return
-->
