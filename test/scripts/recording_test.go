// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/scripts"
)

// TestRecordingChangesNothing asks all cases of scripts that tell a recording what they do: they
// pass, take the gas that they take without it, and the lines took all of it together.
func TestRecordingChangesNothing(t *testing.T) {
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	recording := script.NewRecording(200)
	all, err := bundle.Loader{Compiler: c, Recording: recording}.LoadAll(scripts.FS)
	if err != nil {
		t.Fatal(err)
	}
	plain, recorded := askedOf(t, bundles(t)), askedOf(t, all)
	steps := 0
	for name, all := range plain.cases {
		for _, one := range all {
			want := plain.runners[name].Run(one)
			recording.Reset()
			got := recorded.runners[name].Run(one)
			if got.Gas != want.Gas || got.Passed() != want.Passed() {
				t.Errorf("%s: %s: gas %d and passed %v, recorded %d and %v", one.Where(), one.Name, want.Gas, want.Passed(), got.Gas, got.Passed())
			}
			lines, sum := recording.Lines()
			for _, l := range lines {
				sum += l.Gas
			}
			if sum != got.Gas {
				t.Errorf("%s: %s: the lines took %d, the case %d", one.Where(), one.Name, sum, got.Gas)
			}
			kept, _ := recording.Steps()
			steps += len(kept)
			for i, text := range recording.Texts() {
				if text == "" {
					t.Errorf("%s: %s: step %s has no text", one.Where(), one.Name, kept[i].Position)
				}
			}
		}
	}
	if d := cmp.Diff(true, steps > 10_000); d != "" {
		t.Errorf("there were %d steps: the test sees too few", steps)
	}
}
