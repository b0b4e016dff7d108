local a, b = 1, 2
a, b = b, a
return a, b
--> 2, 1
--~ its compiler forgets that b was assigned (issue 440)
----
local f = function() return f end
return f() == nil
--> true
--~ its parser's tree does not tell this from local function, and it guesses wrong
----
for i = 1, 10, 0 do end
--x <string>:1: the step of a for loop is zero
--~ it loops for ever
----
local r = {}
for i = "1", "3" do r[#r + 1] = i end
return #r
--> 3
--~ it takes no numerals here, Lua 5.1 does
----
local r = {}
for k, v in next, {a = 1} do r[#r + 1] = k .. v end
return r[1]
--> "a1"
--~ it does not loop at all
----
local n = 0
for i = 9007199254740990, 9007199254740992 do n = n + 1 end
return n
--> 3
--~ its loop variable is a float, which stops growing at 2^53
----
goto done
::done::
--x <string>:1: goto is not part of Lua 5.1
--~ it has goto of Lua 5.2
----
local function fact(n) if n <= 1 then return 1 end return n * fact(n - 1) end
return fact(20)
--> 2432902008176640000
--~ it has no integers
----
return pcall(function() local t; return t.x end)
--> false, "<string>:1: attempt to index a nil value (t) with key 'x'"
--~ another wording
----
return pcall(nil)
--> false, "<string>:1: attempt to call a nil value"
--~ it gives no position
----
local ok, e = pcall(error)
return ok, e
--> false, nil
--~ it wants an argument
----
return pcall(string.rep)
--> false, "<string>:1: bad argument #1 to 'string.rep': string expected, got no value"
--~ another wording
----
return os.time({year = 2024})
--x <string>:1: field 'month' missing in date table
--~ it takes any missing part for the present
----
return os.date("!%a %A %b %B %d %H %I %j %m %M %p %S %w %y %Y %%", 1705314605)
--> "Mon Monday Jan January 15 10 10 015 01 30 AM 05 1 24 2024 %"
--~ it knows no %j, and its %a is in lower case
----
local t = os.date("!*t", 1705314605)
return t.year, t.month, t.day, t.hour, t.min, t.sec, t.wday, t.yday, t.isdst
--> 2024, 1, 15, 10, 30, 5, 2, 15, false
--~ its yday is always 0
----
return os.date("!%c", 0), os.date("!%x %X", 0), os.date("!%D %F %T %e", 0)
--> "Thu Jan  1 00:00:00 1970", "01/01/70 00:00:00", "01/01/70 1970-01-01 00:00:00  1"
--~ it knows no %X and has another %c
----
return os.date("%Q", 0)
--x <string>:1: invalid conversion '%Q' to 'os.date'
--~ it passes unknown conversions through
----
return os.date("!%Y", 1e300)
--x <string>:1: bad argument #2 to 'os.date': time out of range
--~ it overflows
----
return os.difftime(10, 4), os.difftime(10)
--> 6, 10
--~ it wants two arguments
----
return 5 % math.huge, -5 % math.huge
--> 5, inf
--~ it adds the divisor in another way
----
return 1 .. "", 1.5 .. "x", -0.5 .. "", 2 ^ 53 .. "", 10 / 2 .. ""
--> "1", "1.5x", "-0.5", "9.007199254741e+15", "5"
--~ it writes whole numbers in full
----
return 9007199254740993, 9007199254740992 + 1, 1717599148930123457
--> 9007199254740993, 9007199254740993, 1717599148930123457
--~ it has no integers
----
return 4611686018427387904 * 2, 4611686018427387904 * -2, 3037000500 * 3037000500
--> 9.2233720368548e+18, -9223372036854775808, 9.2233720370002e+18
--~ it has no integers
----
return 9007199254740993 == 9007199254740992, 9007199254740993 > 9007199254740992
--> false, true
--~ it has no integers
----
return 0x10, 0xff, 0XFF, 1e3, 1E-2, .5, 3., 3.0, 1e+2, 0x7fffffffffffffff
--> 16, 255, 255, 1000, 0.01, 0.5, 3, 3, 100, 9223372036854775807
--~ it has no integers
----
return 1e15, 1e16, 123456789012345, 0.1, 1/3, 100, 1e100, 123.456, 1e-5
--> 1000000000000000, 1e+16, 123456789012345, 0.1, 0.33333333333333, 100, 1e+100, 123.456, 1e-05
--~ it has no integers
----
return tostring(1e15), tostring(0.1), tostring(1/3), tostring(1e100), tostring(3.0), tostring(-0.5), tostring(2^63)
--> "1000000000000000", "0.1", "0.33333333333333", "1e+100", "3", "-0.5", "9.2233720368548e+18"
--~ it does not write %.14g
----
return 1e
--x <string>:1: malformed number near '1e'
--~ it reads this as nan
----
return string.char(256)
--x <string>:1: bad argument #1 to 'string.char': invalid value
--~ it takes any number
----
return string.find("hello", "l"), string.find("hello", "xyz"), string.find("hello", "l", 4), string.find("hello", ""), string.find("hello", "", 10), string.find("", "")
--> 3, nil, 4, 1, 6, 1, 0
--~ it finds the empty string at 1 where the search starts behind the end
----
return string.match("  trim  ", "^%s*(.-)%s*$"), string.match("hello", "^h"), string.match("hello", "^e"), string.match("hello", "o$"), string.match("hello", "l$")
--> "trim", "h", nil, "o", nil
--~ its match gives nothing in place of nil
----
return string.match("hello hello", "(%w+) %1"), string.match("hello world", "(%w+) %1")
--> "hello", nil
--~ its match gives nothing in place of nil
----
return string.match("hello", "l+", 4), string.match("hello", ".", -1), string.match("hello", ".", 10)
--> "l", "o", nil
--~ its match gives nothing in place of nil
----
return string.gsub("abc", "b", function() return {} end)
--x <string>:1: invalid replacement value (a table)
--~ it takes any value
----
return string.format("%x %X %#x %o %u %c", 255, 255, 255, 8, 7, 65)
--> "ff FF 0xff 10 7 A"
--~ it has no %u
----
return string.format("%q", 'a "quoted" \\ line\nbreak'), string.format("%%"), string.format("100%%")
--> "\"a \\\"quoted\\\" \\\\ line\\\nbreak\"", "%", "100%"
--~ it writes Go's escapes
----
return string.format("%s", {}) == "table"
--> true
--~ it gives an address
----
return string.format("%d", "x")
--x <string>:1: bad argument #2 to 'string.format': number expected, got string
--~ it takes any value
----
return string.format("%d")
--x <string>:1: bad argument #2 to 'string.format': number expected, got no value
--~ Go's format
----
return string.format("%y", 1)
--x <string>:1: invalid option '%y' to 'format'
--~ Go's format
----
return string.format("%", 1)
--x <string>:1: invalid format: it ends in the middle of a directive
--~ Go's format
----
return string.format("%1000d", 1)
--x <string>:1: invalid format (width or precision too long)
--~ it takes any width
----
return string.format("%0000000d", 1)
--x <string>:1: invalid format (repeated flags)
--~ it takes any flags
----
return string.format("%x", -1), string.format("%d", -5), string.format("%5.3d|", -7)
--> "ffffffffffffffff", "-5", " -007|"
--~ it writes a sign
----
return tonumber("10"), tonumber("0x1F"), tonumber("  12  "), tonumber("1e3"), tonumber("abc"), tonumber(""), tonumber("1 2"), tonumber(nil), tonumber(true), tonumber("5.5")
--> 10, 31, 12, 1000, nil, nil, nil, nil, nil, 5.5
--~ it does not read exponents
----
return tonumber("9007199254740993"), tonumber("9223372036854775808"), tonumber("1e400")
--> 9007199254740993, 9.2233720368548e+18, inf
--~ it has no integers
----
return tonumber("1", 99)
--x <string>:1: bad argument #2 to 'tonumber': base out of range
--~ it takes any base
----
return string.find("abc", "%")
--x <string>:1: malformed pattern (it ends with '%')
--~ it takes the pattern
----
return string.find("abc", "a)")
--> nil
--~ it parses the pattern; as in C, one without special characters is plain text
----
return string.find("abc", "%b")
--x <string>:1: malformed pattern (missing arguments to '%b')
--~ it takes the pattern
----
return string.match("abc", "[%a-z]"), string.match("-", "[%a-z]"), string.match("b", "[a-]"), string.match("-", "[a-]"), string.match("x", "[^%s%d]")
--> "a", "-", nil, "-", "x"
--~ it takes %a-z as a range
----
return string.gsub("hello world", "o", "0", 1), string.gsub("abc", ".", {a = 1, b = true})
--x <string>:1: invalid replacement value (a boolean)
--~ it takes any value
----
table.insert({}, 1, 2, 3)
--x <string>:1: wrong number of arguments to 'table.insert' (2 or 3 expected, got 4)
--~ it takes any number of arguments
----
return table.concat({}), table.concat({1}), table.concat({1, "b", 2.5}, ", "), table.concat({1, 2, 3}, "-", 2), table.concat({1, 2, 3}, "-", 2, 2), table.concat({1, 2}, "-", 3)
--> "", "1", "1, b, 2.5", "2-3", "2", ""
--~ it gives a number for one number
----
return table.concat({1, 2}, ",", 1, 3)
--x <string>:1: invalid value (a nil) at index 3 in table for 'concat'
--~ it stops at nil
----
next({}, "nope")
--x <string>:1: bad argument #2 to 'next': the table has no such key
--~ it takes any key
----
local t = {}
for i = 1, 20 do t[i * 100] = i end
local s = 0
for k, v in pairs(t) do s = s + k end
return s, #t, t[2000]
--> 21000, 0, 20
--~ its # is another border
----
string.x = 1
--x <string>:1:1: attempt to set field 'x' of the library string, which cannot be changed
--~ its libraries are tables
----
return #string
--x <string>:1:9: attempt to get length of a library value (string)
--~ its libraries are tables
----
for k in pairs(math) do end
--x <string>:1:16: bad argument #1 to 'pairs': table expected, got library (math)
--~ its libraries are tables
----
local t = {1, 2}
t[4] = 4
table.insert(t, 1, 0)
return t[1], t[2], t[3], t[4]
--> 0, 1, 2, 4
--~ it moves the item behind the end of the list too
----
local n = 5
local t = {}
for k, v in next, {1, n} do t[#t + 1] = k .. "=" .. v end
return table.concat(t, " ")
--> "1=1 2=5"
--~ the third value of the loop, which is not given, is one that the call before it left
----
local s = "a"
local function f() s = s .. "b" end
pcall(error)
f()
return s
--> "ab"
--~ a pcall that fails parts f from its variable
----
local function f(y)
  for k in ipairs({1, 2}) do
    for i = 0, 3, 2 do y = (select(2, math.modf(0))) end
  end
  return y
end
return f(1)
--> 0
--~ its compiler loses the start of the inner loop
