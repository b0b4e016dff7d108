//go:build !race

package lua

import (
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// TestRunDoesNotAllocate holds for scripts that only look. The race detector
// makes pools forget at random, so it is left out there.
func TestRunDoesNotAllocate(t *testing.T) {
	obj := flinkObject()
	tests := map[string]struct {
		source, entry string
		args          []any
		most          float64
	}{
		"health":           {healthSource, "InterpretHealth", []any{obj}, 0},
		"retain unchanged": {retainSource, "Retain", []any{obj, obj}, 0},
		"components":       {componentsSource, "GetComponents", []any{obj}, 20},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := compiled(t, test.source)
			c := &script.Call{Entry: test.entry, Args: test.args}
			take := takeFunc(plainOnly)
			if name == "components" {
				take = func(r []any) error {
					_, err := decodeComponents(r[0])
					return err
				}
			}
			got := testing.AllocsPerRun(200, func() {
				if _, err := p.Run(c, take); err != nil {
					t.Fatal(err)
				}
			})
			if got > test.most {
				t.Errorf("got %v allocations, want at most %v", got, test.most)
			}
		})
	}
}
