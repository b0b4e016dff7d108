// SPDX-License-Identifier: Apache-2.0

package price

import (
	"fmt"
	"strings"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/reference"
	"github.com/dragoman-io/dragoman/engine/script"
)

// operator is a form of Lua that is no function, and the kinds of its operands a, b and c.
type operator struct {
	form  string
	kinds []string
}

var operators = map[string]operator{
	"+": {"a + b", []string{"number", "number"}}, "-": {"a - b", []string{"number", "text"}}, "*": {"a * b", []string{"text", "number"}}, "/": {"a / b", []string{"number", "number"}},
	"%": {"a % b", []string{"number", "number"}}, "^": {"a ^ b", []string{"number", "number"}}, "..": {"a .. b", []string{"text", "text"}}, ".. of three": {"a .. b .. c", []string{"text", "number", "text"}},
	"==": {"a == b", []string{"text", "text"}}, "== of made texts": {"a .. 'x' == b .. 'x'", []string{"text", "text"}}, "<": {"a < b", []string{"text", "text"}}, "<=": {"a <= b", []string{"text", "text"}},
	"#": {"#a", []string{"list"}}, "# of a text": {"#a", []string{"text"}}, "unary -": {"-a", []string{"text"}}, "not": {"not a", []string{""}}, "and": {"a and b", []string{"", ""}},
	"index": {"a[b]", []string{"map", "text"}}, "index of a list": {"a[b]", []string{"list", "number"}}, "index of a constant": {"a.name", []string{"map"}}, "method": {"a:len(b)", []string{"text", ""}},
	"constructor": {"{a, b, c}", []string{"", "", ""}}, "constructor of a field": {"{[a] = b}", []string{"text", ""}}, "call": {"a(b)", []string{"function", ""}},
	"assignment": {"(function() local t = {} t[a] = b return t end)()", []string{"text", ""}}, "assignment in the object": {"(function() a[b] = c end)()", []string{"map", "text", ""}},
	"assignment in a list": {"(function() a[b] = c end)()", []string{"list", "number", ""}}, "numeric for": {"(function() for i = a, b, c do break end end)()", []string{"text", "number", "number"}},
	"generic for": {"(function() for k, v in pairs(a) do end end)()", []string{"map"}}, "ipairs for": {"(function() for i, v in ipairs(a) do end end)()", []string{"list"}},
	"varargs": {"select('#', unpack(a))", []string{"list"}}, "string method": {"('x'):rep(a)", []string{"number"}}, "gsub by a table": {"string.gsub(a, '.', b)", []string{"text", "map"}},
	"gsub by a function": {"string.gsub(a, b, function(x) return x end)", []string{"text", "text"}}, "tonumber of a base": {"tonumber(a, b)", []string{"text", "number"}}, "tostring of a float": {"tostring(a)", []string{"number"}},
	"gmatch": {"(function() for w in string.gmatch(a, b) do end end)()", []string{"text", "text"}},
}

// Lua returns each library function and each operator of Lua, with n trials of each
// at random beside those that try all values.
func Lua(c *engine.Compiler, seed uint64, n int) ([]*Subject, error) {
	var all []*Subject
	add := func(subject, call string, kinds []string) {
		all = append(all, &Subject{Name: subject, function: subject, trials: func(s *Subject) (trials []Trial, err error) {
			for _, args := range chosen(seeded(seed, subject), kinds, n) {
				t, err := s.lua(c, call, args)
				if err != nil {
					return nil, err
				}
				trials = append(trials, t)
			}
			return trials, nil
		}})
	}
	params := kindsOfKube()
	for _, name := range reference.LuaFunctions() {
		kinds := signatures[name]
		if strings.HasPrefix(name, "kube.") {
			kinds = params[name]
		}
		if kinds == nil {
			return nil, fmt.Errorf("there is no signature of %s in this package", name)
		}
		add("Lua "+name, name+"(%)", kinds)
	}
	for _, name := range sortedKeys(operators) {
		add("Lua "+name, operators[name].form, operators[name].kinds)
	}
	return all, nil
}

// kindsOfKube returns the kinds of the arguments of the functions of kube.
func kindsOfKube() map[string][]string {
	all := map[string][]string{}
	for _, f := range builtin.Functions() {
		var kinds []string
		for _, p := range f.Params {
			kinds = append(kinds, kindOf(p.Type))
		}
		if f.Variadic {
			kinds = append(kinds, kinds[len(kinds)-1], kinds[len(kinds)-1])
		}
		all["kube."+f.Name] = kinds
	}
	return all
}

// kindOf returns the kind of a type of package builtin.
func kindOf(t string) string {
	switch {
	case strings.Contains(t, "items"):
		return "items"
	case t == "map or list":
		return "map"
	case strings.Contains(t, "list"):
		return "list"
	case strings.Contains(t, "map"):
		return "map"
	case strings.Contains(t, "string"), strings.Contains(t, "quantity"):
		return "text"
	case strings.Contains(t, "number"), strings.Contains(t, "integer"):
		return "number"
	}
	return ""
}

// lua makes a trial of a call, in which % stands for all arguments, or a, b and c
// for one each.
func (s *Subject) lua(c *engine.Compiler, call string, args []value) (Trial, error) {
	var b strings.Builder
	b.WriteString("function InterpretHealth(o)\n")
	var given []string
	for i, v := range args {
		name := string(rune('a' + i))
		text := v.lua
		if text == "" {
			text = "o." + v.name
		}
		fmt.Fprintf(&b, "local %s = %s\n", name, text)
		given = append(given, name)
	}
	call = strings.ReplaceAll(call, "(%)", "("+strings.Join(given, ", ")+")")
	fmt.Fprintf(&b, "local call = function() return %s end\nfor i = 1, o.n do pcall(call) end\nend", call)
	program, err := c.Lua(engine.Script{File: "price", Text: b.String(), Operation: engine.InterpretHealth})
	return s.trial(args, func(n int64, limits script.Limits) (script.Usage, error) {
		return program.Run(&script.Call{Entry: "InterpretHealth", Names: []string{"object"}, Args: []any{with(n)}, Limits: limits}, Collector{})
	}), err
}
