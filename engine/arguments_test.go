// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine/script"
)

// TestBothLanguagesRefuseTheSameArguments calls each function of kube with a value of each
// type in the place of each argument, known when the script runs alone: Lua and CEL refuse
// the same ones, with the same words.
func TestBothLanguagesRefuseTheSameArguments(t *testing.T) {
	c := newCompiler(t)
	object := map[string]any{"text": "x", "number": int64(3), "truth": true, "map": map[string]any{"x": int64(1)}, "list": []any{"x"}}
	outcome := func(u Script) string {
		compile := c.Lua
		if u.Expression {
			compile = c.CEL
		}
		program, err := compile(u)
		if err != nil {
			return err.Error()
		}
		call := &script.Call{Entry: "InterpretHealth", Names: []string{"object"}, Args: []any{object}, Limits: script.DefaultLimits()}
		_, err = program.Run(call, decoderFunc(ignoreResults))
		var failure *script.Error
		if errors.As(err, &failure) {
			return failure.Message
		}
		return "fine"
	}
	refused := 0
	for _, f := range builtin.Functions() {
		for i := range f.Params {
			for _, kind := range []string{"text", "number", "truth", "map", "list", "absent"} {
				lua, cel := make([]string, len(f.Params)), make([]string, len(f.Params))
				for k, p := range f.Params {
					lua[k], cel[k] = "nil", "null"
					for _, good := range []string{"text", "number", "map", "list"} {
						if k != i && !p.Optional && f.Check(k, object[good]) == nil {
							lua[k], cel[k] = "o."+good, "object."+good
							break
						}
					}
				}
				lua[i], cel[i] = "o."+kind, "object.?"+kind+".orValue(null)"
				form := fmt.Sprintf("kube.%s(%%s)", f.Name)
				want := outcome(Script{File: "a.lua", Operation: InterpretHealth, Text: fmt.Sprintf("function InterpretHealth(o) return "+form+" end", strings.Join(lua, ", "))})
				got := outcome(Script{File: "a.cel", Operation: InterpretHealth, Expression: true, Text: fmt.Sprintf(form, strings.Join(cel, ", "))})
				if want != got {
					t.Errorf("%s with %s as argument %d: Lua answers %s\nCEL %s", f.Name, kind, i+1, want, got)
				}
				if want != "fine" {
					refused++
				}
			}
		}
	}
	if refused < 100 {
		t.Errorf("only %d calls are refused", refused)
	}
}
