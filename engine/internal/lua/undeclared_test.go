// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"slices"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

func TestUndeclared(t *testing.T) {
	tests := map[string]struct {
		source string
		want   []string
	}{
		"functions at the top level":   {"function F() end\nG = function() end", nil},
		"locals":                       {"local a = 1\nfunction F() a = 2 local b = 3 b = 4 end", nil},
		"globals of a function, once":  {"function F() b = 1 a, b = b, 2 end", []string{"a", "b"}},
		"a value at the top level":     {"x = 1\nfunction F() return x end", []string{"x"}},
		"a function in a function":     {"function F() G = function() end end", []string{"G"}},
		"a source that does not parse": {"function", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := Undeclared(Script{Text: test.source})
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if len(got) == 0 || t.Failed() {
				return
			}
			declared := "local " + got[0]
			for _, more := range got[1:] {
				declared += ", " + more
			}
			if _, err := Compile(Script{File: "f.lua", Text: declared + "\n" + test.source, Strict: true}, script.Limits{}); err != nil {
				t.Errorf("declared, it is not strict: %v", err)
			}
		})
	}
}
