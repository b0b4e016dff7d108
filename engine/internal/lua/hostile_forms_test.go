// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// hostileSize is the size of the generated sources: the largest that is compiled.
const hostileSize = 64 << 10

// hostileForms are ways to make a compiler work, each for a source of about size bytes.
// Those that the default limits refuse are here too: they must be refused in time.
var hostileForms = map[string]func(size int) string{
	"calls":                                repeated("", "f()", ""),
	"calls with strings":                   repeated("", "f''", ""),
	"calls with tables":                    repeated("", "a{a{}}", ""),
	"empty tables":                         repeated("x={", "{},", "}"),
	"tables in tables":                     repeated("x={", "{{}},", "}"),
	"table fields":                         repeated("x={", "a=1,", "}"),
	"tables with keys":                     repeated("x={", "[1]=1,", "}"),
	"tables of templates":                  repeated("x={", "{1},", "}"),
	"tables of records":                    repeated("x={", "{a=b},", "}"),
	"names in a table":                     repeated("x={", "a,", "}"),
	"digits in a table":                    repeated("x={", "1,", "}"),
	"nils in a table":                      repeated("x={", "nil,", "}"),
	"strings in a table":                   repeated("x={", "'',", "}"),
	"varargs in a table":                   repeated("x={", "...,", "}"),
	"closures in a table":                  repeated("x={", "function()end,", "}"),
	"unary in a table":                     repeated("x={", "-a,", "}"),
	"not in a table":                       repeated("x={", "not a,", "}"),
	"length in a table":                    repeated("x={", "#a,", "}"),
	"brackets in a table":                  repeated("x={", "(a),", "}"),
	"indexes in a table":                   repeated("x={", "a.b,", "}"),
	"keys in a table":                      repeated("x={", "a[1],", "}"),
	"sums in a table":                      repeated("x={", "a+a,", "}"),
	"joins in a table":                     repeated("x={", "a..a,", "}"),
	"tests in a table":                     repeated("x={", "a<a,", "}"),
	"ands in a table":                      repeated("x={", "a and a,", "}"),
	"gets in a table":                      repeated("x={", "kube.get(a,'.'),", "}"),
	"gets of long paths":                   repeated("x=kube.get(a,'", ".", "')"),
	"gets at the bound":                    repeated("", "kube.get(a,'"+strings.Repeat(".", longestPath-1)+"')", ""),
	"gets of many paths":                   repeated("", "kube.get(a,'"+strings.Repeat(".", 100)+"')", ""),
	"elements of tables":                   repeated("", "a[a]=a ", ""),
	"method calls":                         repeated("", "a:a()", ""),
	"numbers":                              repeated("x={", "1e-300,", "}"),
	"hex numbers":                          repeated("x={", "0xffff,", "}"),
	"long numbers":                         repeated("x={", strings.Repeat("9", 390)+",", "}"),
	"one long number":                      repeated("x=", "9", ""),
	"tiny numbers":                         repeated("x={", "0."+strings.Repeat("0", 320)+"49406564584124654417656879286822137236505980e-1,", "}"),
	"malformed numbers":                    repeated("x={", "1e,", "}"),
	"one long string":                      repeated("x='", "a", "'"),
	"escapes":                              repeated("x='", `\n`, "'"),
	"decimal escapes":                      repeated("x='", `\0`, "'"),
	"long string":                          repeated("x=[[", "]", "]]"),
	"long string levels":                   repeated("x=[==[", "]=", "]==]"),
	"long brackets":                        repeated("x='", "x", "'--[[]]"),
	"one level of a long":                  repeated("x=[", "=", "[x"),
	"comments":                             repeated("", "--\n", ""),
	"one comment":                          repeated("--", "x", ""),
	"long comments":                        repeated("", "--[[]]", ""),
	"almost comments":                      repeated("", "--[=", "\n"),
	"spaces":                               repeated("", " ", ""),
	"lines":                                repeated("", "\n", ""),
	"mixed line ends":                      repeated("", "\r\n\r", ""),
	"semicolons":                           repeated("", ";", ""),
	"one name":                             repeated("", "a", "=1"),
	"locals":                               repeated("", "local a ", ""),
	"local values":                         repeated("", "local a=1 ", ""),
	"locals in blocks":                     repeated("", "do local a end ", ""),
	"many locals":                          counted("local a%d=1 "),
	"local names":                          listed("local ", "a,", "a=1"),
	"local long names":                     listed("local ", strings.Repeat("a", 300)+",", "a=1"),
	"globals":                              counted("a%d=1 "),
	"global functions":                     counted("function a%d()end "),
	"functions":                            repeated("", "function f()end ", ""),
	"methods":                              repeated("", "function a:a()end ", ""),
	"long method names":                    repeated("function a", ".a", "()end"),
	"parameters":                           listed("function f(", "a,", "a)end"),
	"many parameters":                      repeated("", "function f("+strings.Repeat("a,", 190)+"a)end ", ""),
	"targets":                              listed("", "a,", "a=1"),
	"field targets":                        listed("", "a.a,", "a=1"),
	"values":                               listed("x=", "1,", "1"),
	"returns":                              repeated("", "do return end ", ""),
	"many returns":                         listed("return ", "a,", "a"),
	"arguments":                            listed("f(", "a,", "a)"),
	"blocks":                               repeated("", "do end ", ""),
	"loops":                                repeated("", "while a do end ", ""),
	"repeats":                              repeated("", "repeat until a ", ""),
	"numeric loops":                        repeated("", "for i=1,1 do end ", ""),
	"generic loops":                        repeated("", "for a in a do end ", ""),
	"loops over pairs":                     repeated("", "for a in pairs(a)do end ", ""),
	"loop names":                           listed("for ", "a,", "a in a do end"),
	"conditions":                           repeated("", "if a then end ", ""),
	"elseifs":                              repeated("if a then ", "elseif a then ", "end"),
	"elses":                                repeated("", "if a then else end ", ""),
	"requires":                             repeated("", "require'os'", ""),
	"labels":                               repeated("", "::a::", ""),
	"gotos":                                repeated("", "goto a ", ""),
	"breaks":                               repeated("", "while a do break end ", ""),
	"brackets":                             repeated("x=", "(", ""),
	"braces":                               repeated("x=", "{", ""),
	"closers":                              repeated("", ")", ""),
	"ends":                                 repeated("", "end ", ""),
	"minuses":                              repeated("x=", "- ", "1"),
	"nots":                                 repeated("x=", "not ", "1"),
	"ors":                                  repeated("x=a", " or a", ""),
	"joins":                                repeated("x=a", "..a", ""),
	"powers":                               repeated("x=a", "^a", ""),
	"sums":                                 repeated("x=a", "+a", ""),
	"relations":                            repeated("x=a", "==a", ""),
	"dots":                                 repeated("x=a", ".a", ""),
	"calls of calls":                       repeated("x=a", "()", ""),
	"chains at the bound":                  repeated("", "x=a"+strings.Repeat("..a", maxChain)+" ", ""),
	"powers at the bound":                  repeated("", "x=a"+strings.Repeat("^a", maxNesting)+" ", ""),
	"nested at the bound":                  repeated("", "x="+strings.Repeat("{", maxNesting-10)+strings.Repeat("}", maxNesting-10)+" ", ""),
	"blocks at the bound":                  repeated("", strings.Repeat("do ", maxNesting-10)+strings.Repeat("end ", maxNesting-10), ""),
	"invalid bytes":                        repeated("x='", "\xff", "'"),
	"error at the end":                     repeated("x={", "a,", "} = = 1"),
	"error at the end of a line of a name": repeated("x = = ", "a", ""),
	"junk":                                 repeated("", "@", ""),
	"keywords":                             repeated("", "and ", ""),
	"functions of locals":                  functionsOfLocals,
	"upvalues":                             upvalues,
	"upvalues of many functions":           upvaluesOfFunctions,
	"functions in functions":               functionsInFunctions,
	"names far away":                       namesFarAway,
	"names far away, strictly":             counted("local a a=x%d "),
	"unknown globals":                      counted("x=a%d "),
	"fields of params":                     repeated("x={", "params.a,", "}"),
	"functions of the chunk":               repeated("", "do local a=function()end end ", ""),
	"modules that are not there":           repeated("", "require'a'", ""),
	"local functions":                      repeated("", "do local function f()end end ", ""),
	"shadowed names":                       repeated("", "do local a,b,c=c,b,a end ", ""),
	"comparisons with constants":           repeated("x={", "a=='',", "}"),
	"large templates":                      repeated("", "a={"+fields(maxTemplate)+"}", ""),
	"large records":                        repeated("", "a={"+strings.ReplaceAll(fields(maxTemplate), "=1", "=b")+"}", ""),
	"template over its bound":              repeated("", "a={"+fields(maxTemplate+1)+"}", ""),
	"templates that almost are":            nestedTemplates,
	"long keys of a template":              longKeys,
	"descriptions":                         repeated("", "a"+strings.Repeat(".a", 38)+"() ", ""),
	"long descriptions":                    repeated("", "a"+strings.Repeat(".a", 900)+"() ", ""),
	"assigned descriptions":                repeated("", "a"+strings.Repeat(".a", 39)+"=1 ", ""),
	"assigned chains":                      repeated("", "a"+strings.Repeat(".a", maxNesting-5)+"=1 ", ""),
	"lazy tables":                          repeated("", "do local a={}local function f()return a end end ", ""),
	"mixed":                                mixed(1),
	"mixed again":                          mixed(2),
	"mixed thrice":                         mixed(3),
	"functions named by the line":          repeated("", "f(function()end)", ""),
}

// hostilePieces are statements that mixed puts together.
var hostilePieces = []string{
	"f()", "f''", "a{a{}}", "a:a()", "a[a]=a ", "a.b.c=a.b ", "x={-a,#a,not a}", "x={a=1,b=a,[a]=a,...}", "x=a..a..1 ",
	"do local a,b=b,a end ", "do local function f()return f,a end end ", "f(function(a,...)return a,... end)",
	"if a<a then elseif a==''then else end ", "for i=1,#a do break end ", "for k,v in pairs(a)do a=k end ",
	"for k in next,a do end ", "while a and b or c do end ", "repeat local z=a until z ", "x=kube.get(a,'a.b.c',{})",
	"x=kube.get(a,{'a',b})", "x=a+a*a^a%a ", "function f(a,b)end ", "function a.b:c()end ", "a,b.c,d[e]=f(),... ",
	"do return a,f() end ", "x=next(a)", "x=require'os'", "x=params.a ", "x='\\65\\n'..[[b]]", "x=0x1f+1e3 ", "--[[c]]",
}

// mixed puts pieces together at random, as many as the seed says of one kind at a time.
func mixed(seed uint64) func(int) string {
	return func(size int) string {
		r := rand.New(rand.NewPCG(seed, 0))
		var b strings.Builder
		for {
			next := strings.Repeat(hostilePieces[r.IntN(len(hostilePieces))], 1+r.IntN(20))
			if b.Len()+len(next) > size {
				return b.String()
			}
			b.WriteString(next)
		}
	}
}

// repeated repeats a piece between a beginning and an end.
func repeated(before, piece, after string) func(int) string {
	return func(size int) string {
		n := (size - len(before) - len(after)) / len(piece)
		return before + strings.Repeat(piece, max(n, 0)) + after
	}
}

// listed is repeated; the name says that the piece is one of a list.
func listed(before, piece, after string) func(int) string { return repeated(before, piece, after) }

// counted repeats a form with a number that grows.
func counted(form string) func(int) string {
	return func(size int) string {
		var b strings.Builder
		for i := 0; b.Len()+len(form)+4 < size; i++ {
			fmt.Fprintf(&b, form, i)
		}
		return b.String()
	}
}

// fields are n fields of a constructor with a constant value.
func fields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d=1,", i)
	}
	return b.String()
}

// manyLocals declares n locals.
func manyLocals(prefix string, n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint(prefix, i)
	}
	return "local " + strings.Join(names, ",") + " "
}

// functionsOfLocals looks names up through functions that nest as deep as they may and
// have as many locals as they may.
func functionsOfLocals(size int) string {
	depth := maxNesting/2 - 5
	before := strings.Repeat("function f()"+manyLocals("a", 65), depth)
	after := strings.Repeat(" end", depth)
	return repeated(before+"x={", "x,", "}"+after)(size)
}

// upvalues captures many variables in a deep function.
func upvalues(size int) string {
	depth := 90
	before := "function g()" + manyLocals("a", 190) + strings.Repeat("return function()", depth)
	after := strings.Repeat(" end", depth+1)
	var names strings.Builder
	for i := range 190 {
		fmt.Fprintf(&names, "a%d,", i)
	}
	return repeated(before+"x={", names.String(), "}"+after)(size)
}

// upvaluesOfFunctions captures all locals of many functions in one.
func upvaluesOfFunctions(size int) string {
	var before, all strings.Builder
	depth := 40
	for i := range depth {
		prefix := fmt.Sprintf("a%d_", i)
		before.WriteString("function f()" + manyLocals(prefix, 60))
		for j := range 60 {
			fmt.Fprintf(&all, "%s%d,", prefix, j)
		}
	}
	return repeated(before.String()+"x={", all.String(), "}"+strings.Repeat(" end", depth))(size)
}

// functionsInFunctions captures a variable through many nests of functions.
func functionsInFunctions(size int) string {
	depth := 90
	nest := strings.Repeat("f(function()", depth) + "a=a" + strings.Repeat(" end)", depth)
	return repeated("function g() local a ", nest+" ", "end")(size)
}

// namesFarAway reads names that are declared outside many blocks.
func namesFarAway(size int) string {
	depth := maxNesting - 10
	before := "local a " + strings.Repeat("do local b ", depth)
	return repeated(before+"x={", "a,", "}"+strings.Repeat("end ", depth))(size)
}

// nestedTemplates are tables of constants in tables, which have to be looked at for each
// level.
func nestedTemplates(size int) string {
	depth := maxNesting - 10
	inner := strings.Repeat("{a=", depth) + "1" + strings.Repeat("}", depth)
	return repeated("", "do local a="+inner+" local function f()return a end end ", "")(size)
}

// longKeys are fields that have long names with one beginning.
func longKeys(size int) string {
	var b strings.Builder
	b.WriteString("a={")
	for i := range maxTemplate {
		fmt.Fprintf(&b, "%s%d=1,", strings.Repeat("a", size/maxTemplate-10), i)
	}
	return b.String() + "}"
}
