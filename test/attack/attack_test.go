// SPDX-License-Identifier: Apache-2.0

package attack_test

import (
	"slices"
	"testing"

	"github.com/dragoman-io/dragoman/test/attack"
)

// printing is how many bytes of memory it takes to print one byte of an answer, at most:
// the text is made twice, in buffers that double.
const printing = 10

// TestAttacks runs each attack of Lua and of CEL, and each with arguments of its own,
// through the program.
func TestAttacks(t *testing.T) {
	d := build(t)
	idle := idles{dragoman: d, peaks: map[string]int64{}}
	for _, q := range slices.Concat(attack.Simple(), attack.Named()) {
		t.Run(q.Name, func(t *testing.T) {
			t.Parallel()
			base := idle.peak(t, q)
			end := d.ask(t, q)
			if wrong := end.check(q); wrong != "" {
				t.Errorf("%s; it is %d:\n%.2000s", wrong, end.exit, end.output)
			}
			if growth := end.peak - base - printing*int64(len(end.output)); growth > q.Growth() {
				t.Errorf("the process grew by %d bytes; at most %d are allowed", growth, q.Growth())
			}
			t.Logf("%v of processor time, %d MiB", end.took, end.peak>>20)
		})
	}
}

// TestNamesAreUnique checks that a name stands for one attack.
func TestNamesAreUnique(t *testing.T) {
	known := map[string]bool{}
	for _, q := range attack.All() {
		if known[q.Name] {
			t.Errorf("two attacks have the name %s", q.Name)
		}
		known[q.Name] = true
	}
}

func TestKnownAttacksAreHere(t *testing.T) {
	for language, c := range map[string]struct {
		known   []attack.Known
		attacks []attack.Attack
	}{
		"Lua": {attack.KnownLua(), attack.Lua()},
		"CEL": {attack.KnownCEL(), attack.CEL()},
	} {
		var names []string
		for _, a := range c.attacks {
			if slices.Contains(names, a.Name) {
				t.Errorf("%s: two attacks have the name %s", language, a.Name)
			}
			names = append(names, a.Name)
		}
		for _, k := range c.known {
			if len(k.Attacks) == 0 {
				t.Errorf("%s: no attack is %s", language, k.What)
			}
			for _, name := range k.Attacks {
				if !slices.Contains(names, name) {
					t.Errorf("%s: there is no attack %s", language, name)
				}
			}
		}
	}
}
