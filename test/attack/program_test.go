// SPDX-License-Identifier: Apache-2.0

package attack_test

import (
	"os"
	"slices"
	"testing"

	"github.com/dragoman-io/dragoman/test/attack"
)

// processes is the variable that makes TestProcesses run all attacks.
const processes = "ATTACK_PROCESSES"

// printing is how many bytes of memory it takes to print one byte of an answer, at most:
// the text is made twice, in buffers that double.
const printing = 10

// TestProcesses runs attacks through the program: a choice, or all.
func TestProcesses(t *testing.T) {
	d := build(t)
	idle := idles{dragoman: d, peaks: map[string]int64{}}
	for _, q := range wanted(t) {
		t.Run(q.Name, func(t *testing.T) {
			t.Parallel()
			end := d.ask(t, q)
			if wrong := end.check(q); wrong != "" {
				t.Errorf("%s; it is %d:\n%.2000s", wrong, end.exit, end.output)
			}
			growth := idle.growth(t, q, end)
			if growth > q.Growth() {
				t.Errorf("the process grew by %d bytes; at most %d are allowed", growth, q.Growth())
			}
			t.Logf("exit %d, %v of processor time, %d MiB, of which it grew by %d", end.exit, end.took, end.peak>>20, growth>>20)
		})
	}
}

// wanted returns the attacks that run as a process.
func wanted(t *testing.T) []attack.Question {
	t.Helper()
	all := slices.Concat(attack.Simple(), attack.Named())
	switch which := os.Getenv(processes); which {
	case "all":
		return all
	case "":
		return attack.Choose(all)
	default:
		t.Fatalf("%s is %q; it is all or nothing", processes, which)
		return nil
	}
}

// TestChoice checks that the choice has one of each class and each that is fatal, and that
// it stays a choice.
func TestChoice(t *testing.T) {
	all := slices.Concat(attack.Simple(), attack.Named())
	chosen := attack.Choose(all)
	shown := map[string]string{}
	var names []string
	for _, q := range chosen {
		names = append(names, q.Name)
		for _, class := range q.Classes() {
			shown[class] = q.Name
		}
	}
	for _, q := range all {
		for _, class := range q.Classes() {
			if shown[class] == "" {
				t.Errorf("%s is %s, of which none is chosen", q.Name, class)
			}
		}
	}
	for _, name := range attack.Fatal() {
		if !slices.Contains(names, name) {
			t.Errorf("%s ended processes, and is not chosen", name)
		}
	}
	if most := len(all) / 8; len(chosen) > most {
		t.Errorf("%d of %d attacks are chosen; at most %d are a choice", len(chosen), len(all), most)
	}
	t.Logf("%d attacks of %d classes", len(chosen), len(shown))
}
