// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// healthCase is a case of the health of a Site, of which the fields are in braces.
const healthCase = "name: %s\nobservedObj: {apiVersion: web.example/v1, kind: Site, %s}\noperation: InterpretHealth\noutput: {healthy: true}\n---\n"

// trialOf returns the trial of a site whose cases and script for the health are given.
func trialOf(t *testing.T, health string, files map[string]string) *Trial {
	t.Helper()
	fsys := site()
	fsys["Site/health.lua"] = &fstest.MapFile{Data: []byte(health)}
	for name, text := range files {
		fsys["Site/testdata/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return NewTrial(fsys, load(t, fsys))
}

func load(t *testing.T, fsys fs.FS) *bundle.Bundle {
	t.Helper()
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Loader{Compiler: c}.Load(fsys, ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// finish takes all steps of a trial, and returns their number and the error.
func finish(trial *Trial) (steps int, err error) {
	for more := true; more; {
		more, err = trial.Step()
		steps++
	}
	return steps, err
}

func TestATrialRunsEachCase(t *testing.T) {
	trial := trialOf(t, "function InterpretHealth(obj) return obj.answer end", map[string]string{
		"a.yaml": fmt.Sprintf(healthCase, "one", "answer: true") + fmt.Sprintf(healthCase, "two", "answer: false"),
		"b.yaml": fmt.Sprintf(healthCase, "three", "answer: false"),
		"c.yaml": "kind: Site\n",
	})
	steps, err := finish(trial)
	want := "Site/testdata/a.yaml:6: two: healthy: want true, got false\nSite/testdata/b.yaml:1: three: healthy: want true, got false"
	if err == nil || err.Error() != want {
		t.Errorf("got error\n%v\nwant\n%s", err, want)
	}
	if steps != 6 {
		t.Errorf("took %d steps; want one for each of three files and three cases", steps)
	}
}

// Before, 200 cases at their gas limit kept all other bundles waiting for their runs.
func TestATrialEndsWithItsBudget(t *testing.T) {
	trial := trialOf(t, "function InterpretHealth(obj) for i = 1, 19000 do end return true end", map[string]string{
		"a.yaml": strings.Repeat(fmt.Sprintf(healthCase, "slow", "answer: true"), 500),
	})
	steps, err := finish(trial)
	want := "bundle.yaml: the trial of bundle site is over its budget: its first "
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got error %v; want %s", err, want)
	}
	if gas := trial.runner.Gas(); gas < TrialGas/2 || gas > TrialGas+200_000 {
		t.Errorf("%d steps took %d gas; want about %d", steps, gas, TrialGas)
	}
}

func TestManyCheapCasesEndWithTheBudgetToo(t *testing.T) {
	files := map[string]string{}
	for i := range 2 {
		files[fmt.Sprintf("%d.yaml", i)] = strings.Repeat("name: a\nobservedObj: {apiVersion: web.example/v1, kind: Site}\noperation: InterpretHealth\nparameters: {mark: a}\noutput: {healthy: true}\n---\n", 999)
	}
	trial := trialOf(t, "function InterpretHealth(obj) return true end", files)
	if steps, err := finish(trial); err != nil || steps != 2000 {
		t.Errorf("took %d steps, error %v; want 2000 and none", steps, err)
	}
	if trial.surcharges < 999*2*caseGas {
		t.Errorf("the surcharge of all cases is %d; want at least %d", trial.surcharges, 999*2*caseGas)
	}
}

func TestTheFilesOfABundleAreReadWithinOneBudget(t *testing.T) {
	files := map[string]string{}
	for i := range 9 {
		files[fmt.Sprintf("%d.yaml", i)] = fmt.Sprintf(healthCase, "wide", "a: &a ["+strings.Repeat("[], ", 1000)+"], b: ["+strings.Repeat("*a, ", 30)+"]")
	}
	_, err := finish(trialOf(t, "function InterpretHealth(obj) return true end", files))
	want := "Site/testdata/6.yaml:2: too many values: a bundle may hold at most 200000"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v; want %s", err, want)
	}
}

func TestTheErrorOfATrialIsShort(t *testing.T) {
	wide := fmt.Sprintf(healthCase, strings.Repeat("n", 3000), "answer: {}")
	trial := trialOf(t, "function InterpretHealth(obj) return false end", map[string]string{"a.yaml": strings.Repeat(wide, 500)})
	_, err := finish(trial)
	if err == nil || len(err.Error()) > 4096 || !strings.HasSuffix(err.Error(), "more problems") {
		t.Errorf("got an error of %d bytes: %.300s", len(fmt.Sprint(err)), fmt.Sprint(err))
	}
}
