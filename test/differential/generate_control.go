// SPDX-License-Identifier: Apache-2.0

package main

// control returns statements with loops and branches.
func (g generator) control() string {
	return g.form(g.pick(
		"local s = {} for i = &, &, "+g.pick("1", "2", "-1", "0.5", "-3")+" do s[#s + 1] = i if #s > 10 then break end end return s",
		"local n = 0 for i = "+g.numberOf(-3, 3)+", "+g.numberOf(-3, 12)+" do if i % 2 == 0 then n = n + i elseif ? then n = n - 1 else n = n * 2 end end return n",
		"local n, s = "+g.small(40)+", {} while n > 1 do if n % 2 == 0 then n = n / 2 else n = 3 * n + 1 end s[#s + 1] = n if #s > 30 then break end end return s",
		"local i = 0 repeat local done = i > "+g.small(5)+" i = i + 1 until done return i",
		"local t = {} for i = 1, 4 do for j = i, 4 do if j == "+g.small(4)+" then break end t[#t + 1] = i * j end end return t",
		"local a, b, c = (function() return @, @ end)() return a, b, c",
		"local a, b = &, & a, b = b, a return a, b",
		"do local x = & if x > 0 then return 'positive', x end end return 'not'",
		"local t, n = {a = 1, b = 2, c = 3}, 0 for k, v in pairs(t) do n = n + v t[k] = nil end return n, next(t)",
		"local x = ? if x then return 1 elseif x == nil then return 'nil' end return 0",
		"local s = '' for w in string.gmatch($, '%a+') do s = w .. s end return s",
		"local n = 0 for i = 10, 1, -"+g.small(4)+" do n = n + i if n > & then return n, i end end return n",
		"for i = 1, 3 do local i = i * 2 if i > & then return i end end",
	), 2)
}

// functions returns statements with closures, recursion and variable arguments.
func (g generator) functions() string {
	return g.form(g.pick(
		"local f = {} for i = 1, 3 do f[i] = function() i = i + & return i end end return f[1](), f[1](), f[2](), f[3]()",
		"local function count(n) return function() n = n + 1 return n end end local a, b = count(&), count(&) return a(), a(), b(), a()",
		"local function f(...) local a, b = ... return select('#', ...), a, b, ... end return f(@, @, nil)",
		"local function f(...) return ... end return (f(@, @)), f(@, @)",
		"local function f(...) local t = {...} return #t, t[2], {f = ..., ...} end return f(1, @, 3)",
		"local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end return fib("+g.small(12)+")",
		"local function f(n) if n <= 0 then return 'done' end return f(n - 1) end return f("+g.small(50)+")",
		"local t = {n = &} function t:add(x) self.n = self.n + x return self end return t:add(&):add(&).n",
		"local t = {} function t.f(a, b) return b, a end return t.f(@, @)",
		"local x = & local function f() x = x + 1 return x end local y = f() + f() return x, y",
		"return (function(a, b, ...) return select('#', ...), a, b end)(@, @, @, @)",
		"return select("+g.numberOf(-4, 4)+", @, @, @)",
		"return select('#'), select('#', nil, nil), (select(2, @, @, @))",
		"return unpack({@, @, @}, "+g.numberOf(-1, 4)+", "+g.numberOf(0, 4)+")",
		"local function f() end return f(), (f()), {f()}, {f(), 1}",
		"return math.max(unpack({&, &, &})), string.char(unpack({72, 105}))",
		"local log = {} local function f(x) log[#log + 1] = x return x end local t = {[f('k')] = f(1), f(2)} return log, f(1) + f(2) * f(3), log",
	), 2)
}

// caught returns statements that raise errors and catch them.
func (g generator) caught() string {
	return g.form(g.pick(
		"return pcall(error, @)",
		"return pcall(error, $, 0)",
		"return pcall(function() error(@, 0) end)",
		"return pcall(function() error({code = &}) end)",
		"return pcall(function() return @, @ end)",
		"return (pcall(function() return @ + @ end))",
		"return (pcall(function() return @ .. @ end))",
		"return (pcall(function() return @ < @ end))",
		"return (pcall(function() local x = @ return x.y end))",
		"return (pcall(function() local x = @ return x() end))",
		"return (pcall(function() return #@ end))",
		"return (pcall(function() return - @ end))",
		"return (pcall(function() local t = {} t[@] = 1 end))",
		"return xpcall(function() error(@, 0) end, function(e) return type(e), e end)",
		"return xpcall(function() return @, @ end, function(e) return e end)",
		"return xpcall(function() error('a', 0) end, function(e) error(e) end)",
		"return (pcall(pcall))", "return pcall(pcall, error, $)", "return (pcall(string.rep))", "return (pcall(setmetatable, 1))",
		"return assert(@, 'message')", "return pcall(assert, @, $)", "return pcall(assert, false)", "return (pcall(assert, nil, {1}))",
		"return select('#', pcall(error))", "return (pcall(next, {}, 'x'))", "return (pcall(string.rep, 'x', -1))", "return (pcall(ipairs))",
		"local ok, e = pcall(function() local ok, e = pcall(error, $, 0) error(e .. '!', 0) end) return ok, e",
		"return pcall(function() for i = 1, 3 do if i == 2 then error(i) end end end)",
		"return (pcall(function() for i = 1, $ do return i end end))",
		"return (pcall(function() for i = @, 2 do return i end end))",
	), 2)
}
