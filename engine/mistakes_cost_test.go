// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine"
)

// TestMissingReturnIsFoundOnce compiles a long function without a return beside the same with one: where
// nobody asks for the mistake, or the source is too long to be read again for its column, it costs the
// same. It took twice the time and memory.
func TestMissingReturnIsFoundOnce(t *testing.T) {
	body := strings.Repeat("do local x = 1 end ", 2_000)
	for _, strict := range []bool{false, true} {
		allocations := func(end string, compiles bool) float64 {
			return testing.AllocsPerRun(3, func() {
				_, err := new(engine.Compiler).Lua(engine.Script{
					Operation: engine.InterpretHealth, File: "health.lua", Text: "function InterpretHealth(o) " + body + end + "end", Strict: strict,
				})
				if compiles != (err == nil) {
					t.Fatalf("strict %t, %q: %v", strict, end, err)
				}
			})
		}
		with, without := allocations("return true ", true), allocations("", !strict)
		if without > 1.1*with {
			t.Errorf("strict %t: %.0f allocations without a return, %.0f with one", strict, without, with)
		}
	}
}
