// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// generator writes programs that mean the same to us and to gopher-lua: whole
// numbers that stay small and are never -0, and no order of pairs. It leaves out
// what gopher-lua compiles wrongly: assignment to several variables, and "not"
// within "or".
type generator struct {
	*rand.Rand
	out    strings.Builder
	indent int
	// numbers, texts, tables and functions are the variables in sight by what
	// they hold.
	numbers, texts, tables, functions []string
	names                             int
	// walks counts the loops over a table around, in which none may grow.
	walks      int
	inFunction bool
}

// program writes a whole program, which returns all that it computed.
func (g *generator) program() string {
	g.declareNumber()
	g.declareText()
	g.declareTable()
	g.formed(failureForms)
	g.block(6, 3)
	values := append(append([]string{}, g.numbers...), g.texts...)
	values = append(values, g.tables...)
	g.line("return %s", strings.Join(values, ", "))
	return g.out.String()
}

func (g *generator) line(format string, args ...any) {
	g.out.WriteString(strings.Repeat("  ", g.indent))
	fmt.Fprintf(&g.out, format+"\n", args...)
}

func (g *generator) name(kind string) string {
	g.names++
	return fmt.Sprintf("%s%d", kind, g.names)
}

func pick(g *generator, list []string) string { return list[g.IntN(len(list))] }

// block writes n statements in a scope of their own.
func (g *generator) block(n, depth int) {
	numbers, texts, tables, functions := len(g.numbers), len(g.texts), len(g.tables), len(g.functions)
	for range n {
		g.statement(depth)
	}
	if depth < 3 {
		g.numbers, g.texts, g.tables, g.functions = g.numbers[:numbers], g.texts[:texts], g.tables[:tables], g.functions[:functions]
	}
}

func (g *generator) nested(depth int) {
	g.indent++
	g.block(1+g.IntN(3), depth-1)
	g.indent--
}

func (g *generator) statement(depth int) {
	if g.IntN(4) == 0 && g.walks == 0 && !g.inFunction {
		g.formed(statementForms)
		return
	}
	choice := g.IntN(18)
	if depth == 0 {
		choice = g.IntN(10)
	}
	switch choice {
	case 0:
		g.declareNumber()
	case 1:
		g.declareText()
	case 2:
		g.declareTable()
	case 3, 4:
		g.line("%s = %s", pick(g, g.numbers), g.number(2))
	case 5:
		g.line("%s = string.sub(%s, -20)", pick(g, g.texts), g.text(2))
	case 6, 7:
		g.line("%s%s = %s", pick(g, g.tables), g.key(), g.any())
	case 8:
		if g.walks > 0 || g.inFunction {
			return
		}
		g.line("table.insert(%s, %s)", pick(g, g.tables), g.number(1))
	case 9:
		a, b := g.name("n"), g.name("n")
		g.line("local %s, %s = %s, %s", a, b, g.number(1), g.number(1))
		g.numbers = append(g.numbers, a, b)
	case 10:
		g.line("if %s then", g.condition(2))
		g.nested(depth)
		if g.IntN(2) == 0 {
			g.line("elseif %s then", g.condition(1))
			g.nested(depth)
		}
		if g.IntN(2) == 0 {
			g.line("else")
			g.nested(depth)
		}
		g.line("end")
	case 11:
		v := g.name("i")
		g.line("for %s = %d, %d, %d do", v, g.IntN(3), g.IntN(6), 1+g.IntN(2))
		g.loop(depth, v)
	case 12:
		v := g.name("w")
		g.line("local %s = 0", v)
		g.line("while %s < %d do", v, g.IntN(5))
		g.indent++
		g.line("%s = %s + 1", v, v)
		g.indent--
		g.loop(depth, "")
	case 13:
		k, v := g.name("k"), g.name("v")
		g.line("for %s, %s in ipairs(%s) do", k, v, pick(g, g.tables))
		g.walks++
		g.loop(depth, k)
		g.walks--
	case 14:
		v := g.name("r")
		g.line("local %s = 0", v)
		g.line("repeat")
		g.indent++
		g.line("%s = %s + 1", v, v)
		g.indent--
		g.nested(depth)
		g.line("until %s >= %d", v, g.IntN(4))
	case 15:
		g.function(depth)
	case 16:
		if len(g.functions) > 0 {
			f := g.name("n")
			g.line("local %s = (%s(%s, %s) or 0) %% 1000", f, pick(g, g.functions), g.number(1), g.number(1))
			g.numbers = append(g.numbers, f)
		}
	case 17:
		s := g.name("s")
		g.line("local %s = 0", s)
		g.line("for _, v in pairs(%s) do if type(v) == \"number\" then %s = (%s + v) %% 1000 end end", pick(g, g.tables), s, s)
		g.numbers = append(g.numbers, s)
	}
}

// loop writes the body and the end of a loop over the number v.
func (g *generator) loop(depth int, v string) {
	numbers := len(g.numbers)
	if v != "" {
		g.numbers = append(g.numbers, v)
	}
	g.nested(depth)
	g.numbers = g.numbers[:numbers]
	if g.IntN(4) == 0 {
		g.line("  if %s then break end", g.condition(1))
	}
	g.line("end")
}

func (g *generator) function(depth int) {
	f, x, y := g.name("f"), g.name("x"), g.name("y")
	g.line("local function %s(%s, %s, ...)", f, x, y)
	g.indent++
	g.line("%s = %s or 1", x, x)
	g.line("%s = %s or 2", y, y)
	g.indent--
	numbers := len(g.numbers)
	g.numbers = append(g.numbers, x, y)
	inside := g.inFunction
	g.inFunction = true
	g.nested(depth)
	g.inFunction = inside
	g.line("  return %s, select(\"#\", ...)", g.number(1))
	g.numbers = g.numbers[:numbers]
	g.line("end")
	g.functions = append(g.functions, f)
}

func (g *generator) declareNumber() {
	v := g.name("n")
	g.line("local %s = %s", v, g.number(1))
	g.numbers = append(g.numbers, v)
}

func (g *generator) declareText() {
	v := g.name("s")
	g.line("local %s = %s", v, g.text(1))
	g.texts = append(g.texts, v)
}

func (g *generator) declareTable() {
	v := g.name("t")
	g.line("local %s = {%s, %s, a = %s, b = {%s}}", v, g.number(1), g.number(1), g.number(1), g.text(1))
	g.tables = append(g.tables, v)
}

func (g *generator) key() string {
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("[%d]", 1+g.IntN(2))
	case 1:
		return fmt.Sprintf("[%s]", g.text(0))
	}
	return "." + string(rune('a'+g.IntN(5)))
}

func (g *generator) any() string {
	switch g.IntN(4) {
	case 0:
		return g.text(1)
	case 1:
		return fmt.Sprintf("{%s}", g.number(0))
	}
	return g.number(2)
}

func (g *generator) number(depth int) string {
	if depth == 0 || g.IntN(4) == 0 {
		if len(g.numbers) == 0 || g.IntN(2) == 0 {
			return fmt.Sprint(g.IntN(20))
		}
		return pick(g, g.numbers)
	}
	if g.IntN(3) == 0 {
		return g.form(pick(g, numberForms), depth-1)
	}
	switch g.IntN(9) {
	case 0, 1:
		return fmt.Sprintf("((%s %s %s) %% 1000 + 0)", g.number(depth-1), pick(g, []string{"+", "-", "*"}), g.number(depth-1))
	case 2:
		return fmt.Sprintf("(%s %% %d + 0)", g.number(depth-1), 1+g.IntN(9))
	case 3:
		return fmt.Sprintf("#%s", g.text(0))
	case 4:
		return fmt.Sprintf("(%s and %s or %s)", g.condition(depth-1), g.number(depth-1), g.number(depth-1))
	case 5:
		return fmt.Sprintf("math.%s(%s, %s)", pick(g, []string{"max", "min"}), g.number(depth-1), g.number(depth-1))
	case 6:
		return fmt.Sprintf("(0 - %s)", g.number(0))
	case 7:
		return fmt.Sprintf("(tonumber(string.sub(%s, 1, 2)) or %s)", g.text(0), g.number(0))
	}
	return fmt.Sprintf("math.floor(%s / 2)", g.number(depth-1))
}

func (g *generator) text(depth int) string {
	if depth == 0 || g.IntN(3) == 0 {
		if len(g.texts) == 0 || g.IntN(2) == 0 {
			return pick(g, []string{`"abc"`, `"x"`, `""`, `"12"`, `"hello world"`})
		}
		return pick(g, g.texts)
	}
	if g.IntN(3) == 0 {
		return g.form(pick(g, textForms), depth-1)
	}
	switch g.IntN(6) {
	case 0:
		return fmt.Sprintf("(%s .. %s)", g.text(depth-1), g.number(depth-1))
	case 1:
		return fmt.Sprintf("%s:upper()", pick(g, g.textVariables()))
	case 2:
		return fmt.Sprintf("tostring(%s)", g.condition(depth-1))
	case 3:
		return fmt.Sprintf("string.sub(%s, %d, %d)", g.text(depth-1), g.IntN(5)-2, g.IntN(6)-2)
	case 4:
		return fmt.Sprintf("(string.gsub(%s, %s, \"<%%0>\"))", g.text(depth-1), pick(g, []string{`"%a"`, `"b"`, `"%d+"`, `"l+o?"`, `"^."`}))
	}
	return fmt.Sprintf("(string.match(%s, %s) or \"no\")", g.text(depth-1), pick(g, []string{`"%a+"`, `"%d"`, `"(.)$"`, `"b-c"`, `"[b-l]+"`}))
}

func (g *generator) textVariables() []string {
	if len(g.texts) == 0 {
		return []string{`("abc")`}
	}
	return g.texts
}

func (g *generator) condition(depth int) string {
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("%s == %s", g.text(0), g.text(0))
	case 1:
		if depth > 0 {
			return fmt.Sprintf("(%s %s %s)", g.condition(depth-1), pick(g, []string{"and", "or"}), g.condition(depth-1))
		}
	case 2:
		if len(g.tables) > 0 {
			return fmt.Sprintf("type(%s%s) %s \"number\"", pick(g, g.tables), g.key(), pick(g, []string{"==", "~="}))
		}
	}
	return fmt.Sprintf("%s %s %s", g.number(depth), pick(g, []string{"<", "<=", ">", ">=", "==", "~="}), g.number(0))
}

// TestGeneratedPrograms compares the results of generated programs with those of
// gopher-lua.
func TestGeneratedPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and seconds under the race detector")
	}
	const programs = 1500
	failed := 0
	for seed := range uint64(programs) {
		source := generated(seed, 1)
		if agree(t, source) {
			failed++
		}
	}
	if failed > programs/4 {
		t.Errorf("%d of %d programs fail: they prove little", failed, programs)
	}
}

// FuzzGenerated compares the results of generated programs with those of gopher-lua; what
// is fuzzed is the randomness of the generator. Programs that fail there are passed over:
// of that many some meet a fault of its compiler.
func FuzzGenerated(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, seed, stream uint64) {
		source := generated(seed, stream)
		if _, wrong := gopherOutcome(source); !wrong {
			agree(t, source)
		}
	})
}

// generated returns the program of a seed.
func generated(seed, stream uint64) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, stream))}
	return g.program()
}

// agree compares what a program returns with gopher-lua, and reports whether it fails there.
func agree(t *testing.T, source string) (wrong bool) {
	t.Helper()
	want, wrong := gopherOutcome(source)
	if strings.Contains(want, "runtime error") || strings.Contains(want, tooSlow) {
		return wrong // a crash inside gopher-lua, or no time for it
	}
	if got := outcome(source); got != want && !(wrong && strings.HasPrefix(got, "--x ")) {
		t.Fatalf("%s\ngot        %s\ngopher-lua %s", source, got, want)
	}
	return wrong
}
