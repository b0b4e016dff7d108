// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes random Lua. The same seed writes the same.
type generator struct{ *rand.Rand }

// statements is how many statements a program has.
const statements = 6

// generate returns n programs. Each depends on the seed and its number alone.
func generate(seed uint64, n int) []program {
	programs := make([]program, n)
	for i := range programs {
		g := generator{rand.New(rand.NewPCG(seed, uint64(i)))}
		for range statements {
			programs[i] = append(programs[i], g.statement())
		}
	}
	return programs
}

// statement returns the body of a function whose results are compared.
func (g generator) statement() string {
	kinds := []func() string{
		func() string { return "return " + g.list(1, 3, func() string { return g.number(3) }) },
		func() string { return "return " + g.list(1, 3, func() string { return g.boolean(2) }) },
		func() string { return "return " + g.list(1, 2, func() string { return g.text(2) }) },
		func() string { return "return " + g.value(3) },
		func() string { return "return " + g.search() },
		g.substitution,
		func() string { return "return " + g.format() },
		func() string { return "return " + g.conversion() },
		g.tables,
		g.sorted,
		g.control,
		g.functions,
		g.caught,
		func() string { return "return " + g.date() },
	}
	return kinds[g.IntN(len(kinds))]()
}

// pick returns one of the choices.
func (g generator) pick(choices ...string) string { return choices[g.IntN(len(choices))] }

// list returns from least to most of what make writes, with commas.
func (g generator) list(least, most int, make func() string) string {
	items := []string{}
	for range least + g.IntN(most-least+1) {
		items = append(items, make())
	}
	return strings.Join(items, ", ")
}

// form returns a text in which each & is a number, each $ a text, each ? a truth value and
// each @ any value.
func (g generator) form(form string, depth int) string {
	var b strings.Builder
	for _, c := range form {
		switch c {
		case '&':
			b.WriteString(g.number(depth - 1))
		case '$':
			b.WriteString(g.text(depth - 1))
		case '?':
			b.WriteString(g.boolean(depth - 1))
		case '@':
			b.WriteString(g.value(depth - 1))
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// small returns a whole number from 1 to n as text.
func (g generator) small(n int) string { return fmt.Sprint(1 + g.IntN(n)) }
