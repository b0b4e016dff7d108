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
