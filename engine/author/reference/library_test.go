// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"slices"
	"testing"

	"github.com/dragoman-io/dragoman/builtin"
)

func TestLuaFunctionsListsAll(t *testing.T) {
	all := LuaFunctions()
	for _, want := range []string{"pairs", "string.rep", "table.sort", "math.floor", "os.date"} {
		if !slices.Contains(all, want) {
			t.Errorf("%s is missing of %v", want, all)
		}
	}
	for _, f := range builtin.Functions() {
		if !slices.Contains(all, "kube."+f.Name) {
			t.Errorf("kube.%s is missing", f.Name)
		}
	}
}

func TestCELCallsHaveTheirForms(t *testing.T) {
	all, err := CELCalls()
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]string{}
	for _, c := range all {
		forms[c.Function] = c.Form
	}
	for function, want := range map[string]string{
		"_+_": "$+$", "@in": "$ in $", "_[_]": "$[$]", "_?_:_": "$?$:$", "!_": "!$", "contains": "$.contains($)", "type": "type($)", "sortBy": "sortBy",
	} {
		if forms[function] != want {
			t.Errorf("%s: got the form %q, want %q", function, forms[function], want)
		}
	}
}
