// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/dragoman-io/dragoman/engine"
)

// fair is a store on a clock that each step of a trial moves by 100 ms. The trial of a
// bundle takes as many steps as trials has, and one otherwise.
type fair struct {
	*Store
	interpreter *engine.Interpreter
	trials      map[string]int
}

func newFair(t *testing.T, trials map[string]int) fair {
	t.Helper()
	clock := clocktesting.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	s := fair{interpreter: engine.NewInterpreter(engine.Options{}), trials: trials}
	s.Store = NewStore(Options{
		Loader: newLoader(t), Rules: s.interpreter, Clock: clock,
		Trial: func(b *Bundle, _ fs.FS) Trial {
			steps := max(1, s.trials[b.Dir])
			return trialFunc(func() (bool, error) {
				clock.Step(100 * time.Millisecond)
				steps--
				return steps > 0, nil
			})
		},
	})
	return s
}

// bundleAt returns a bundle that answers the health of a kind.
func bundleAt(t *testing.T, dir, name, kind string) Content {
	t.Helper()
	files := fstest.MapFS{
		dir + "/bundle.yaml": {Data: []byte("apiVersion: interpreter.dragoman.io/v1alpha1\nkind: Bundle\nmetadata: {name: " + name +
			"}\nspec:\n  kinds: [{group: g.example, versions: [v1], kind: " + kind + "}]\n")},
		dir + "/" + kind + "/health.lua": {Data: []byte("function InterpretHealth(obj) return true end -- " + dir)},
	}
	revision, err := Revision(files, dir)
	if err != nil {
		t.Fatal(err)
	}
	return Content{Dir: dir, Revision: revision, Files: files}
}

// stages returns the stage of each bundle, by folder.
func (s fair) stages() string {
	var stages []string
	for _, status := range s.Statuses() {
		stages = append(stages, status.Dir+" "+string(status.Stage))
	}
	return strings.Join(stages, ", ")
}

// Before, all waited for the trial of each bundle before them.
func TestATrialThatTakesLongDelaysNoOther(t *testing.T) {
	s := newFair(t, map[string]int{"a": 70})
	more := s.Begin([]Content{bundleAt(t, "a", "a", "A"), bundleAt(t, "b", "b", "B"), bundleAt(t, "c", "c", "C")}, nil)
	if got, want := s.stages(), "a Compiled, b Active, c Active"; !more || got != want {
		t.Fatalf("got %s, more %t; want %s, and more", got, more, want)
	}
	turns := 1
	for s.Resume() {
		turns++
	}
	if got, want := s.stages(), "a Active, b Active, c Active"; got != want || turns != 1 {
		t.Errorf("got %s after %d times more; want %s after 1", got, turns, want)
	}
}

func TestManyLongTrialsDelayNeitherBeginNorTheOthers(t *testing.T) {
	trials := map[string]int{}
	var all []Content
	for i := range 20 {
		dir := fmt.Sprintf("a%02d", i)
		trials[dir] = 50
		all = append(all, bundleAt(t, dir, dir, strings.ToUpper(dir)))
	}
	s := newFair(t, trials)
	begin := s.options.Clock.Now()
	more := s.Begin(append(all, bundleAt(t, "z", "z", "Z")), nil)
	if took := s.options.Clock.Since(begin); !more || took > maxApply+2*slice {
		t.Fatalf("took %s, more %t; want at most %s, and more", took, more, maxApply+2*slice)
	}
	if got := s.stages(); !strings.HasSuffix(got, "z Fetched") {
		t.Fatalf("got %s; want z in its place, the last", got)
	}
	s.Resume()
	if got := s.stages(); !strings.HasSuffix(got, "z Active") {
		t.Errorf("got %s; want z active after each had one turn", got)
	}
}

func TestATrialWithoutEndIsRefused(t *testing.T) {
	s := newFair(t, map[string]int{"a": 1_000_000})
	first := bundleAt(t, "a", "a", "A")
	s.trials["a"] = 1
	s.Apply([]Content{first}, nil)
	s.trials["a"] = 1_000_000
	s.Apply([]Content{bundleAt(t, "a", "a2", "A")}, nil)
	status := s.Statuses()[0]
	want := "a: the trial of the bundle did not end within 10s; it is tried again when the bundle changes"
	if status.Err == nil || !strings.HasPrefix(status.Err.Error(), want) {
		t.Errorf("got error %v; want %s", status.Err, want)
	}
	if status.Active != first.Revision || status.Name != "a" {
		t.Errorf("%s is active; want the last that was good", status.Name)
	}
}

// A bundle that takes the place of another one must not leave a time without answers.
func TestABundleLeavesWhenItsSuccessorIsTried(t *testing.T) {
	s := newFair(t, map[string]int{"new": 70})
	s.Apply([]Content{bundleAt(t, "old", "web", "A")}, nil)
	kind := s.entries["old"].active.Kinds[0]
	more := s.Begin([]Content{bundleAt(t, "new", "web", "A")}, []string{"old"})
	for ; more; more = s.Resume() {
		if !s.interpreter.Snapshot().Supports(kind, engine.InterpretHealth) {
			t.Fatal("no bundle answers while the new one is tried")
		}
	}
	if got, want := s.stages(), "new Active"; got != want || !s.interpreter.Snapshot().Supports(kind, engine.InterpretHealth) {
		t.Errorf("got %s; want %s, and answers", got, want)
	}
}

func TestABundleThatIsBackWhileAnotherIsTried(t *testing.T) {
	s := newFair(t, map[string]int{"long": 70})
	s.Apply([]Content{bundleAt(t, "a", "a", "A")}, nil)
	s.Begin([]Content{bundleAt(t, "long", "long", "L")}, []string{"a"})
	s.Apply([]Content{bundleAt(t, "a", "a", "A")}, nil)
	if got, want := s.stages(), "a Active, long Active"; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
}

func TestABundleThatWaitedIsResumed(t *testing.T) {
	s := newFair(t, map[string]int{"b": 70})
	s.Apply([]Content{bundleAt(t, "a", "a", "A"), bundleAt(t, "b", "b", "A")}, nil)
	if got, want := s.stages(), "a Active, b Compiled"; got != want {
		t.Fatalf("got %s; want %s, since both answer the same", got, want)
	}
	s.Apply(nil, []string{"a"})
	if got, want := s.stages(), "b Active"; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
}

func TestTheErrorOfABundleIsShort(t *testing.T) {
	files := fstest.MapFS{"a/bundle.yaml": {Data: []byte("apiVersion: interpreter.dragoman.io/v1alpha1\nkind: Bundle\nmetadata: {name: a}\n" +
		"spec:\n  kinds: [{group: g.example, versions: [v1], kind: A}]\n")}}
	for i := range 500 {
		files[fmt.Sprintf("a/A/%s%d.lua", strings.Repeat("x", 200), i)] = &fstest.MapFile{Data: []byte("x")}
	}
	revision, err := Revision(files, "a")
	if err != nil {
		t.Fatal(err)
	}
	s := newFair(t, nil)
	s.Apply([]Content{{Dir: "a", Revision: revision, Files: files}}, nil)
	text := s.Statuses()[0].Err.Error()
	if len(text) > 4096 || !strings.HasSuffix(text, "more problems") {
		t.Errorf("got %d bytes: %s", len(text), text)
	}
}

// Before, a panic in the trial of one bundle left it in the store, which tried it first at each later call.
func TestABundleWhoseTrialPanicsIsRefusedAndOthersGoOn(t *testing.T) {
	interpreter := engine.NewInterpreter(engine.Options{})
	var known []string
	store := NewStore(Options{
		Loader: newLoader(t), Rules: interpreter,
		Trial: func(b *Bundle, _ fs.FS) Trial {
			return trialFunc(func() (bool, error) {
				if b.Name == "bad" {
					panic("a defect")
				}
				return false, nil
			})
		},
		OnStatus: func(s Status) { known = append(known, fmt.Sprintf("%s %s %v", s.Dir, s.Stage, s.Err)) },
	})
	store.Apply([]Content{bundleAt(t, "a", "bad", "Bad"), bundleAt(t, "b", "good", "Good")}, nil)
	const refused = "a Compiled a: the trial of the bundle stopped by a defect of dragoman: a defect (at turn_test.go:"
	if len(known) != 2 || !strings.HasPrefix(known[0], refused) || known[1] != "b Active <nil>" {
		t.Errorf("got %q; want %q and b active", known, refused)
	}
	known = nil
	store.Apply([]Content{bundleAt(t, "c", "later", "Later")}, nil)
	if got := strings.Join(known, ", "); got != "c Active <nil>" || len(store.candidates) > 0 {
		t.Errorf("got %s, and %d candidates; want c active, and none", got, len(store.candidates))
	}
	mended := bundleAt(t, "a", "mended", "Bad")
	store.Apply([]Content{mended}, nil)
	if got := known[len(known)-1]; got != "a Active <nil>" {
		t.Errorf("got %s; want the next revision to be active", got)
	}
}
