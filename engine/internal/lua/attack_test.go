// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

func TestLimitsOfACall(t *testing.T) {
	tests := map[string]struct {
		source string
		limits script.Limits
		want   script.Code
	}{
		"gas":     {`for i = 1, 1000 do end`, script.Limits{Gas: 100}, script.Gas},
		"memory":  {`local t = {{}, {}, {}}`, script.Limits{Memory: 300}, script.Memory},
		"depth":   {`local function f(n) if n > 0 then f(n - 1) end end f(5)`, script.Limits{Depth: 5}, script.Depth},
		"string":  {`return string.rep("x", 11)`, script.Limits{String: 10}, script.Memory},
		"nesting": {`return {{{}}}`, script.Limits{Nesting: 2}, script.Result},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if a := ask(t, test.source, script.Call{}); a.err != nil {
				t.Errorf("with the default limits: %v", a.err)
			}
			a := ask(t, test.source, script.Call{Limits: test.limits})
			if a.err == nil {
				t.Fatalf("got no error, want %s", test.want)
			}
			if e := scriptError(t, a.err); e.Code != test.want {
				t.Errorf("got %s %s, want %s", e.Code, e, test.want)
			}
		})
	}
	if _, err := Compile(Script{File: "x", Text: strings.Repeat(" ", 101)}, script.Limits{Source: 100}); err == nil {
		t.Error("a source above the limit compiles")
	}
}
