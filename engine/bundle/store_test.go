// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/dragoman-io/dragoman/engine"
)

func TestDecide(t *testing.T) {
	denied := errors.New("permission denied")
	for name, c := range map[string]struct {
		now     Status
		content Content
		want    decision
	}{
		"a bundle that is new":              {Status{}, Content{Revision: "1"}, attempt},
		"the active revision":               {Status{Wanted: "1", Active: "1"}, Content{Revision: "1"}, keep},
		"a revision that was refused":       {Status{Wanted: "2", Active: "1", Err: denied}, Content{Revision: "2"}, keep},
		"another revision":                  {Status{Wanted: "1", Active: "1"}, Content{Revision: "2"}, attempt},
		"the active one after a refusal":    {Status{Wanted: "2", Active: "1", Err: denied}, Content{Revision: "1"}, restore},
		"one that cannot be read":           {Status{Wanted: "1", Active: "1"}, Content{Err: denied}, refuse},
		"one that still cannot be read":     {Status{Active: "1", Err: denied}, Content{Err: denied}, keep},
		"another reason not to be readable": {Status{Active: "1", Err: denied}, Content{Err: errors.New("too large")}, refuse},
		"other parameters":                  {Status{Wanted: "1", Active: "1"}, Content{Revision: "1", Parameters: map[string]string{"a": "b"}}, attempt},
		"the same parameters":               {Status{Wanted: "1", Active: "1", wantedParameters: "map[a:b]"}, Content{Revision: "1", Parameters: map[string]string{"a": "b"}}, keep},
		"the parameters before a refusal":   {Status{Wanted: "1", Active: "1", wantedParameters: "map[a:b]", Err: denied}, Content{Revision: "1", Parameters: map[string]string{}}, restore},
		"the active one, readable again":    {Status{Active: "1", Err: denied}, Content{Revision: "1"}, restore},
	} {
		if got := decide(c.now, c.content); got != c.want {
			t.Errorf("%s: got %d; want %d", name, got, c.want)
		}
	}
}

func TestRevisionNamesPathsAndBytes(t *testing.T) {
	revision := func(changes map[string]string) string {
		t.Helper()
		r, err := Revision(folder(changes), "web")
		if err != nil || len(r) != 64 {
			t.Fatalf("got revision %q, error %v", r, err)
		}
		return r
	}
	first := revision(nil)
	if again := revision(map[string]string{"web/.hidden": "x", "web/Site/.health.lua.swp": "x", "other/bundle.yaml": "x"}); again != first {
		t.Error("a hidden file, or another folder, changes the revision")
	}
	for name, changes := range map[string]map[string]string{
		"a byte":  {"web/Site/health.lua": health + " "},
		"a file":  {"web/Site/testdata/a.yaml": ""},
		"a name":  {"web/Site/health.lua": "", "web/Site/status.lua": health},
		"a split": {"web/Site/health.lua": health[:10], "web/Site/healti.lua": health[10:]},
	} {
		if name == "a file" {
			changes = map[string]string{"web/Site/testdata/a.yaml": "x"}
		}
		if revision(changes) == first {
			t.Errorf("%s does not change the revision", name)
		}
	}
}

func TestProgramsServeAgainWhereNothingChanged(t *testing.T) {
	status := "function ReflectStatus(o) return o.status end"
	var last map[string]engine.Rules
	store := NewStore(Options{Loader: newLoader(t), Replace: func(_, after *Bundle) error {
		last = map[string]engine.Rules{}
		for kind, rules := range after.Source.Kinds {
			last[kind.Version] = rules
		}
		return nil
	}})
	apply := func(changes map[string]string) engine.Rules {
		t.Helper()
		files := folder(changes)
		revision, err := Revision(files, "web")
		if err != nil {
			t.Fatal(err)
		}
		store.Apply([]Content{{Dir: "web", Revision: revision, Files: files}}, nil)
		if s := store.Statuses(); len(s) != 1 || s[0].Active != revision {
			t.Fatalf("got statuses %+v", s)
		}
		return last["v1"]
	}
	first := apply(map[string]string{"web/Site/status.lua": status})
	second := apply(map[string]string{"web/Site/status.lua": status, "web/Site/health.lua": health + "-- more"})
	if first[engine.InterpretStatus].Program != second[engine.InterpretStatus].Program {
		t.Error("a script that did not change was compiled again")
	}
	if first[engine.InterpretHealth].Program == second[engine.InterpretHealth].Program {
		t.Error("a script that changed was not compiled again")
	}
	third := apply(map[string]string{"web/Site/status.lua": status, "web/Site/health.lua": healthWithModule, "web/lib/units.lua": unitsModule})
	fourth := apply(map[string]string{"web/Site/status.lua": status, "web/Site/health.lua": healthWithModule, "web/lib/units.lua": unitsModule + "-- more"})
	if third[engine.InterpretHealth].Program == fourth[engine.InterpretHealth].Program {
		t.Error("a script whose module changed was not compiled again")
	}
}

// TestReloadUnderLoad has many goroutines ask while a bundle is replaced: no run
// fails, none sees a program older than the one that was active when it began, and a
// broken revision changes nothing.
func TestReloadUnderLoad(t *testing.T) {
	const replacements, readers = 1000, 8
	interpreter := engine.NewInterpreter(engine.Options{})
	// The clock stands still: on a busy machine a trial takes longer than it may.
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	store := NewStore(Options{Loader: newLoader(t), Rules: interpreter, Clock: clock})
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "web.example/v1", "kind": "Site"}}
	put := func(n int) {
		script := fmt.Sprintf("function GetReplicas(obj) return %d end", n)
		if n%5 == 4 {
			script = "function GetReplicas(obj) return end end"
		}
		files := folder(map[string]string{"web/Site/replicas.lua": script})
		revision, err := Revision(files, "web")
		if err != nil {
			t.Error(err)
		}
		store.Apply([]Content{{Dir: "web", Revision: revision, Files: files}}, nil)
	}
	put(0)
	var (
		active atomic.Int64
		done   = make(chan struct{})
		all    sync.WaitGroup
		asked  atomic.Int64
	)
	for range readers {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				least := active.Load()
				replicas, err := interpreter.Snapshot().Replicas(object)
				if err != nil || int64(replicas.Count) < least {
					t.Errorf("got %d replicas, error %v; want %d or more", replicas.Count, err, least)
					return
				}
				asked.Add(1)
			}
		})
	}
	for n := 1; n < replacements; n++ {
		put(n)
		status := store.Statuses()[0]
		if refused := n%5 == 4; refused != (status.Err != nil) {
			t.Errorf("replacement %d: got status %+v", n, status)
		} else if !refused {
			active.Store(int64(n))
		}
	}
	for asked.Load() < readers && !t.Failed() {
		// On one core the readers may not have had their turn.
		runtime.Gosched()
	}
	close(done)
	all.Wait()
}

// refusing is an engine that takes no more than a number of sources.
type refusing struct {
	*engine.Interpreter
	left int
}

func (r *refusing) Set(layer engine.Layer, source engine.RuleSet) error {
	if r.left--; r.left < 0 {
		return errors.New("refused")
	}
	return r.Interpreter.Set(layer, source)
}

// A bundle that the engine refuses is refused, and the revision before stays active.
func TestBundleThatTheEngineRefuses(t *testing.T) {
	rules := &refusing{engine.NewInterpreter(engine.Options{}), 1}
	replaced := 0
	store := NewStore(Options{Loader: newLoader(t), Replace: func(before, after *Bundle) error {
		err := replaceIn(rules, before, after)
		if err == nil {
			replaced++
		}
		return err
	}})
	apply := func(script string) Status {
		t.Helper()
		files := folder(map[string]string{"web/Site/replicas.lua": script})
		revision, err := Revision(files, "web")
		if err != nil {
			t.Fatal(err)
		}
		store.Apply([]Content{{Dir: "web", Revision: revision, Files: files}}, nil)
		return store.Statuses()[0]
	}
	first := apply("function GetReplicas(obj) return 1 end")
	second := apply("function GetReplicas(obj) return 2 end")
	if first.Err != nil || second.Err == nil || second.Active != first.Active || second.Stage != SmokeTested || replaced != 1 {
		t.Errorf("got %+v, then %+v, after %d replacements", first, second, replaced)
	}
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "web.example/v1", "kind": "Site"}}
	if got, err := rules.Snapshot().Replicas(object); err != nil || got.Count != 1 {
		t.Errorf("got %d replicas, error %v; want 1 of the first revision", got.Count, err)
	}
}
