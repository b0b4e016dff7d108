// SPDX-License-Identifier: Apache-2.0

package attack_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack"
	"github.com/dragoman-io/dragoman/test/attack/measure"
)

// TestAttacks runs each attack of Lua and of CEL, and each with arguments of its own, in
// this process. They are not parallel, since what an attack allocates is measured.
func TestAttacks(t *testing.T) {
	runner := newRunner(t)
	for _, q := range slices.Concat(attack.Simple(), attack.Named()) {
		if slices.Contains(timed, q.Family) {
			continue
		}
		t.Run(q.Name, func(t *testing.T) {
			f, err := runner.Allocate(q)
			if err != nil {
				t.Fatal(err)
			}
			if wrong := cmp.Or(misended(f, q), grown(f, q)); wrong != "" {
				t.Errorf("%s: %q at %v, %s", wrong, f.Code, f.Place, f.Message)
			}
			t.Logf("%d KiB to compile, %d KiB to run, %d gas", f.Compile.Memory>>10, f.Run.Memory>>10, f.Used.Gas)
		})
	}
}

// timed are the families whose attacks were a hundred times beyond the bound of time once,
// so far beyond that a busy machine does not matter.
var timed = []string{"nested", "compared", "directives", "misfits"}

// TestTimedAttacks measures the time of attacks too: the best of three.
func TestTimedAttacks(t *testing.T) {
	runner := newRunner(t)
	for _, q := range attack.Named() {
		if !slices.Contains(timed, q.Family) {
			continue
		}
		t.Run(q.Name, func(t *testing.T) {
			wrong, f := "", measure.Figures{}
			for range 3 {
				var err error
				if f, err = runner.Attack(q); err != nil {
					t.Fatal(err)
				}
				if wrong = cmp.Or(f.Within(q), misended(f, q)); wrong == "" {
					break
				}
			}
			t.Logf("compile %v, run %v, %d MiB, gas %d, %s %.100s", f.Compile.CPU, f.Run.CPU, f.Run.Memory>>20, f.Used.Gas, f.Code, f.Message)
			if wrong != "" {
				t.Errorf("beyond its bound: %s", wrong)
			}
		})
	}
}

func newRunner(t *testing.T) *measure.Runner {
	t.Helper()
	runner, err := measure.NewRunner()
	if err != nil {
		t.Fatal(err)
	}
	return runner
}

var (
	// placed is the place of an error: with a line, or of a result, which stands at none,
	// the script.
	placed = regexp.MustCompile(`:\d+$|^attack/[\w/]+\.\w+$`)
	// unusable is the error of an answer that is a value, but cannot be a status.
	unusable = regexp.MustCompile(`: status: want a map, got |: the answer has more than \d+ bytes as JSON`)
)

// misended returns what is wrong with how an attack ended in this process, or "".
func misended(f measure.Figures, q attack.Question) string {
	limits := script.DefaultLimits()
	switch {
	case f.Ended(q) != "":
		return f.Ended(q)
	case q.Form == attack.Shipped && f.Plain:
		return "the bundles of the program do not answer"
	case f.Code != "" && !placed.MatchString(f.Place.String()):
		return "the error names no place"
	case q.Want == attack.Harmless && f.Code != "" && !unusable.MatchString(f.Message):
		return "it must be an answer"
	case q.Form == attack.Expression && q.Items == nil && (f.Used.Gas > limits.Gas || f.Used.Memory > limits.Memory):
		return fmt.Sprintf("it was charged %+v, beyond the limits", f.Used)
	}
	return ""
}

// grown returns which bound of memory an attack exceeded in this process, or "".
func grown(f measure.Figures, q attack.Question) string {
	switch {
	case f.Compile.Memory > q.Growth():
		return fmt.Sprintf("its compilation allocated %d bytes", f.Compile.Memory)
	case f.Compile.Memory+f.Run.Memory > attack.MostGrowth:
		return fmt.Sprintf("it allocated %d bytes", f.Compile.Memory+f.Run.Memory)
	}
	return ""
}

// TestNamesAreUnique checks that a name stands for one attack, and that each is in a family.
func TestNamesAreUnique(t *testing.T) {
	known := map[string]bool{}
	for _, q := range attack.All() {
		if known[q.Name] {
			t.Errorf("two attacks have the name %s", q.Name)
		}
		known[q.Name] = true
		if q.Family == "" {
			t.Errorf("%s is in no family", q.Name)
		}
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
