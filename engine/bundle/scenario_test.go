// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/dragoman-io/dragoman/engine"
)

var update = flag.Bool("update", false, "rewrite testdata/activation/*.txt with what happens now")

// TestActivationScenarios runs the scenarios of testdata/activation/*.txt on a store with
// an engine. A scenario is a list of steps, each some commands, a line "----" and what came
// of them. Lines that start with "#" are comments.
//
//	put DIR KEY=VALUE ...  the source has a bundle: its name (DIR by default), its
//	                       kind (Site by default), its answer (true by default), and
//	                       the lines of its script (health, what "|" separates)
//	unreadable DIR REASON  the source cannot read it
//	gone DIR               the source has it no more
//
// The output is each status that the store reported, and the answers of the engine for
// the kinds Site and Page. Revisions are r1, r2 and so on, as they come. Run with
// -update to rewrite them. Only commit the changes if you understand what caused them.
func TestActivationScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/activation/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d scenarios, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := newFixture(t).run(t, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(string(text), got); d != "" && !*update {
				t.Errorf("want -, got +:\n%s", d)
			}
		})
	}
}

// fixture is where a scenario runs.
type fixture struct {
	store       *Store
	interpreter *engine.Interpreter
	clock       *clocktesting.FakeClock
	revisions   []string
	output      strings.Builder
}

func newFixture(t *testing.T) *fixture {
	s := &fixture{
		interpreter: engine.NewInterpreter(engine.Options{}),
		clock:       clocktesting.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
	}
	s.store = NewStore(Options{
		Loader: newLoader(t),
		Clock:  s.clock,
		Trial: func(b *Bundle, files fs.FS) Trial {
			return trialFunc(func() (bool, error) {
				if _, err := fs.Stat(files, b.Dir+"/Site/testdata/fail.yaml"); err == nil {
					return false, errors.New("case x fails")
				}
				return false, nil
			})
		},
		Replace: func(before, after *Bundle) error {
			if err := replaceIn(s.interpreter, before, after); err != nil {
				return err
			}
			fmt.Fprintf(&s.output, "replaced: [%s] by [%s]\n", strings.Join(kindsOf(before), " "), strings.Join(kindsOf(after), " "))
			return nil
		},
		OnStatus: func(status Status) { s.output.WriteString(s.line(status)) },
	})
	return s
}

// trialFunc makes a Trial of a function.
type trialFunc func() (more bool, err error)

func (f trialFunc) Step() (more bool, err error) { return f() }

// kindsOf lists the kinds of a bundle, sorted.
func kindsOf(b *Bundle) []string {
	if b == nil {
		return nil
	}
	var kinds []string
	for kind := range b.Source.Kinds {
		kinds = append(kinds, kind.Kind)
	}
	slices.Sort(kinds)
	return kinds
}

func (s *fixture) line(status Status) string {
	line := fmt.Sprintf("%s: %s", status.Dir, status.Stage)
	if status.Stage == "" {
		line += "-"
	}
	line += fmt.Sprintf(", wanted %s, active %s", s.label(status.Wanted), s.label(status.Active))
	if status.Name != "" {
		line += " as bundle " + status.Name
	}
	if status.Err != nil {
		line += "\n  " + strings.ReplaceAll(status.Err.Error(), "\n", "\n  ")
	}
	return line + "\n"
}

// label names a revision by when it came.
func (s *fixture) label(revision string) string {
	if revision == "" {
		return "-"
	}
	if i := slices.Index(s.revisions, revision); i >= 0 {
		return fmt.Sprintf("r%d", i+1)
	}
	s.revisions = append(s.revisions, revision)
	return fmt.Sprintf("r%d", len(s.revisions))
}

func (s *fixture) run(t *testing.T, scenario string) string {
	var out strings.Builder
	for step := range strings.SplitSeq(strings.TrimSpace(scenario), "\n\n") {
		commands, _, _ := strings.Cut(step, "----")
		out.WriteString(commands + "----\n")
		s.output.Reset()
		s.clock.Step(time.Second)
		var fetched []Content
		var gone []string
		for line := range strings.Lines(commands) {
			fields := strings.Fields(line)
			switch {
			case line[0] == '#':
			case fields[0] == "put":
				fetched = append(fetched, contentOf(t, fields[1], fields[2:]))
			case fields[0] == "unreadable":
				fetched = append(fetched, Content{Dir: fields[1], Err: errors.New(strings.Join(fields[2:], " "))})
			case fields[0] == "gone":
				gone = append(gone, fields[1])
			default:
				t.Fatalf("no command: %s", line)
			}
		}
		s.store.Apply(fetched, gone)
		out.WriteString(s.output.String() + s.answers() + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// answers reports how the engine answers for each kind.
func (s *fixture) answers() string {
	text := "answers:"
	for _, kind := range []string{"Site", "Page"} {
		gvk := schema.GroupVersionKind{Group: "web.example", Version: "v1", Kind: kind}
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(gvk)
		if health, err := s.interpreter.Snapshot().Health(object); !errors.Is(err, engine.ErrNoRule) {
			text += fmt.Sprintf(" %s %s by %s", kind, health, s.interpreter.Snapshot().Origin(gvk, engine.InterpretHealth))
		}
	}
	return text + "\n"
}

// contentOf makes the bundle of a put command.
func contentOf(t *testing.T, dir string, settings []string) Content {
	t.Helper()
	of := map[string]string{"name": dir, "kind": "Site", "answer": "true"}
	for _, setting := range settings {
		key, value, _ := strings.Cut(setting, "=")
		of[key] = value
	}
	health := "function InterpretHealth(obj) return " + of["answer"] + " end\n"
	if of["health"] != "" {
		health = strings.NewReplacer("|", "\n", "_", " ").Replace(of["health"])
	}
	text := strings.NewReplacer("name: web", "name: "+of["name"], "kind: Site", "kind: "+of["kind"]).Replace(manifest)
	files := fstest.MapFS{
		dir + "/bundle.yaml":                   {Data: []byte(text + of["more"])},
		dir + "/" + of["kind"] + "/health.lua": {Data: []byte(health)},
	}
	if of["case"] == "fails" {
		files[dir+"/Site/testdata/fail.yaml"] = &fstest.MapFile{}
	}
	revision, err := Revision(files, dir)
	if err != nil {
		t.Fatal(err)
	}
	if of["revision"] != "" {
		revision = of["revision"]
	}
	return Content{Dir: dir, Origin: "a scenario", Revision: revision, Files: files}
}
