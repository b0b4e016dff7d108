return math.random
--x <string>:1:8: math.random is not available: a script returns the same answer each time
----
return math.random(1, 10)
--x <string>:1:8: math.random is not available: a script returns the same answer each time
----
return os.clock()
--x <string>:1:8: os.clock is not available: time stands still during a run; os.time returns it
----
return os.getenv("HOME")
--x <string>:1:8: os.getenv is not available: scripts cannot reach the host
----
return io.open("/etc/passwd")
--x <string>:1:8: io is not available: scripts cannot reach the host
----
return loadstring("return 1")
--x <string>:1:8: loadstring is not available: scripts cannot make code at run time
----
return load
--x <string>:1:8: load is not available: scripts cannot make code at run time
----
return getmetatable("x")
--x <string>:1:8: getmetatable is not available: tables of a script are plain data
----
return debug.traceback()
--x <string>:1:8: debug is not available: scripts cannot look into the engine
----
return coroutine.create(print)
--x <string>:1:8: coroutine is not available: a script runs in one piece
----
return _G.print
--x <string>:1:8: _G is not available: each run has globals of its own
----
return collectgarbage("count")
--x <string>:1:8: collectgarbage is not available: the limits of the run bound its memory
----
load = function() return "mine" end
return load()
--> "mine"
----
return string.dump(print)
--x <string>:1:8: string.dump is not available: scripts cannot make code at run time
----
local t = setmetatable
--x <string>:1:11: setmetatable is not available: tables of a script are plain data
