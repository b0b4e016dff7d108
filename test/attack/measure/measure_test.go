// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"runtime"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack"
)

// TestAttackSeesTheEnd runs a script of each form that answers, and one that does not end.
func TestAttackSeesTheEnd(t *testing.T) {
	runner, err := NewRunner()
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		question attack.Question
		want     script.Code
	}{
		"an answer, published": {attack.Question{Form: attack.Published, Source: "return {a = 1}"}, ""},
		"an answer, bundle":    {attack.Question{Form: attack.Bundle, Source: "return {a = 1}"}, ""},
		"an answer, CEL":       {attack.Question{Form: attack.Expression, Source: "{'a': 1}"}, ""},
		"a loop, published":    {attack.Question{Form: attack.Published, Source: "while true do end"}, script.Gas},
		"a loop, bundle":       {attack.Question{Form: attack.Bundle, Source: "while true do end"}, script.Gas},
		"a loop, CEL":          {attack.Question{Form: attack.Expression, Source: attack.Forever("true")}, script.Gas},
		"no source":            {attack.Question{Form: attack.Published, Source: "x = = 1", Whole: true}, script.Syntax},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.question.Operation = string(engine.InterpretStatus)
			f, err := runner.Attack(test.question)
			if err != nil {
				t.Fatal(err)
			}
			if f.Code != test.want || f.Plain {
				t.Errorf("got the code %q and the message %q, want %q", f.Code, f.Message, test.want)
			}
			if f.Compile.CPU <= 0 {
				t.Error("its compilation took no time")
			}
		})
	}
}

// TestCompilesAnew compares what the two compilations of an attack allocate: the second does what the first did.
func TestCompilesAnew(t *testing.T) {
	runner, err := NewRunner()
	if err != nil {
		t.Fatal(err)
	}
	source := strings.Repeat("x={} ", 4000)
	for name, q := range map[string]attack.Question{
		"published":  {Form: attack.Published, Source: source},
		"bundle":     {Form: attack.Bundle, Source: "local " + source},
		"expression": {Form: attack.Expression, Source: "[" + strings.Repeat("1,", 2000) + "1]"},
	} {
		t.Run(name, func(t *testing.T) {
			q.Operation = string(engine.InterpretStatus)
			first, err := runner.target(q, runner.first)
			if err != nil {
				t.Fatal(err)
			}
			second, err := runner.target(q, runner.second)
			if err != nil {
				t.Fatal(err)
			}
			loaded := func(t *target) uint64 { return attack.Heap(func() { _ = t.load() }) }
			if one, two := loaded(first), loaded(second); two < one/2 {
				t.Errorf("the first compilation allocates %d bytes, the second %d", one, two)
			}
			runtime.KeepAlive(first)
		})
	}
}

// TestWithinNamesTheBound passes figures beyond each bound.
func TestWithinNamesTheBound(t *testing.T) {
	q := attack.Question{Want: script.Gas}
	for want, f := range map[string]Figures{
		"":               {Code: script.Gas},
		"time":           {Code: script.Gas, Run: Cost{CPU: attack.MostCPU + 1}},
		"memory":         {Code: script.Gas, Run: Cost{Memory: attack.MostGrowth + 1}},
		"compile time":   {Code: script.Gas, Compile: Cost{CPU: attack.MostCompileCPU + 1}},
		"compile memory": {Code: script.Gas, Compile: Cost{Memory: attack.MostCompileGrowth + 1}},
	} {
		if got := f.Within(q); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := (Figures{Code: script.Internal}).Within(q); got == "" {
		t.Error("an error of another code is within its bounds")
	}
}
