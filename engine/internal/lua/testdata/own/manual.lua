return ("abc"):find("", 5), ("abc"):find("", 4), ("abc"):match("()$", 9), ("abc"):find("c", 9)
--> 4, 4, 4, nil
----
return ("THE (quick) fox"):find("%f[%a]%a+%f[%A]", 5), ("hello world"):gsub("%f[%w]%w", "<%0>"), ("[[]]"):gsub("%f[[]", "x"), (""):find("%f[%z]")
--> 6, "<h>ello <w>orld", "x[[]]", nil
----
return pcall(string.find, "x", "%f")
--> false, "<string>:1: malformed pattern (missing '[' after '%f')"
----
return ("[%.0d][%+.0d][%5.0d][%-3.0x][%#.0o][%.0u]"):format(0, 0, 0, 0, 0, 0), ("%.0d %.1d"):format(7, 0)
--> "[][+][     ][   ][0][]", "7 0"
----
local t = {1, 2, 3} table.insert(t, -2, "a") return t[-2], t[-1], t[0], t[1], t[2], t[3], t[4], #t
--> "a", nil, nil, nil, 1, 2, 3, 4
----
local t = {1, 2, 3} t[0] = "b" table.insert(t, 0, "a") return t[0], t[1], t[2], t[3], t[4], #t
--> "a", "b", 1, 2, 3, 4
----
return xpcall(function() error("x") end, function(e) error("y") end)
--> false, "error in error handling"
----
return xpcall(function() error("x") end, function(e) return 1, 2, 3 end)
--> false, 1
----
return xpcall(function() error("x") end, function(e) end)
--> false, nil
----
return xpcall(function() return 1, 2, 3 end, function(e) end)
--> true, 1, 2, 3
----
return tonumber("0xffffffffffffffff"), 0xffffffffffffffff, tonumber("0x1ffffffffffffffff"), tonumber("-0xff"), tonumber("0x7fffffffffffffff"), tonumber("-0xffffffffffffffff"), tonumber("0x"), tonumber("0x-1"), tonumber("0x 1")
--> 1.844674407371e+19, 1.844674407371e+19, 3.6893488147419e+19, -255, 9223372036854775807, -1.844674407371e+19, nil, nil, nil
----
return tonumber("ffffffffffffffff", 16), tonumber("fffffffffffffffff", 16), tonumber("0XfF", 16), tonumber(" -zZ ", 36), tonumber("-", 16), tonumber("1_0", 8), tonumber("--1", 8), tonumber("8", 8), tonumber("", 8)
--> 1.844674407371e+19, 2.9514790517935e+20, 255, -1295, nil, nil, nil, nil, nil
----
return os.date("!%R|%r|%C|%u|%V|%G|%g|%k|%l|%P|%h|%s|%e|%D|%F|%T|%Z|%z", 1e9), os.date("%Z|%Ey|%OH", 1e9)
--> "01:46|01:46:40 AM|20|7|36|2001|01| 1| 1|am|Sep|1000000000| 9|09/09/01|2001-09-09|01:46:40|GMT|+0000", "UTC|01|01"
----
return os.date("!%u%V%G%g%C%k%l%r", 1483228800), os.date("!%u %V %G %g %C %k %l %r", -62135596800)
--> "75220161620 01212:00:00 AM", "1 01 1 01 00  0 12 12:00:00 AM"
----
return 1e308 % 3.3e-308, 5.5 % -2, -5.5 % 2, math.fmod(1e308, -7), 2^53 % 3, 1 % (1/0), -1 % (1/0)
--> 9.5474944995628e-309, -0.5, 0.5, 3, 2, 1, inf
----
return ("%#.10o|%#o|%#.2o|%#5o|%#x"):format(255, 8, 8, 0, 0), ("%d %d %d"):format(1e100, -1e100, 2^62)
--> "0000000377|010|010|    0|0", "9223372036854775807 -9223372036854775808 4611686018427387904"
----
return pcall(error, 5, 0), type(select(2, pcall(error, 5, 0))), type(select(2, pcall(function() error(5) end))), xpcall(function() error(1.5, 0) end, type)
--> false, "number", "string", false, "number"
