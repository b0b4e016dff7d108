// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"testing"
)

func TestUndefinedGlobals(t *testing.T) {
	for text, want := range map[string]string{
		"function F(o) return o end":                                              "[]",
		"function F(o) s = {} s.a = o return s end":                               "[]",
		"local kube = require('kube') return kube.get, os.time":                   "[]",
		"function F(o)\n  return observed\nend":                                   "[:2:10: nothing defines the global observed]",
		"function F(o)\n  return banana.c, ananas, banana\nend\nlocal x = ananas": "[:2:20: nothing defines the global ananas :2: nothing defines the global banana]",
		"function F(o) return Later() end\nfunction Later() end":                  "[]",
		"function F(o) return later() end\nlocal function later() end":            "[:1:22: the local function later is declared only further down]",
		"function F(o) return end end":                                            "[]",
	} {
		if got := fmt.Sprint(UndefinedGlobals(text)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
