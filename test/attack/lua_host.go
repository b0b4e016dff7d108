// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// host reach for what a sandbox does not have.
func host() []Attack {
	return []Attack{
		{"input and output", `return io.open("/etc/passwd")`, script.Type},
		{"a shell", `return os.execute("true")`, script.Type},
		{"the environment", `return os.getenv("HOME")`, script.Type},
		{"an exit", `os.exit(0)`, script.Type},
		{"the debugger", `return debug.getregistry()`, script.Type},
		{"a metatable", `setmetatable({}, {__index = function(t, k) return t[k] end})`, script.Type},
		{"a metatable of strings", `getmetatable("").__index = nil`, script.Type},
		{"the globals", `_G._G._G.string.rep = nil`, script.Type},
		{"another environment", `setfenv(1, {})`, script.Type},
		{"code from text", `return load("while true do end")()`, script.Type},
		{"code from a file", `return dofile("/dev/zero")`, script.Type},
		{"code as bytes", `return string.dump(function() end)`, script.Type},
		{"coroutines", `local f = coroutine.wrap(function() while true do end end) f()`, script.Type},
		{"garbage", `while true do collectgarbage() end`, script.Type},
		{"a raw write", `rawset(string, "rep", nil)`, script.Type},
		{"a library that is written", `string.rep = nil`, script.Type},
		{"a library that is emptied", `for k in pairs(string) do string[k] = nil end`, script.Type},
		{"a library in a library", `kube.kube = kube`, script.Type},
	}
}
