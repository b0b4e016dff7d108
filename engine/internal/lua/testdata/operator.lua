return 1 + 2 * 3 - 4 / 2, (1 + 2) * 3, 2 ^ 3 ^ 2, -2 ^ 2, 7 % 3, -7 % 3, 7 % -3, -7 % -3
--> 5, 9, 512, -4, 1, 2, -2, -1
----
return 7 / 2, 6 / 2, 1 / 3, 5.5 % 2, -5.5 % 2, 2 ^ 0.5, 2 ^ -1
--> 3.5, 3, 0.33333333333333, 1.5, 0.5, 1.4142135623731, 0.5
----
return 1 / 0, -1 / 0, 0 / 0 ~= 0 / 0
--> inf, -inf, true
----
return 5 % 0 ~= 5 % 0
--> true
----
return "10" + 5, "3" * "4", "0x10" + 0, " 5 " + 1, "1e2" + 0, -"2", "2" ^ 2
--> 15, 12, 16, 6, 100, -2, 4
----
return "a" .. "b" .. "c" .. 1 .. 2
--> "abc12"
----
local a, b, c = "a", "b", "c"
return a .. b .. c, (a .. b) .. c, a .. (b .. c)
--> "abc", "abc", "abc"
----
return 1 == 1.0, "1" == 1, 0 == -0, nil == false, "a" == "a", {} == {}
--> true, false, true, false, true, false
----
return 1 ~= 2, "a" ~= "b", nil ~= nil, true ~= 1
--> true, true, false, true
----
return 1 < 2, 1 <= 1, 2 > 1, 2 >= 3, "a" < "b", "a" < "B", "" < "a", "abc" < "abd", "Z" < "a"
--> true, true, true, false, true, false, true, true, true
----
return 1.5 < 2, 2 < 1.5, -1 < -0.5, 1e300 > 1e299
--> true, false, true, true
----
return 0/0 < 1, 0/0 > 1, 0/0 <= 1, 0/0 >= 1, 0/0 == 0/0
--> false, false, false, false, false
----
return not nil, not 0, not "", not true, not not nil
--> true, false, false, false, false
----
return nil and 1, false and 1, 1 and 2, 1 and nil, nil or 1, false or nil, 1 or 2, nil and nil or "x"
--> nil, false, 2, nil, 1, nil, 1, "x"
----
local calls = 0
local function f(v) calls = calls + 1; return v end
local r = f(false) and f(true) or f(3) or f(4)
return r, calls
--> 3, 2
----
return 1 and 2 and 3, nil or false, nil or false or 5, (nil or 1) and (false or 2)
--> 3, false, 5, 2
----
return 1 < 2 == true, "x" .. 1 + 2, not 1 == 2, -3 ^ 2, 2 ^ -2, #"abc" + 1
--> true, "x3", false, -9, 0.25, 4
----
return 1 + 1 == 2 and "yes" or "no"
--> "yes"
----
return #"", #"abc", #{1, 2, 3}, #{}, #{n = 1}
--> 0, 3, 3, 0, 0
----
return #{1, 2, nil, 4} >= 2
--> true
----
return 9223372036854775807 + 1, -9223372036854775807 - 2, 9223372036854775807 * 2
--> 9.2233720368548e+18, -9.2233720368548e+18, 1.844674407371e+19
----
return 1 + nil
--x <string>:1: attempt to perform arithmetic on a nil value
----
return {} + 1
--x <string>:1: attempt to perform arithmetic on a table value
----
return "a" + 1
--x <string>:1: attempt to perform arithmetic on a string value
----
return -{}
--x <string>:1: attempt to perform arithmetic on a table value
----
return #nil
--x <string>:1: attempt to get length of a nil value
----
return #5
--x <string>:1: attempt to get length of a number value
----
return 1 < "2"
--x <string>:1: attempt to compare number with string
----
return {} < {}
--x <string>:1: attempt to compare table with table
----
return nil < 1
--x <string>:1: attempt to compare nil with number
----
return "a" < 1
--x <string>:1: attempt to compare string with number
----
return "a" .. nil
--x <string>:1: attempt to concatenate a nil value
----
return "a" .. {}
--x <string>:1: attempt to concatenate a table value
----
return "a" .. true
--x <string>:1: attempt to concatenate a boolean value
----
return 2^1023 * 2, -(2^1023) * 2
--> inf, -inf
----
return 5 // 2
--x <string>:1:11: syntax error near '/'; Lua 5.1 has no //; write math.floor(a / b), and -- before a comment
----
return 1 & 2
--x <string>:1:10: invalid token near '&'
----
return 3x
--x <string>:1:9: syntax error near 'x'
----
return 1..2
--x <string>:1:10: syntax error near '.2'
----
return 0x
--x <string>:1:8: illegal hexadecimal number near '0x'
----
local t = {}
t[1], t[2], t[1.5], t[true], t[t] = "a", "b", "c", "d", "e"
return t[1], t[2], t[1.5], t[true], t[t], t[false], t[{}]
--> "a", "b", "c", "d", "e", nil, nil
----
local t = {}
t[nil] = 1
--x <string>:2: a table key is nil
----
local t = {}
t[0/0] = 1
--x <string>:2: a table key is not a number (nan)
----
local t = {}
return t[nil], t[0/0]
--> nil, nil
----
return ("a"):byte() + 1
--> 98
----
return 8 % 3.5, 2 ^ 62, 2 ^ 63, 10 % 3.0
--> 1, 4.6116860184274e+18, 9.2233720368548e+18, 1
----
local x = 5
return x - -x, - - x, not not x
--> 10, 5, true
----
return 0.1 + 0.2 == 0.3, 0.5 + 0.5 == 1, 3 - 1.5
--> false, true, 1.5
