// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"fmt"
	"strings"
)

// source is an attack whose source is the whole chunk, or the file of a bundle, where
// names that nothing defines are errors.
func source(name string, form Form, text string) Question {
	return Question{Name: "Lua source: " + name, Form: form, Operation: status, Source: text, Whole: true, Compile: true, Want: Bounded}
}

// tail makes a chunk define its function.
const tail = " function ReflectStatus(o) return {} end"

// compiled are sources of Lua that take a compiler long, or of which much is kept.
func compiled() []Question {
	return []Question{
		source("names through 95 functions of 190 locals", Published, manyLocals(95, 190)),
		source("upvalues through functions", Published, upvalues(90, 180)),
		source("32,001 parameters", Published, "function f("+repeated("a,", 32_000)+"a) end"),
		source("32,001 targets", Bundle, repeated("a,", 32_000)+"a = 1"),
		source("32,001 targets of fields", Bundle, repeated("a.b,", 16_000)+"a.b = 1"),
		source("two names of 30 KB", Bundle, "local "+repeated("a", 30_000)+" = 1 return "+repeated("a", 29_999)+"b"),
		source("ten names of 6 KB", Bundle, longNames(10, 6_000)),
		source("names that are close", Bundle, "local "+closeNames(180)+" = 1 "+repeated("zzzzzzzx=1 ", 6_000)),
		source("tables called with tables", Published, repeated("a{a{}}", 10_900)+tail),
		source("calls called", Published, repeated("a(a())", 10_900)+tail),
		source("small functions", Published, repeated("a=function()end ", 4_000)+tail),
		source("lists of lists", Published, "x={"+repeated("{{}},", 12_000)+"}"+tail),
		source("lists of fields", Published, "x={"+repeated("a=1,", 15_000)+"}"+tail),
		source("concatenations", Published, "x={"+repeated("a..a,", 12_000)+"}"+tail),
		source("indexes", Published, "x={"+repeated("a[1],", 12_000)+"}"+tail),
		source("methods", Published, repeated("a:b()", 12_000)+tail),
		source("comparisons", Published, "x={"+repeated("a<a,", 15_000)+"}"+tail),
		source("ors", Published, "x={"+repeated("a or a,", 9_000)+"}"+tail),
		source("nested loops", Published, repeated("for i=1,2 do ", 150)+"x=1"+repeated(" end", 150)+tail),
		source("loops side by side", Published, repeated("for i=1,0 do x=i end ", 3_000)+tail),
		source("ifs side by side", Published, repeated("if x then x=1 else x=2 end ", 2_300)+tail),
		source("elseifs", Published, "if x then x=1 "+repeated("elseif x then x=1 ", 3_500)+"end"+tail),
		source("blocks in a function without a return", Bundle, "function ReflectStatus(o) "+repeated("do local x=1 end ", 3_800)+"end"),
		source("unknown names", Bundle, repeated("return_(a,b,c) ", 4_000)+tail),
		{
			Name: "Lua source: five modules of many functions", Form: Bundle, Operation: status, Source: requires(5) + tail, Whole: true, Compile: true, Want: Bounded,
			Files: func() map[string]string { return modules(5, manyLocals(60, 150)) },
		},
		{
			Name: "Lua source: modules that require each other", Form: Bundle, Operation: status, Source: requires(1) + tail, Whole: true, Compile: true, Want: Bounded,
			Files: func() map[string]string { return chained(30) },
		},
	}
}

// compiledForms are sources of one form, again and again.
func compiledForms() []Question {
	forms := []text{
		{"assignments", "x=1 "},
		{"assignments of fields", "x.y=1 "},
		{"assignments of indexes", "x[y]=1 "},
		{"swaps", "x,y=y,x "},
		{"locals in blocks", "do local x=1 end "},
		{"calls", "f() "},
		{"calls with texts", "f'' "},
		{"functions", "function f()end "},
		{"methods defined", "function f.a:b()end "},
		{"functions with parameters", "function f(a,b,c)return a end "},
		{"varargs", "function f(...)return ... end "},
		{"whiles", "while x do end "},
		{"repeats", "repeat until x "},
		{"numeric fors", "for i=1,1 do end "},
		{"generic fors", "for k in x do end "},
		{"breaks", "while x do break end "},
		{"ifs", "if x then end "},
		{"elses", "if x then else end "},
		{"texts", "x='a' "},
		{"escapes", `x='\065' `},
		{"long texts", "x=[[a]] "},
		{"comments", "--a\n"},
		{"long comments", "--[[a]] "},
		{"lines", "\n"},
		{"numbers", "x=1.5e9 "},
		{"hexadecimal numbers", "x=0xff "},
		{"negations", "x=-x "},
		{"nots", "x=not x "},
		{"lengths", "x=#x "},
		{"powers", "x=x^x "},
		{"long names", strings.Repeat("n", 300) + "=1 "},
		{"tables", "x={} "},
		{"tables of fields", "x={a=1,b=2} "},
		{"tables of indexes", "x={[1]=1} "},
		{"closures", "do local a function f()return a end end "},
		{"closures of closures", "do local a function f()return function()return a end end end "},
		{"returns", "do return end "},
		{"semicolons", ";"},
		{"brackets", "x=(((x))) "},
		{"strange letters", "\xc3\xa4"},
		{"open texts", "x='"},
		{"open long texts", "x=[["},
		{"open brackets", "x=("},
		{"open tables", "x={"},
		{"ends", "end "},
		{"gotos", "goto a "},
		{"labels", "::a:: "},
		{"globals by new names", "$=1 "},
	}
	var all []Question
	for _, f := range forms {
		body := filled(f.text, 65_000)
		if strings.Contains(f.text, "$") {
			body = distinctNames(f.text, 60_000)
		}
		for _, form := range []Form{Published, Bundle} {
			all = append(all, source(fmt.Sprintf("64 KB of %s, %s", f.name, form), form, body+tail))
		}
		all = append(all,
			source("64 KB of "+f.name+" in a function", Published, "function ReflectStatus(o) "+body+" end"),
			source("64 KB of "+f.name+" with an error at the end", Bundle, strings.ReplaceAll(body, "\n", " ")+" x = = 1"),
		)
	}
	return all
}

// manyLocals returns n functions within each other's sight, each of which reads as many
// names as there are locals.
func manyLocals(n, locals int) string {
	var declared, b strings.Builder
	for i := range locals {
		fmt.Fprintf(&declared, "v%d,", i)
	}
	fmt.Fprintf(&b, "local %s=1 ", strings.TrimSuffix(declared.String(), ","))
	for range n {
		b.WriteString("function f() local a = {" + declared.String() + "} end ")
	}
	return b.String()[:min(b.Len(), 64_000-len(tail))] + tail
}

// upvalues returns functions within functions that read the locals of the outermost.
func upvalues(depth, locals int) string {
	var declared strings.Builder
	for i := range locals {
		fmt.Fprintf(&declared, "v%d,", i)
	}
	names := strings.TrimSuffix(declared.String(), ",")
	inner := strings.Repeat("local function f() ", depth) + "return " + names + strings.Repeat(" end", depth)
	return "do local " + names + "=1 " + strings.Repeat("do "+inner+" end ", 15) + " end" + tail
}

// longNames declares names of a length, and reads others that are close to them.
func longNames(n, length int) string {
	var b strings.Builder
	for i := range n / 2 {
		name := strings.Repeat("a", length) + string(rune('a'+i))
		fmt.Fprintf(&b, "local %s = 1 x = %sz ", name, name[1:])
	}
	return b.String()
}

// closeNames returns n names, each like the next.
func closeNames(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("zzzzzzz%d", i)
	}
	return strings.Join(names, ",")
}

// distinctNames repeats a form with another name in each.
func distinctNames(form string, size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(strings.ReplaceAll(form, "$", fmt.Sprintf("g%d", i)))
	}
	return b.String()
}

// requires requires n modules.
func requires(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "local m%d = require('lib.m%d') ", i, i)
	}
	return b.String()
}

// modules are n modules of the same text.
func modules(n int, text string) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("lib/m%d.lua", i)] = text + fmt.Sprintf(" local m = {n = %d} return m", i)
	}
	return files
}

// chained are n modules that each require the next two.
func chained(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		text := "local m = {} "
		for j := i + 1; j <= min(i+2, n-1); j++ {
			text += fmt.Sprintf("local m%d = require('lib.m%d') ", j, j)
		}
		files[fmt.Sprintf("lib/m%d.lua", i)] = text + repeated("m.a = function(a) return {a, a} end ", 1_500) + "return m"
	}
	return files
}
