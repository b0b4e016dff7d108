// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine"
)

// printed returns what the command prints.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	var out, problems strings.Builder
	if code := Execute(Streams{In: strings.NewReader(""), Out: &out, Err: &problems}, args); code != exitGood {
		t.Fatalf("%v: exit code %d: %s", args, code, problems.String())
	}
	return out.String()
}

func TestDocsNameEachFunction(t *testing.T) {
	for _, form := range []string{"text", "json", "lua", "cel"} {
		text := printed(t, "docs", "kube", "-o", form)
		for _, f := range builtin.Functions() {
			name := "kube." + f.Name + "("
			if form == "json" {
				name = `"name": "` + f.Name + `"`
			}
			if !strings.Contains(text, name) {
				t.Errorf("%s does not have %s", form, name)
			}
		}
	}
}

func TestDocsNameEachOperation(t *testing.T) {
	for _, args := range [][]string{{"docs", "operations"}, {"docs", "operations", "-o", "json"}} {
		text := printed(t, args...)
		for _, op := range engine.Operations() {
			for _, word := range []string{string(op.Name), op.Field, op.Entry, op.File, op.Doc} {
				if !strings.Contains(strings.Join(strings.Fields(text), " "), word) {
					t.Errorf("%v: %s does not have %q", args, op.Name, word)
				}
			}
		}
	}
	definitions := printed(t, "docs", "kube", "-o", "lua")
	for _, op := range engine.Operations() {
		if !strings.Contains(definitions, "\nfunction "+op.Entry+"("+strings.Join(op.ParamNames(), ", ")+") end\n") {
			t.Errorf("the definitions do not have %s", op.Entry)
		}
	}
}

func TestLuaDefinitionsParse(t *testing.T) {
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	op := engine.InterpretHealth // any: the definitions have all
	if _, err := c.Lua(engine.Script{File: "kube.lua", Text: printed(t, "docs", "kube", "-o", "lua"), Operation: op}); err != nil {
		t.Error(err)
	}
}

// TestCELDeclarationsAreCallable compiles a call in each declared form.
func TestCELDeclarationsAreCallable(t *testing.T) {
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	forms := 0
	for _, line := range strings.Split(printed(t, "docs", "kube", "-o", "cel"), "\n") {
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
