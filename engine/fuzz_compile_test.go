// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack"
	"github.com/dragoman-io/dragoman/test/attack/measure"
)

const (
	// hang is far beyond what any input may take: more is a step that nobody bounds, on
	// whatever machine.
	hang = time.Second
	// mostRepeated is the size to which a part of an input is repeated, so that what is
	// not linear shows.
	mostRepeated = 60 << 10
)

// costs fails if f takes as long as a hang, or more memory than an attack may.
func costs(t *testing.T, what string, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := measure.CPU()
	f()
	took := measure.CPU() - began
	runtime.ReadMemStats(&after)
	if took > hang {
		t.Fatalf("%s took %v of processor time", what, took)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > attack.MostGrowth {
		t.Fatalf("%s took %d bytes from the heap", what, taken)
	}
}

// inflated returns head, body as often as fits, and tail.
func inflated(head, body, tail string, n uint16) string {
	if len(body) > 0 {
		body = strings.Repeat(body, min(int(n), mostRepeated/len(body)))
	}
	return head + body + tail
}

// FuzzCompileLua compiles chunks with a part that comes again and again: whatever they
// are, it ends, and with an error that has a place or a program.
func FuzzCompileLua(f *testing.F) {
	for _, s := range [][3]string{
		{"", "a,", "a=1"},
		{"function f(", "a,", "a) end"},
		{"x={", "{},", "}"},
		{"x=", "#", "y"},
		{"x=a", "..a", ""},
		{"", "a{a{}}", ""},
		{"", "if x then else ", ""},
		{"", "local a ", ""},
		{"x='", `\65`, "'"},
		{"local a,b,c=1 ", "function f() return a,b,c end ", ""},
		{"x=a", ".b", ""},
		{"", "f''", ""},
		{"--[[", "]", "]]"},
		{"x=", "not ", "x"},
		{"", "goto a ", "::a::"},
		{"x=a", "[a]", ""},
		{"", "\n", "="},
	} {
		f.Add(s[0], s[1], s[2], uint16(60_000))
	}
	c := newCompiler(f)
	f.Fuzz(func(t *testing.T, head, body, tail string, n uint16) {
		unit := engine.Script{File: "fuzz", Text: inflated(head, body, tail, n), Operation: engine.InterpretHealth, Strict: n%2 == 0}
		costs(t, "the compilation", func() { compiles(t, c.Lua, unit) })
	})
}

// FuzzCompileCEL is FuzzCompileLua for expressions.
func FuzzCompileCEL(f *testing.F) {
	for _, s := range [][3]string{
		{"[", "[]+[],", "1]"},
		{"[", "1==1,", "1]"},
		{"[", "object.a[0],", "1]"},
		{"[", "true?1:2,", "1]"},
		{"[", "[1].map(x,[x]),", "1]"},
		{"[]", ".map(x,x)", ""},
		{"", "(", "1"},
		{"", `"""`, ""},
		{"a", ".b", ""},
		{"1", "+1", ""},
		{"object.a.matches('", `(?i)[B-\x{1e942}]`, "')"},
		{"{", "1:[],", "2:3}"},
		{"", "optional.of(", "1"},
		{"[", "{}==[],", "1]"},
		{"", "cel.bind(x,[],", "x"},
		{"[", "a,", "1]"},
		{"", "$ ", ""},
		{"[", "kube.list([]),", "1]"},
	} {
		f.Add(s[0], s[1], s[2], uint16(60_000))
	}
	c := newCompiler(f)
	f.Fuzz(func(t *testing.T, head, body, tail string, n uint16) {
		unit := engine.Script{File: "fuzz", Text: inflated(head, body, tail, n), Operation: engine.InterpretHealth}
		costs(t, "the compilation", func() { compiles(t, c.CEL, unit) })
	})
}

// compiles compiles a script; the error, if any, is one of a script and no defect.
func compiles(t *testing.T, compile func(engine.Script) (script.Program, error), unit engine.Script) {
	t.Helper()
	_, err := compile(unit)
	var failure *script.Error
	if err != nil && (!errors.As(err, &failure) || failure.Code == script.Internal) {
		t.Fatalf("%.300v", err)
	}
}

// newCompiler returns a compiler that has compiled before: what is done once is done.
func newCompiler(f *testing.F) *engine.Compiler {
	f.Helper()
	c, err := engine.NewCompiler()
	if err != nil {
		f.Fatal(err)
	}
	for _, compile := range []func(engine.Script) (script.Program, error){c.Lua, c.CEL} {
		_, _ = compile(engine.Script{File: "warm", Text: "true", Operation: engine.InterpretHealth})
	}
	return c
}
