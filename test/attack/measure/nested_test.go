// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/attack"
)

// TestNestedAndComparedAreWithinBounds measures the attacks that were a hundred times beyond
// the bound once, so far beyond that a busy machine does not matter: the best of three.
func TestNestedAndComparedAreWithinBounds(t *testing.T) {
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	runner := NewRunner(c)
	for _, q := range attack.Named() {
		if !strings.HasPrefix(q.Name, "CEL of what nests") && !strings.HasPrefix(q.Name, "CEL that compares") && !strings.HasPrefix(q.Name, "format of 200") && !strings.HasPrefix(q.Name, "function of what nests") {
			continue
		}
		t.Run(q.Name, func(t *testing.T) {
			wrong, f := "", Figures{}
			for range 3 {
				if f, err = runner.Attack(q); err != nil {
					t.Fatal(err)
				}
				if wrong = f.Within(q); wrong == "" {
					break
				}
			}
			t.Logf("run %v, %d MiB, gas %d, %s %.100s", f.Run.CPU, f.Run.Memory>>20, f.Used.Gas, f.Code, f.Message)
			if wrong != "" {
				t.Errorf("beyond its bound: %s", wrong)
			}
		})
	}
}
