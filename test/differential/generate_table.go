// SPDX-License-Identifier: Apache-2.0

package main

import "strings"

// tables returns statements that build and change a table, and return it.
func (g generator) tables() string {
	b := []string{"local t = {" + g.list(0, 6, func() string { return g.item() }) + "}"}
	for range 1 + g.IntN(4) {
		b = append(b, g.form(g.pick(
			"table.insert(t, "+g.item()+")", "table.insert(t, math.min("+g.small(5)+", #t + 1), "+g.item()+")", "table.remove(t)", "table.remove(t, "+g.numberOf(-1, 6)+")",
			"t[#t + 1] = "+g.item(), "t.x = @", "t[$] = @", "t[#t] = nil", "t[1] = "+g.item(), "t.x = nil",
			"for i, v in ipairs(t) do t[i] = tostring(v) end", "for k in pairs(t) do t[k] = nil end", "for k, v in pairs(t) do t[k] = v end", "t = {unpack(t)}", "t = {t[1], t[2]}",
			"t[1], t[2] = t[2] or 1, t[1] or 2", "t.x, t.y = @, @", "local n = next(t) t.first = n",
		), 2))
	}
	if g.IntN(3) == 0 {
		return strings.Join(b, " ") + " " + g.hole() + " return t"
	}
	return strings.Join(b, " ") + " return " + g.pick("t", "t", "t, #t", "#t, t[1]", "next({}), t", "table.maxn(t)", "select('#', unpack(t))", "table.concat(t, ',')", "table.concat(t, '-', 1, 2)", "unpack(t, 1, 3)", "table.getn(t)")
}

// hole returns a statement that may leave a hole in the list t, whose length is then any
// of its borders.
func (g generator) hole() string {
	return g.form(g.pick("table.insert(t, "+g.numberOf(-3, 9)+", "+g.item()+")", "t[&] = 1", "t["+g.small(4)+"] = nil", "t[0] = @", "t[#t + 2] = 1"), 2)
}

// item returns what stands in a list.
func (g generator) item() string {
	return g.pick("1", "2", "3", "10", "-4", "0.5", `"a"`, `"b"`, `"zz"`, `"10"`)
}

// sorted returns statements that sort a list.
func (g generator) sorted() string {
	order := g.pick("", "", ", function(a, b) return a > b end", ", function(a, b) return a < b end", ", function(a, b) return tostring(a) < tostring(b) end")
	items := g.pick("numbers", "texts", "texts", "mixed")
	list := g.list(0, 12, func() string {
		switch {
		case items == "numbers" || items == "mixed" && g.IntN(5) > 0:
			return g.numberOf(-20, 20)
		}
		return g.pick(`"a"`, `"b"`, `"B"`, `"aa"`, `"ä"`, `"10"`, `"9"`, `""`, `"a-b"`, `"_"`)
	})
	return "local t = {" + list + "} table.sort(t" + order + ") return t"
}
