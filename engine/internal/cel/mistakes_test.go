// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"testing"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine/script"
)

// TestMistakes compiles expressions strictly, and as those of a customization, where the
// same is a warning.
func TestMistakes(t *testing.T) {
	var functions []Function
	for _, f := range builtin.Functions() {
		least, most := f.Arguments()
		if most < 0 {
			most = least + 4
		}
		functions = append(functions, Function{Name: f.Name, Min: least, Max: most, InPlace: f.InPlace, Work: f.Work, Check: func(i int, v any, whole bool) error {
			if whole {
				return f.CheckConstant(i, v)
			}
			return f.Check(i, v)
		}})
	}
	c, err := New(functions)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`params.mode == "x"`:                                   "",
		`params.mod == "x"`:                                    `a.cel:1:7: there is no parameter "mod"; did you mean mode?`,
		`true || params.nope == "x"`:                           `a.cel:1:15: there is no parameter "nope"; known are mode`,
		`params["mod"] == "x"`:                                 `a.cel:1:7: there is no parameter "mod"; did you mean mode?`,
		`params[object.a] == "x"`:                              "",
		`has(params.mod)`:                                      `a.cel:1:4: there is no parameter "mod"; did you mean mode?`,
		`params.?mod.hasValue()`:                               `a.cel:1:7: there is no parameter "mod"; did you mean mode?`,
		`[{"mod": "x"}].exists(params, params.mod == "x")`:     "",
		`[{"mod": "x"}].exists(params, .params.mod == "x")`:    `a.cel:1:38: there is no parameter "mod"; did you mean mode?`,
		`kube.get("a.b", object)`:                              `a.cel:1:10: kube.get: object must be a map, not a string; the form is get([object], path, [default])`,
		`kube.get(object, "a.b[0]")`:                           `a.cel:1:18: kube.get: path "a.b[0]" has a bracket; a path goes through maps alone: read the list with "a.b", and take the item from it`,
		`kube.get(null, "a.b")`:                                "",
		`kube.get(object, ["a", object.b])`:                    "",
		`kube.get(object, {"a": 1})`:                           `a.cel:1:18: kube.get: path must be a string with dots between the keys, or a list of keys, not a map; the form is get([object], path, [default])`,
		`object.a ? kube.references("secret", "ns", "n") : []`: "references",
	} {
		var warnings []*script.Error
		source := Source{File: "a.cel", Text: text, Variables: dyn("object"), Params: []string{"mode"}}
		source.Warn = func(e *script.Error) { warnings = append(warnings, e) }
		if _, err := c.CompileSource(source, script.Limits{}); err != nil {
			t.Errorf("%s: with warnings: %v", text, err)
		}
		source.Strict, source.Warn = true, nil
		_, err := c.CompileSource(source, script.Limits{})
		switch {
		case want == "references":
			if err == nil || len(warnings) != 1 || err.Error() != warnings[0].Error() {
				t.Errorf("%s: got error %v and %v", text, err, warnings)
			}
		case err == nil && want != "" || err != nil && err.Error() != want:
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		case want != "" && (len(warnings) != 1 || warnings[0].Error() != want):
			t.Errorf("%s: got the warnings %v", text, warnings)
		case want == "" && len(warnings) > 0:
			t.Errorf("%s: got the warnings %v", text, warnings)
		}
	}
}

func TestUnknownVariablesNameTheKnownOnes(t *testing.T) {
	for text, want := range map[string]string{
		`obj.status`:   "a.cel:1:1: undeclared reference to 'obj'; did you mean object? Known are now, object, params",
		`objct.status`: "a.cel:1:1: undeclared reference to 'objct'; did you mean object? Known are now, object, params",
		`zzz`:          "a.cel:1:1: undeclared reference to 'zzz'; known are now, object, params",
	} {
		if _, err := compiler(t).Compile("a.cel", text, dyn("object"), script.Limits{}); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
