// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/script"
)

// counterModule has state in locals that its functions share, so that it takes slots.
const counterModule = `local n, step = 0, 1
local M = {}
function M.next() n = n + step return n end
return M`

// sharing makes n modules, each of which requires the next, and scripts that require one
// of them each.
func sharing(n int) (*Modules, []Script) {
	sources := map[string]Script{}
	for i := range n {
		text := counterModule
		if i+1 < n {
			text = fmt.Sprintf("local other = require('lib.m%d') other.next()\n", i+1) + text
		}
		sources[fmt.Sprintf("lib.m%d", i)] = Script{File: fmt.Sprintf("lib/m%d.lua", i), Text: text}
	}
	m := NewModules(sources, script.Limits{})
	var scripts []Script
	for i := range n {
		text := fmt.Sprintf(`local own, m, last = 5, require('lib.m%d'), require('lib.m%d')
function F() own = own + 1 return own, m.next(), last.next() end`, i, n-1)
		scripts = append(scripts, Script{File: fmt.Sprintf("s%d.lua", i), Text: text, Modules: m})
	}
	return m, scripts
}

// TestModulesAreCompiledOnce compiles scripts with the same modules. Each compiled all of
// them again, for itself.
func TestModulesAreCompiledOnce(t *testing.T) {
	modules, scripts := sharing(4)
	var first []*module
	for i, src := range scripts {
		p, err := Compile(src, script.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		required := p.(*program).required
		if i == 0 {
			first = required
		}
		if want := len(scripts) - i; len(required) != want {
			t.Fatalf("%s requires %d modules; want %d", src.File, len(required), want)
		}
		for _, m := range required {
			if modules.compiled[m.source.Module] != m {
				t.Errorf("%s was compiled again for %s", m.source.File, src.File)
			}
		}
		want := []any{int64(6), int64(1), int64(2)}
		for range 2 {
			a := perform(p, script.Call{Entry: "F"})
			if d := cmp.Diff(want, a.results); d != "" || a.err != nil {
				t.Errorf("%s: results (-want +got):\n%s, error %v", src.File, d, a.err)
			}
		}
	}
	for i, m := range first {
		for _, other := range first[:i] {
			if m.slot == other.slot {
				t.Errorf("%s and %s have one slot", m.source.File, other.source.File)
			}
		}
	}
}

// A module that answers operations by its functions is the one that scripts require.
func TestModuleIsItsOwnProgram(t *testing.T) {
	modules, _ := sharing(2)
	p, err := Compile(modules.sources["lib.m0"], script.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if p.(*program).main != modules.compiled["lib.m0"].main {
		t.Error("the module was compiled again")
	}
	a := perform(p, script.Call{Entry: "next"})
	if d := cmp.Diff([]any{int64(1)}, a.results); d != "" || a.err != nil {
		t.Errorf("results (-want +got):\n%s, error %v", d, a.err)
	}
}

func TestModulesAreBounded(t *testing.T) {
	many := map[string]string{}
	var all strings.Builder
	for i := range maxModules + 1 {
		many[fmt.Sprint("m", i)] = ""
		fmt.Fprintf(&all, "require('lib.m%d')\n", i)
	}
	deep := map[string]string{}
	for i := range maxModules + 1 {
		deep[fmt.Sprint("m", i)] = fmt.Sprintf("require('lib.m%d')", i+1)
	}
	large := map[string]string{}
	for i := range maxModuleSources + 1 {
		large[fmt.Sprint("m", i)] = "--" + strings.Repeat("x", 60_000)
	}
	tests := map[string]struct {
		source  string
		modules map[string]string
		want    string
	}{
		"as many as may be": {strings.TrimSuffix(all.String(), "require('lib.m64')\n"), many, ""},
		"too many":          {all.String(), many, "test.lua:65: the chunk requires more than 64 modules, directly or through others"},
		"too deep":          {"require('lib.m0')", deep, "lib/m64.lua: modules require each other deeper than 64"},
		"too large":         {all.String(), large, "test.lua:4: the modules that the chunk requires, directly or through others, have more than 196608 bytes"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if _, err := Compile(withModules(test.source, test.modules), script.Limits{}); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got %q; want %q", got, test.want)
			}
		})
	}
}

// A run has room for the globals of all modules that were compiled before those that it
// needs, so all of them together are bounded.
func TestGlobalsOfModulesAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and seconds under the race detector")
	}
	text := strings.Repeat("do local a local function f() return a end end ", 1390)
	modules := map[string]string{}
	for i := range 12 {
		modules[fmt.Sprint("m", i)] = text
	}
	for i := range 12 {
		src := withModules(fmt.Sprintf("require('lib.m%d')", i), modules)
		for j := range i {
			src.Modules.get(fmt.Sprint("lib.m", j))
		}
		_, err := Compile(src, script.Limits{})
		want := ""
		if i == 11 {
			want = "lib/m11.lua: the modules of the bundle have more than 16384 variables that their functions share"
		}
		if err != nil && err.Error() != want || err == nil && want != "" {
			t.Errorf("module %d: got error %v; want %q", i, err, want)
		}
	}
}

// Each script gets an error of its own for a module that does not compile: what adds to
// an error does so to one.
func TestModuleThatFailsIsCompiledOnce(t *testing.T) {
	src := withModules("require('lib.m')", map[string]string{"m": "x = = 1"})
	_, one := Compile(src, script.Limits{})
	before := src.Modules.compiled["lib.m"]
	_, other := Compile(src, script.Limits{})
	if one == nil || one.Error() != "lib/m.lua:1:5: syntax error near '='" || other.Error() != one.Error() || other == one {
		t.Errorf("got the errors %v and %v", one, other)
	}
	if src.Modules.compiled["lib.m"] != before {
		t.Error("the module was compiled again")
	}
}

func TestModulesForManyGoroutines(t *testing.T) {
	_, scripts := sharing(10)
	var group sync.WaitGroup
	for _, src := range append(scripts, scripts...) {
		group.Go(func() {
			p, err := Compile(src, script.Limits{})
			if err != nil {
				t.Error(err)
				return
			}
			if a := perform(p, script.Call{Entry: "F"}); a.err != nil {
				t.Error(a.err)
			}
		})
	}
	group.Wait()
}
