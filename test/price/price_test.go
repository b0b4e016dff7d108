// SPDX-License-Identifier: Apache-2.0

package price

import (
	"errors"
	"slices"
	"testing"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack"
)

const (
	// each is how many trials a function has at random; the table makes more.
	each = 2
	// seed chooses the arguments, the same in each run.
	seed = 1
	// least is what one call must be charged for the largest of its arguments, unless the
	// subject is in constant.
	least = 500
)

// short ends the calls of a trial early, for the test.
var short = script.Limits{Gas: 10_000}

// TestLua calls each library function and each operator of Lua.
func TestLua(t *testing.T) {
	all, err := Lua(compiler(t), seed, each)
	if err != nil {
		t.Fatal(err)
	}
	for _, subject := range check(t, all) {
		t.Errorf("nothing calls %s", subject)
	}
}

// TestCEL calls each function, operator and macro of CEL.
func TestCEL(t *testing.T) {
	all, err := CEL(compiler(t), seed, each)
	if err != nil {
		t.Fatal(err)
	}
	refused := check(t, all)
	for _, subject := range refused {
		if !slices.Contains(uncallable, subject) {
			t.Errorf("no call of %s compiles: give it arguments, or list it as one that no expression calls", subject)
		}
	}
	for _, subject := range uncallable {
		if !slices.Contains(refused, subject) {
			t.Errorf("%s is listed as one that no expression calls", subject)
		}
	}
}

// TestAnswers reads each field of each answer.
func TestAnswers(t *testing.T) {
	all, err := Answers(compiler(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, subject := range check(t, all) {
		t.Errorf("nothing reads %s", subject)
	}
}

// check measures trials: none may fail inside the engine or take more memory than a run
// may, and each subject must be charged for its largest arguments unless it is listed to
// take the same time for all. It returns the subjects that have no trial.
func check(t *testing.T, all []*Subject) (without []string) {
	t.Helper()
	charged := map[string]int64{}
	for _, subject := range all {
		trials, err := subject.Trials()
		if err != nil {
			t.Error(err)
		}
		if len(trials) == 0 {
			without = append(without, subject.Name)
		}
		for _, trial := range trials {
			o := measured(t, trial)
			if trial.large {
				charged[o.function] = max(charged[o.function], o.Once.Gas, o.Once.Memory/unitMemory)
			}
		}
	}
	for _, function := range sortedKeys(charged) {
		if charged[function] < least && !slices.Contains(constant, function) {
			t.Errorf("%s is charged %d units for its largest arguments: give it a price, or list it as one that takes the same time for all", function, charged[function])
		}
	}
	return without
}

// measured measures one trial.
func measured(t *testing.T, trial Trial) Outcome {
	t.Helper()
	o := trial.Measure(short, false)
	var failure *script.Error
	if errors.As(o.Err, &failure) && failure.Code == script.Internal {
		t.Errorf("%s of %s: %v", o.Name, o.Arguments, o.Err)
	}
	if o.Taken > attack.MostGrowth {
		t.Errorf("%s of %s took %d bytes from the heap", o.Name, o.Arguments, o.Taken)
	}
	return o
}

func compiler(t *testing.T) *engine.Compiler {
	t.Helper()
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	return c
}
