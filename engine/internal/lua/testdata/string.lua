return "a\tb\n\\\"\'\065\x", 'single "quotes"', [[long
string]], [==[with ]] inside]==], "\0651", "\z"
--> "a\tb\n\\\"'Ax", "single \"quotes\"", "long\nstring", "with ]] inside", "A1", "z"
----
return [[

x]], "line\
break"
--> "\nx", "line\nbreak"
----
return string.byte("A"), string.byte("ABC", 2), string.byte("ABC", 1, 3), string.byte("ABC", -1), string.byte("")
--> 65, 66, 65, 67
----
return string.char(), string.char(72, 105), #string.char(0, 255)
--> "", "Hi", 2
----
return string.len("abc"), ("abc"):len(), string.len("a\0b"), string.len(123)
--> 3, 3, 3, 3
----
return string.lower("ABC xyz"), string.upper("abc XYZ 123")
--> "abc xyz", "ABC XYZ 123"
----
return string.rep("ab", 3), string.rep("x", 0), string.rep("x", -1), string.rep("", 5)
--> "ababab", "", "", ""
----
return string.reverse("abc"), string.reverse("")
--> "cba", ""
----
return string.sub("hello", 2), string.sub("hello", 2, 3), string.sub("hello", -3), string.sub("hello", -3, -2), string.sub("hello", 0), string.sub("hello", 10), string.sub("hello", 3, 2), string.sub("hello", -100, 100)
--> "ello", "el", "llo", "ll", "hello", "", "", "hello"
----
return ("hello"):sub(2, -2), ("x"):sub(1, 1)
--> "ell", "x"
----
return string.find("a.b", ".", 1, true), string.find("a.b", "%."), string.find("a+b", "+", 1, true)
--> 2, 2, 2, 2
----
return string.find("hello world", "o w"), string.find("hello", "(l)(l)"), string.find("hello", "()ll()")
--> 5, 3, 3, 4, 3, 5
----
return string.find("hello", "h", -100), string.find("hello", "o", -1)
--> 1, 5, 5
----
return string.match("key=value", "(%w+)=(%w+)"), string.match("abc", "b"), string.match("abc", "x"), string.match("abc", "()b()")
--> "key", "b", nil, 2, 3
----
return string.match("2024-01-15", "(%d+)-(%d+)-(%d+)")
--> "2024", "01", "15"
----
return string.match("abc123", "%a+"), string.match("abc123", "%d+"), string.match("abc", "[a-b]+"), string.match("abc", "[^a]+"), string.match("a-b", "[a%-]+"), string.match("]", "[]]"), string.match("^", "[%^]"), string.match("x^", "[x^]+")
--> "abc", "123", "ab", "bc", "a-", "]", "^", "x^"
----
return string.match("f(a(b)c)d", "%b()"), string.match("THE (quick) fox", "%((%a+)%)")
--> "(a(b)c)", "quick"
----
return string.match("aaa", "a-"), string.match("aaab", "a-b"), string.match("aaa", "a?"), string.match("", "a*"), string.match("aaa", "^(a+)(a)$")
--> "", "aaab", "a", "", "aa", "a"
----
return string.match("abc", "((a)(b))"), string.match("$5", "$%d"), string.match("a$b", "a$b")
--> "ab", "$5", "a$b"
----
return string.match("0x1F", "%x+"), string.match("\t x", "%s+"), string.match("a,b", "%p"), string.match("A", "%u"), string.match("a", "%l"), string.match("\1", "%c"), string.match("_a1", "[%w_]+"), string.match("a\0b", "%z")
--> "0", "\t ", ",", "A", "a", "\x01", "_a1", "\x00"
----
return string.match("ABC", "%L+"), string.match("abc1", "%D+"), string.match("a b", "%S+"), string.match("éa", "%w")
--> "ABC", "abc", "a", "a"
----
local r = {}
for w in string.gmatch("one two three", "%a+") do r[#r + 1] = w end
return table.concat(r, "|")
--> "one|two|three"
----
local r = {}
for k, v in string.gmatch("a=1, b=2", "(%w+)=(%w+)") do r[#r + 1] = k .. v end
return table.concat(r, "|")
--> "a1|b2"
----
local r = {}
for p in string.gmatch("abc", "()") do r[#r + 1] = p end
return table.concat(r, "|")
--> "1|2|3|4"
----
local r = {}
for w in ("a,b,,c"):gmatch("([^,]*)") do r[#r + 1] = "<" .. w .. ">" end
return table.concat(r)
--> "<a><><b><><><c><>"
----
return string.gsub("hello", "l", "L"), string.gsub("hello", "l", "L", 1), string.gsub("hello", "x", "y"), string.gsub("hello", "", "-")
--> "heLLo", "heLlo", "hello", "-h-e-l-l-o-", 6
----
return string.gsub("hello world", "(%w+)", "<%1>"), string.gsub("abc", "%w", "%0%0"), string.gsub("abc", "b", "%%")
--> "<hello> <world>", "aabbcc", "a%c", 1
----
return string.gsub("hello", "(h)(e)", "%2%1")
--> "ehllo", 1
----
return string.gsub("$name is $age", "%$(%w+)", {name = "Bob", age = 42})
--> "Bob is 42", 2
----
return string.gsub("abc", "%w", function(c) if c == "b" then return nil end return c:upper() end)
--> "AbC", 3
----
return string.gsub("abc", "(a)(b)", function(x, y) return y .. x end)
--> "bac", 1
----
return string.gsub("abc", "^a", "x"), string.gsub("aaa", "^a", "x"), string.gsub("abc", "c$", "x")
--> "xbc", "xaa", "abx", 1
----
return string.gsub("abc", "b", false)
--x <string>:1: bad argument #3 to 'string.gsub': string, function or table expected, got boolean
----
return string.gsub("abc", "b", {})
--> "abc", 1
----
return string.gsub("abc", "(b)", "%2")
--x <string>:1: invalid capture index %2
----
return string.gsub("", "", "x"), string.gsub("a", ".*", "x")
--> "x", "xx", 2
----
return ("a.b.c"):gsub("%.", "/")
--> "a/b/c", 2
----
return string.format("%d %i %5d|%-5d|%05d|%+d|% d", 1, 2, 3, 4, 5, 6, 7)
--> "1 2     3|4    |00005|+6| 7"
----
return string.format("%f %.2f %10.3f|%-10.1f|%e %g %g %g", 1.5, 3.14159, 2.5, 2.5, 12345.678, 0.0001, 1e20, 100000)
--> "1.500000 3.14      2.500|2.5       |1.234568e+04 0.0001 1e+20 100000"
----
return string.format("%s %s %s %s %10s|%-10s|%.2s", "a", 1, true, nil, "r", "l", "cut")
--> "a 1 true nil          r|l         |cu"
----
return string.format("%5.1f|%+.2e|%G", -1.25, 12345.6789, 1e-10)
--> " -1.2|+1.23e+04|1E-10"
----
return string.format("%d", 3.0), string.format("%d", "10"), string.format("%.3d", 5), string.format("%08.3f", 3.14159)
--> "3", "10", "005", "0003.142"
----
return string.format("%.14g", 0.1), string.format("%.17g", 0.1), string.format("%5s%%", 50)
--> "0.1", "0.10000000000000001", "   50%"
----
return tostring(nil), tostring(true), tostring(12), tostring("x"), tostring(1.5), tostring(-0.0)
--> "nil", "true", "12", "x", "1.5", "0"
----
return tostring()
--x <string>:1: bad argument #1 to 'tostring': value expected, got no value
----
return tonumber("ff", 16), tonumber("777", 8), tonumber("1010", 2), tonumber("zz", 36), tonumber("9", 8), tonumber("10", 10), tonumber("FF", 16), tonumber("-ff", 16)
--> 255, 511, 10, 1295, nil, 10, 255, -255
----
return tonumber("inf"), tonumber("nan"), tonumber("0x"), tonumber("1e"), tonumber("--1"), tonumber("1_000"), tonumber("0x1p4")
--> nil, nil, nil, nil, nil, nil, nil
----
return tonumber()
--x <string>:1: bad argument #1 to 'tonumber': value expected, got no value
----
return ("x"):rep(3, ","), ("%d"):format(5), ("abc"):find("b", 1, true)
--> "xxx", "5", 2, 2
----
return "abc" == "abc", "a\0b" == "a\0c", #"ünïcode"
--> true, false, 9
----
return ("x"):bad()
--x <string>:1: attempt to call a nil value (method 'bad')
----
return string.rep()
--x <string>:1: bad argument #1 to 'string.rep': string expected, got no value
----
return string.rep("x", {})
--x <string>:1: bad argument #2 to 'string.rep': number expected, got table
----
return string.find("abc", "[a")
--x <string>:1: malformed pattern (missing ']')
----
return string.find("abc", "(a")
--x <string>:1: malformed pattern (unfinished capture)
----
return string.find("abc", "%1")
--x <string>:1: malformed pattern (invalid capture index %1)
----
return ("a,b;c"):gsub("[,;]", " "), ("path/to/file"):match("([^/]+)$"), ("key: value"):match("^(%w+):%s*(.+)$")
--> "a b c", "file", "key", "value"
----
return string.find("a\nb", "a.b"), string.match("%d", "%%d"), string.find("abc", "b", nil, true)
--> 1, "%d", 2, 2
