// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/internal/cel/check"
	"github.com/dragoman-io/dragoman/engine/script"
)

// TestCheckingIsLinear repeats each function, operator and macro in each arrangement, a
// few times and four times as often: the steps that its types take must grow no faster
// than the source.
func TestCheckingIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and seconds under the race detector")
	}
	c := compiler(t)
	in, err := c.scope(dyn("a"))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, name := range slices.Sorted(maps.Keys(arrangements)) {
		for _, form := range append(slices.Clone(operations), callForms(c)...) {
			source, larger := arrangements[name](form, 1<<8), arrangements[name](form, 1<<10)
			short, ok := steps(c, in, source)
			long, _ := steps(c, in, larger)
			if most := 2 * (short + 50) * len(larger) / len(source); long > most {
				t.Errorf("%s of %s takes %d steps for %d bytes, and %d for %d", name, form, short, len(source), long, len(larger))
			}
			if ok {
				checked++
			}
		}
	}
	if checked < 2000 {
		t.Errorf("only %d sources compile: they prove little", checked)
	}
}

// steps returns what a source takes to check, and whether it compiles.
func steps(c *Compiler, in scope, source string) (int, bool) {
	parsed, err := c.parser.Parse(source)
	if err != nil {
		return 0, false
	}
	left := maxSteps
	_, faults := check.Check(parsed, in.names, &left)
	return maxSteps - left, len(faults) == 0
}

// TestLargeSourcesAreRefusedOrBounded compiles sources at the limit of their length.
func TestLargeSourcesAreRefusedOrBounded(t *testing.T) {
	tests := map[string]struct{ source, want string }{
		"many nodes":          {"[" + repeat("1,", 60_000) + "1]", "test.cel:1:14000: the expression has more than 7000 parts, those of its macros included; make it shorter, or write it in Lua"},
		"nodes of macros":     {"[" + repeat("a.map(x,x),", 60_000) + "1]", "more than 7000 parts"},
		"a chain of a macro":  {"a" + strings.Repeat(".optMap(x,x)", 60), ""},
		"a type of 2^40":      {binds(40, "{1:1}", "{$:$}"), "more types to check"},
		"lists of lists":      {"[" + repeat("[]+[],", 12_000) + "1]", ""},
		"a list of indexes":   {"[" + repeat("a[0],", 8_000) + "1]", ""},
		"honest indexes":      {"[" + strings.Repeat(`a["a"] == a["b"], `, 700) + "1]", ""},
		"negative numbers":    {"[" + repeat(wrapped("(", "-1", ")")+",", 60_000) + "1]", ""},
		"a comment":           {"1//" + repeat("a", 60_000), ""},
		"lines":               {repeat("//\n", 60_000) + "1", ""},
		"characters":          {"'" + repeat("\U0001f600", 60_000) + "'", ""},
		"no UTF-8":            {"'" + repeat("\xff", 60_000) + "'", "test.cel:1:2: the expression is not in UTF-8"},
		"an open text":        {repeat(`"""`, 60_000), ""},
		"an open text, raw":   {`[r"` + repeat("a", 60_000), "test.cel:1:2: the text has no closing \""},
		"a digit":             {repeat("1", 60_000), "test.cel:1:1: invalid int literal"},
		"a name":              {repeat("a", 60_000), "undeclared reference"},
		"faults":              {"[" + repeat("z,", 12_000) + "1]", "test.cel:1:2: undeclared reference to 'z'; 1:4: undeclared reference to 'z'; 1:6: undeclared reference to 'z'; 1:8: undeclared reference to 'z'; 1:10: undeclared reference to 'z'; 95 more"},
		"a fault and a type":  {binds(8, "{1:1}", "{$:$}") + " + 1", "'+' does not take (map("},
		"a path":              {"a" + repeat(".b", 60_000), "nests deeper than 128"},
		"signs":               {repeat("-", 60_000) + "1", ""},
		"an odd escape":       {"'" + repeat(`\q`, 60_000) + "'", `test.cel:1:1: the text has an invalid escape sequence at \q\`},
		"a text that ends it": {"1 'a'", "test.cel:1:3: unexpected ''a''"},
	}
	c := compiler(t)
	for name, tc := range tests {
		_, err := c.Compile("test.cel", tc.source, dyn("a"), script.Limits{})
		switch {
		case tc.want == "" && err != nil && strings.Contains(err.Error(), "more "):
			t.Errorf("%s: refused: %v", name, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: error is %v, want %s", name, err, tc.want)
		}
		if failed, ok := err.(*script.Error); err != nil && (!ok || failed.Code != script.Syntax || failed.Line == 0) {
			t.Errorf("%s: the error has no line or no code: %v", name, err)
		}
	}
}

// binds nests n bindings, each of what step makes of the one before.
func binds(n int, first, step string) string {
	source, closing := "", ""
	name := first
	for i := range n {
		variable := "v" + strings.Repeat("x", i)
		source += "cel.bind(" + variable + ", " + name + ", "
		closing += ")"
		name = strings.ReplaceAll(step, "$", variable)
	}
	return source + name + closing
}
