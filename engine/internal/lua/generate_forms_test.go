// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"strings"
	"testing"
)

// numberForms, textForms, failureForms and statementForms are what the generator writes beside what it
// makes up itself: the library, closures, methods, iterators and errors. In a form $N is
// a number, $T a text, $C a condition, $V a table, $D a digit, $A, $B and $F are new
// names, and $n, $s are a number and a text that may be assigned.
var (
	numberForms = []string{
		`string.len($T)`, `(string.byte($T) or 0)`, `(string.byte($T, -1) or 0)`, `(string.find($T, "l", 1, true) or 0)`, `(select(2, string.find($T, "%a+")) or 0)`,
		`select("#", $N, $T, nil)`, `(select(2, $N, $N))`, `(select(-1, $N, $N))`, `(unpack({$N, $N}))`, `(select("#", unpack({$N, $N}, 1, $D)))`, `table.maxn({$N, $N, $N})`,
		`math.abs($N)`, `(math.ceil($N / 3) + 0)`, `math.floor(math.sqrt(math.abs($N)))`, `math.max($N, $N, $N)`, `math.floor(math.pow(2, $D))`, `(select(2, math.modf($D)))`,
		`tonumber("1f", 16)`, `(tonumber(string.sub($T, 1, 9)) or 7)`, `(tonumber("0x1F") + 0)`, `(string.format("%d", $N) + 0)`, `(" 5 " + $D)`, `#{$N, $N, $N}`, `({$N, $N})[2]`, `({a = $N}).a`,
		`(next({}) == nil and 1 or 0)`, `(next({$N}))`, `((function(...) return select("#", ...) end)($N, $T))`, `((function(x, ...) local y = ...; return y or x end)($N))`,
		`math.floor(1000 * (math.acos($D / 10) + math.asin($D / 10) + math.atan($D) + math.atan2($D, 3))) % 1000`, `math.floor(1000 * (math.cos($D) + math.cosh($D) + math.deg($D) + math.exp($D))) % 1000`,
		`math.floor(1000 * (math.log($D + 1) + math.log10($D + 1) + math.rad($D) + math.sin($D))) % 1000`, `math.floor(1000 * (math.sinh($D) + math.tan($D) + math.tanh($D))) % 1000`, `math.fmod($D, 4)`, `math.ldexp($D, 3)`, `(select(2, math.frexp($D)))`, `math.floor(math.pi * $D)`,
		`(not $C and 1 or 0)`, `(($C) == ($C) and 3 or 4)`, `(assert($N))`, `(type($V.a) == "number" and $V.a or 0)`,
	}
	textForms = []string{
		`string.reverse($T)`, `string.lower($T)`, `string.char(65 + $N % 26)`, `string.rep($T, $D % 3)`, `string.format("%s-%d", $T, $N)`, `string.format("%5s|%-5s|%03d", $T, "x", $D)`, `string.format("%x %c %%", $D, 65)`,
		`table.concat({$T, $N, $T}, ",")`, `table.concat({$T, $T, $T}, $T, 2, 3)`, `tostring($N)`, `tostring(nil)`, `type($V)`, `type($N)`, `type(type)`,
		`(string.gsub($T, "%w+", string.upper))`, `(string.gsub($T, "(.)(.)", "%2%1"))`, `(string.gsub($T, "%a", {a = "1", b = "2"}))`, `(string.gsub($T, "l", function(x) return x .. x end, 1))`, `tostring(select(2, string.gsub($T, "%s*", "")))`,
		`(string.match($T, "^(%a)") or $T)`, `tostring(string.find($T, "(b)(c)"))`, `$s:sub(2):rep(2)`, `($T):lower():upper()`, `($T .. $T .. $N .. $T)`,
		`(assert($T, "never"))`,
		`(($T < $T) and $T or $T)`, `(not ($T <= $T) and "gt" or "le")`,
	}
	// failureForms stand at the start of a program, before any function: gopher-lua's
	// machine parts a function from its variables where a pcall fails.
	failureForms = []string{
		"local $A = (pcall(error) and 1 or 2)\n$n = $A",
		"$s = (select(2, pcall(error, $T, 0)))",
		"$s = (select(2, xpcall(function() error($T, 0) end, function(e) return e .. \"!\" end)))",
		"$s = tostring(pcall(function() local x; return x.y end))",
		"$s = select(2, pcall(error, {m = $T})).m",
		"local $A, $B = pcall(function() error({code = $D}) end)\nif not $A then $n = $B.code end",
	}
	statementForms = []string{
		"do\n  local $A = $N\n  $n = ($A + 1) % 1000\nend",
		"for $A = 5, 1, -2 do\n  $n = ($n + $A) % 1000\nend",
		"for $A = 1, 2, 0.5 do\n  $n = ($n + $A * 2) % 1000\nend",
		"local function $F()\n  local $A = $N\n  return function(d) $A = ($A + d) % 1000; return $A end\nend\nlocal $B = $F()\n$n = $B(1) + $B($D)",
		"for $A in (function() local i = 0; return function() i = i + 1; if i <= $D then return i end end end)() do\n  $n = ($n + $A) % 1000\nend",
		"for $A, $B in next, {$N, $N}, nil do\n  $n = ($n + $A + $B) % 1000\nend",
		"for $A in string.gmatch($T, \"%a\") do\n  $s = ($A .. $s):sub(1, 20)\nend",
		"for $A, $B in string.gmatch(\"a=1, b=2\", \"(%w)=(%d)\") do\n  $s = ($A .. $B .. $s):sub(1, 20)\nend",
		"repeat\n  local $A = $D\n  $n = ($n + $A) % 1000\nuntil $A >= 0",
		"while true do\n  $n = $N\n  if true then break end\nend",
		"local $A = {$N, $N, $N}\ntable.sort($A, function(a, b) return a > b end)\n$s = table.concat($A, \" \"):sub(1, 20)",
		"local $A = {$T, $T, $T}\ntable.sort($A)\ntable.insert($A, 2, $T)\n$s = (table.remove($A) .. table.remove($A, 1)):sub(1, 20)",
		"$n, $V.a = $D, $D",
		"local $A, $B = (function(...) return ... end)($D, $D)\n$n = $A + $B",
		"local function $F(i)\n  if i <= 0 then return 0 end\n  return i + $F(i - 1)\nend\n$n = $F($D)",
		"local $A = {v = $N}\nfunction $A:add(d) self.v = (self.v + d) % 1000; return self end\nfunction $A.get(t) return t.v end\n$n = $A.get($A:add($D):add($D))",
		"local $A, $B = pcall(function(x) return x + 1 end, $N)\nif $A then $n = $B % 1000 end",
		"local $A = {n = select(\"#\", $N, $T), ...}\n$n = $A.n + #$A",
		"$V.b, $V.c = $T, $N",
		"if $C then\n  $n = $D\nelse\n  $s = $T:sub(1, 20)\nend",
		"local $A = $D > 3 and {$N} or nil\nif $A ~= nil then $n = $A[1] end",
		"local $A = {}\n$A[$D + 10], $A[$D - 10] = $T, $N\n$A[$D + 20] = nil\n$n = ($A[$D - 10] or $D) % 1000",
	}
)

// form fills in a form.
func (g *generator) form(form string, depth int) string {
	names := map[byte]string{}
	var b strings.Builder
	for i := 0; i < len(form); i++ {
		if form[i] != '$' {
			b.WriteByte(form[i])
			continue
		}
		i++
		b.WriteString(g.part(form[i], depth, names))
	}
	return b.String()
}

// part returns what stands for a letter of a form; names are the new ones of the form.
func (g *generator) part(letter byte, depth int, names map[byte]string) string {
	switch letter {
	case 'N':
		return g.number(depth)
	case 'T':
		return g.text(depth)
	case 'C':
		return g.condition(depth)
	case 'V':
		if len(g.tables) == 0 {
			return "({a = 1})"
		}
		return pick(g, g.tables)
	case 'n':
		return pick(g, g.numbers)
	case 's':
		return pick(g, g.textVariables())
	case 'D':
		return fmt.Sprint(g.IntN(7))
	}
	if names[letter] == "" {
		names[letter] = g.name(strings.ToLower(string(letter)))
	}
	return names[letter]
}

// formed writes a statement of forms.
func (g *generator) formed(forms []string) {
	for line := range strings.SplitSeq(g.form(pick(g, forms), 1), "\n") {
		g.line("%s", line)
	}
}

// TestGeneratorCovers shows that the generated programs have every statement and every
// function of the libraries, but for those of the clock, of print and of require.
func TestGeneratorCovers(t *testing.T) {
	var all strings.Builder
	for seed := range uint64(1500) {
		all.WriteString(generated(seed, 1))
	}
	for name, parts := range map[string][]string{
		"statements": {"local ", "while ", "repeat", "until ", "if ", "elseif ", "else\n", "for i", " in ", "do\n", "break", "return ", "local function ", "function a", "...", "{", "nil", "true"},
		"operators":  {" + ", " - ", " * ", " / ", " % ", " .. ", "#", " == ", " ~= ", " < ", " <= ", " > ", " >= ", " and ", " or ", "not ", "(0 - ", "[", ".a", ":add("},
		"base":       {"assert(", "error(", "ipairs(", "next(", "next, ", "pairs(", "pcall(", "select(", "tonumber(", "tostring(", "type(", "unpack(", "xpcall("},
		"string":     {"byte(", "char(", "find(", "format(", "gmatch(", "gsub(", "len(", ":lower(", "match(", "rep(", "reverse(", "sub(", ":upper("},
		"table":      {"concat(", "insert(", "maxn(", "remove(", "sort("},
		"math": {
			"abs(", "acos(", "asin(", "atan(", "atan2(", "ceil(", "cos(", "cosh(", "deg(", "exp(", "floor(", "fmod(", "frexp(", "ldexp(", "log(", "log10(", "max(", "min(", "modf(", "pi", "pow(", "rad(", "sin(", "sinh(", "sqrt(", "tan(", "tanh(",
		},
	} {
		for _, part := range parts {
			if !strings.Contains(all.String(), part) {
				t.Errorf("%s: no program has %q", name, part)
			}
		}
	}
}
