// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// metered returns a meter with so much left, and what it took.
func metered(left int64) (*meter, *atomic.Int64) {
	gas := &atomic.Int64{}
	return &meter{gas: gas, left: left}, gas
}

// tried takes all steps of a trial of cases about a Site, and returns the largest gas that a step took.
func tried(t *testing.T, files map[string]string) (most int64, err error) {
	t.Helper()
	trial := trialOf(t, "function InterpretHealth(obj) return true end", files)
	total := func() int64 { return trial.surcharges + trial.reader.Gas() + trial.runner.Gas() }
	for more := true; more; {
		before := total()
		more, err = trial.Step()
		most = max(most, total()-before)
	}
	return most, err
}

// Before, none of these took anything of the budget of a trial, and one step took up to 12 s.
func TestWhatReadsAndComparesCasesPays(t *testing.T) {
	nested := strings.Repeat("{a: ", 50) + "1" + strings.Repeat("}", 50)
	site := "name: %s\nobservedObj: {apiVersion: web.example/v1, kind: Site, answer: {list: [" + strings.Repeat(nested+", ", 40) + "]}}\noperation: InterpretStatus\n"
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"conditions on one line": {
			fmt.Sprintf(site, "a") + "assert: [" + strings.Repeat("result.status==null, ", 12_000) + "]\n", "and 11987 more problems",
		},
		"paths with stars": {
			fmt.Sprintf(site, "a") + "output: {status: {list: []}}\nignore: [" + strings.Repeat("'status.list[*].a.a.a.a.*.b', ", 20_000) + "]\n", "over its budget",
		},
		"patterns of repetitions": {
			strings.Repeat("name: a\nobservedObj: {apiVersion: web.example/v1, kind: Site}\noperation: InterpretHealth\nexpectError: {message: '"+strings.Repeat("a{0,999}", 127)+"'}\n---\n", 15), "too large",
		},
		"patterns of one repetition": {
			strings.Repeat("name: a\nobservedObj: {apiVersion: web.example/v1, kind: Site}\noperation: InterpretHealth\nexpectError: {message: 'xa{999}b'}\n---\n", 15), "too large",
		},
		"short patterns of few repetitions": {
			strings.Repeat("name: a\nobservedObj: {apiVersion: web.example/v1, kind: Site}\noperation: InterpretHealth\nexpectError: {message: 'a{300}'}\n---\n", 900), "the patterns of all cases stand for more than 50000 instructions",
		},
	} {
		t.Run(name, func(t *testing.T) {
			most, err := tried(t, map[string]string{"a.yaml": c.text})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v; want %s", err, c.want)
			}
			if least := int64(12_000 * conditionGas); c.want == "and 11987 more problems" && most < least {
				t.Errorf("a step took %d gas; want at least %d", most, least)
			}
			if limit := TrialGas + 2*200_000; most > limit {
				t.Errorf("a step took %d gas; want at most %d", most, limit)
			}
		})
	}
}

// Before, an augmenting path compared two items again and again: 153,187 times for 100 items.
func TestTwoItemsOfASubsetAreComparedOnce(t *testing.T) {
	const n = 100
	var want, have []any
	for i := range n { // each wanted item is contained in its own and in all before it
		labels := map[string]any{}
		for k := i; k < n; k++ {
			labels[fmt.Sprint(1000+k)] = "x"
		}
		want, have = append(want, map[string]any{fmt.Sprint(1000 + i): "x"}), append(have, labels)
	}
	m, gas := metered(TrialGas)
	all, paid := contained(m, want, have)
	if !all || !paid {
		t.Errorf("got %v, paid %v; want both", all, paid)
	}
	if each := comparisonGas(want[0]); gas.Load() > n*n*(each+1) {
		t.Errorf("took %d gas; want at most that of %d comparisons, of %d each", gas.Load(), n*n, each)
	}
	m, gas = metered(50)
	if all, paid = contained(m, want, have); all || paid || gas.Load() > 50+comparisonGas(want[0]) {
		t.Errorf("got %v, paid %v for %d gas; want that it ends with what there is", all, paid, gas.Load())
	}
}

// Before, a star visited each key once for each of both sides, so that twice as much at each step.
func TestAStarVisitsAKeyOnce(t *testing.T) {
	nested := func() any {
		var v any = int64(1)
		for range 60 {
			v = map[string]any{"a": v}
		}
		return v
	}
	want := nested()
	visits := 0
	steps := strings.Split(strings.Repeat("*.", 59)+"*", ".")
	if !replaceAt(want, nested(), steps, func(any) any { visits++; return excluded }) || visits != 1 {
		t.Errorf("got %d visits; want one", visits)
	}
}

func TestAnIndexIsTheItemItself(t *testing.T) {
	for step, want := range map[string]string{"1": "[1 x 3]", "01": "[1 2 3]", "+1": "[1 2 3]", "-1": "[1 2 3]", "3": "[1 2 3]", "a": "[1 2 3]", "*": "[x x x]"} {
		list := []any{1, 2, 3}
		found := replaceAt(list, nil, []string{step}, func(any) any { return "x" })
		if got := fmt.Sprint(list); got != want || found != (want != "[1 2 3]") {
			t.Errorf("%s: got %s, found %v; want %s", step, got, found, want)
		}
	}
}

func TestAMatchIsPaidByInstructionsAndText(t *testing.T) {
	message, err := fileReader(nil).pattern("(a{20}){20}b")
	if err != nil {
		t.Fatal(err)
	}
	e := &expectedError{message: message}
	m, gas := metered(1)
	failures := e.compare(m, runFailure(strings.Repeat("a", 500)))
	if len(failures) != 1 || !strings.Contains(failures[0].Message, "takes more gas") {
		t.Errorf("got %v; want the match not to be paid", failures)
	}
	if least := message.Instructions * 500 / stepsPerGas; gas.Load() < least {
		t.Errorf("took %d gas; want at least %d", gas.Load(), least)
	}
}

func TestATextIsAsLargeAsJSONHasIt(t *testing.T) {
	plainText, escaped := strings.Repeat("a", 3<<20), strings.Repeat("\x01", 3<<20)
	if got := plain(escaped); got != any(tooLarge) {
		t.Error("a text of 3 MiB that JSON makes 18 MiB is compared")
	}
	if got := plain(plainText); got == any(tooLarge) {
		t.Error("a text of 3 MiB is too large")
	}
}

func TestRowsStartFromABaseAsLongAsItFits(t *testing.T) {
	wide := "base: {apiVersion: web.example/v1, kind: Site, list: [" + strings.Repeat("1,", 22_000) + "]}\n---\n"
	rows := "name: a ${each}\nobservedObj: {}\noperation: InterpretHealth\noutput: {healthy: true}\neach: [" + strings.Repeat("1,", 17_000) + "]\n"
	_, err := BundleReader(nil).Read("a.yaml", []byte(wide+rows))
	if several, ok := errors.AsType[*yamldoc.Problems](err); !ok || !strings.Contains(several.Error(), beyondBudget) {
		t.Errorf("got error %v; want %s", err, beyondBudget)
	}
}

// runFailure is the error of a script.
func runFailure(message string) error {
	return script.Errorf(script.User, "%s", message)
}

// What the shipped form of a case takes beside its run is far below the budget of its bundle.
func TestAnOrdinaryComparisonTakesLittle(t *testing.T) {
	r := runnerOf(t)
	all, err := Read(r.Bundles[0].Compiler(), "a.yaml", []byte(filled("InterpretHealth", "answer: true", "output: {healthy: true}")))
	if err != nil {
		t.Fatal(err)
	}
	result := r.Run(all[0])
	if taken := r.Gas() - result.Gas; !result.Passed() || taken > 10 {
		t.Errorf("a comparison took %d gas, and failed with %v; want at most 10", taken, result.Failures)
	}
}
