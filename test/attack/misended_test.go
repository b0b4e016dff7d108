// SPDX-License-Identifier: Apache-2.0

package attack_test

import (
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack"
	"github.com/dragoman-io/dragoman/test/attack/measure"
)

// TestMisendedNamesWhatIsWrong passes figures that break each rule.
func TestMisendedNamesWhatIsWrong(t *testing.T) {
	at := script.Position{File: "attack/a.lua", Line: 1}
	beyond := script.Usage{Gas: script.DefaultLimits().Gas + 1}
	const status = "a: status: want a map, got nil"
	tests := map[string]struct {
		f    measure.Figures
		q    attack.Question
		want string
	}{
		"as it must":            {measure.Figures{Code: script.Gas, Place: at}, attack.Question{Want: script.Gas}, ""},
		"another code":          {measure.Figures{Code: script.Type, Place: at}, attack.Question{Want: script.Gas}, "ends with"},
		"an answer":             {measure.Figures{}, attack.Question{Want: script.Gas}, "ends with"},
		"a defect":              {measure.Figures{Code: script.Internal, Place: at}, attack.Question{Want: attack.Bounded}, "ends with"},
		"no place":              {measure.Figures{Code: script.Gas}, attack.Question{Want: script.Gas}, "no place"},
		"no line":               {measure.Figures{Code: script.Gas, Place: script.Position{File: "a.lua"}}, attack.Question{Want: script.Gas}, "no place"},
		"harmless, no status":   {measure.Figures{Code: script.Result, Place: at, Message: status}, attack.Question{}, ""},
		"harmless, another":     {measure.Figures{Code: script.Result, Place: at, Message: "a cycle"}, attack.Question{}, "must be an answer"},
		"charged too much":      {measure.Figures{Used: beyond}, attack.Question{Form: attack.Expression, Want: attack.Bounded}, "beyond the limits"},
		"not answered":          {measure.Figures{Plain: true}, attack.Question{Form: attack.Shipped, Want: attack.Bounded}, "do not answer"},
		"refused, and it may":   {measure.Figures{Plain: true}, attack.Question{Form: attack.Bundle, Want: attack.Bounded}, ""},
		"refused, and must not": {measure.Figures{Plain: true}, attack.Question{Want: script.Gas}, "ends with"},
	}
	for name, test := range tests {
		if got := misended(test.f, test.q); got == "" != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// TestGrownNamesTheBound passes figures at each bound of memory, and beyond it.
func TestGrownNamesTheBound(t *testing.T) {
	compile, run := attack.Question{Compile: true}, attack.Question{}
	for name, test := range map[string]struct {
		q            attack.Question
		compile, run int64
		want         bool
	}{
		"a compilation at its bound":    {compile, attack.MostCompileGrowth, 0, false},
		"a compilation beyond it":       {compile, attack.MostCompileGrowth + 1, 0, true},
		"a run at its bound":            {run, 0, attack.MostGrowth, false},
		"a run beyond it":               {run, 0, attack.MostGrowth + 1, true},
		"both together beyond the sum":  {run, attack.MostGrowth / 2, attack.MostGrowth/2 + 1, true},
		"compiled for a run, within it": {run, attack.MostCompileGrowth + 1, 0, false},
	} {
		f := measure.Figures{Compile: measure.Cost{Memory: test.compile}, Run: measure.Cost{Memory: test.run}}
		if got := grown(f, test.q); got != "" != test.want {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
