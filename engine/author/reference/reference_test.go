// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine"
)

func compiler(t *testing.T) *engine.Compiler {
	t.Helper()
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// written returns the text of a reference by its form.
func written(t *testing.T, all []Page) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, r := range all {
		var b strings.Builder
		if err := r.Write(&b); err != nil {
			t.Fatalf("%s: %v", r.Form, err)
		}
		texts[r.Form] = b.String()
	}
	return texts
}

func TestReferenceNamesEachFunction(t *testing.T) {
	texts := written(t, Functions())
	for _, form := range []string{"text", "json", "lua", "cel"} {
		for _, f := range builtin.Functions() {
			name := "kube." + f.Name + "("
			if form == "json" {
				name = `"name": "` + f.Name + `"`
			}
			if !strings.Contains(texts[form], name) {
				t.Errorf("%s does not have %s", form, name)
			}
		}
	}
}

func TestReferenceNamesEachOperation(t *testing.T) {
	texts := written(t, Operations())
	for _, form := range []string{"text", "json"} {
		for _, op := range engine.Operations() {
			for _, word := range []string{string(op.Name), op.Field, op.Entry, op.File, op.Doc} {
				if !strings.Contains(strings.Join(strings.Fields(texts[form]), " "), word) {
					t.Errorf("%s: %s does not have %q", form, op.Name, word)
				}
			}
		}
	}
	definitions := written(t, Functions())["lua"]
	for _, op := range engine.Operations() {
		if !strings.Contains(definitions, "\nfunction "+op.Entry+"("+strings.Join(op.ParamNames(), ", ")+") end\n") {
			t.Errorf("the definitions do not have %s", op.Entry)
		}
	}
}

func TestLuaDefinitionsParse(t *testing.T) {
	c := compiler(t)
	op := engine.InterpretHealth // any: the definitions have all
	if _, err := c.Lua(engine.Script{File: "kube.lua", Text: written(t, Functions())["lua"], Operation: op}); err != nil {
		t.Error(err)
	}
}

// TestCELDeclarationsAreCallable compiles a call in each declared form.
func TestCELDeclarationsAreCallable(t *testing.T) {
	c := compiler(t)
	forms := 0
	for _, line := range strings.Split(written(t, Functions())["cel"], "\n") {
		call, _, ok := strings.Cut(line, " -> ")
		if !ok || strings.HasPrefix(line, "//") {
			continue
		}
		forms++
		name, types, _ := strings.Cut(strings.TrimSuffix(call, ")"), "(")
		arguments := ""
		if types != "" {
			types = strings.ReplaceAll(types, "map(string, dyn)", "map")
			arguments = "null" + strings.Repeat(", null", strings.Count(types, ", "))
		}
		if _, err := c.CEL(engine.Script{File: "x.cel", Text: name + "(" + arguments + ")", Operation: engine.InterpretHealth}); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if forms < len(builtin.Functions()) {
		t.Errorf("got %d forms of %d functions", forms, len(builtin.Functions()))
	}
}
