// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

const manifest = `apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata: {name: NAME}
spec:
  kinds: [{group: NAME.example, versions: [v1], kind: Site}]
`

// script answers an operation with a number.
func replicasScript(n string) string { return "function GetReplicas(obj)\n  return " + n + "\nend\n" }

// files are those of the bundle called name, with a script that answers n.
func files(name, n string) map[string]string {
	return map[string]string{
		"bundle.yaml":       strings.ReplaceAll(manifest, "NAME", name),
		"Site/replicas.lua": replicasScript(n),
	}
}

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// site is a folder that is watched for a store.
type site struct {
	*testing.T
	path  string
	clock *clocktesting.FakeClock
	store *bundle.Store

	interpreter *engine.Interpreter

	noticed  chan string
	looked   chan struct{}
	reported []bundle.Status
	applied  int
	failures chan error
	cancel   context.CancelFunc
	ended    chan error
}

// newSite returns a folder with some bundles and looks at it; run watches it.
func newSite(t *testing.T, pollOnly bool, bundles map[string]map[string]string) (*site, *Directory) {
	t.Helper()
	compiler, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	s := &site{
		T: t, path: t.TempDir(), clock: clocktesting.NewFakeClock(time.Now().Add(time.Hour)),
		noticed: make(chan string, 1000), looked: make(chan struct{}, 1000), failures: make(chan error, 1000),
	}
	s.interpreter = engine.NewInterpreter(engine.Options{})
	s.store = bundle.NewStore(bundle.Options{
		Loader: bundle.Loader{Compiler: compiler}, Rules: s.interpreter,
		OnStatus: func(status bundle.Status) { s.reported = append(s.reported, status) },
	})
	for name, files := range bundles {
		s.write(name, files)
	}
	d := New(Options{Path: s.path, PollOnly: pollOnly, Clock: s.clock, OnError: func(err error) { s.failures <- err }, Apply: s.apply})
	d.onEvent = func(path string) { s.noticed <- path }
	d.onScan = func() { s.looked <- struct{}{} }
	if err := d.Scan(); err != nil {
		t.Fatal(err)
	}
	<-s.looked
	return s, d
}

func (s *site) apply(fetched []bundle.Content, gone []string) {
	s.applied++
	s.store.Apply(fetched, gone)
}

// run watches until the test ends, which it may do only once all goroutines have.
func (s *site) run(d *Directory) {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	s.cancel, s.ended = cancel, make(chan error, 1)
	go func() { s.ended <- d.Run(ctx) }()
	s.Cleanup(s.stop)
	receive(s.T, s.looked, "the first look")
	s.reported, s.applied = nil, 0
}

func (s *site) stop() {
	if s.cancel == nil {
		return
	}
	s.cancel()
	s.cancel = nil
	if err := receive(s.T, s.ended, "the end of Run"); err != nil {
		s.Error(err)
	}
}

func receive[T any](t *testing.T, from <-chan T, what string) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
	}
	return value
}

// write puts files into the folder of a bundle.
func (s *site) write(name string, files map[string]string) {
	s.Helper()
	for file, text := range files {
		at := filepath.Join(s.path, name, file)
		if err := os.MkdirAll(filepath.Dir(at), 0o750); err != nil {
			s.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			s.Fatal(err)
		}
	}
}

func (s *site) do(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// notice waits for the event of a path.
func (s *site) notice(path string) {
	s.Helper()
	at := filepath.Join(s.path, path)
	for receive(s.T, s.noticed, "an event of "+path) != at {
	}
}

// step lets time pass until the next look has ended.
func (s *site) step(d time.Duration) {
	s.Helper()
	s.clock.Step(d)
	receive(s.T, s.looked, "a look")
}

// makeStable lets the burst with an event of path end. The event may be one of an earlier
// change; then time passes once more with the next.
func (s *site) makeStable(path string) {
	s.Helper()
	s.notice(path)
	for {
		s.clock.Step(100 * time.Millisecond)
		select {
		case <-s.looked:
			return
		case <-s.noticed:
		case <-time.After(patience):
			s.Fatalf("waited in vain for a look after a change of %s", path)
		}
	}
}

// replicas asks the engine about an object of a bundle.
func (s *site) replicas(name string) int32 {
	s.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": name + ".example/v1", "kind": "Site"}}
	got, err := s.interpreter.Snapshot().Replicas(object)
	if err != nil {
		s.Error(err)
	}
	return got.Count
}

// is checks a status as "dir stage" and parts of its error.
func (s *site) is(dir string, stage bundle.Stage, parts ...string) {
	s.Helper()
	for _, status := range s.store.Statuses() {
		if status.Dir != dir {
			continue
		}
		text := ""
		if status.Err != nil {
			text = status.Err.Error()
		}
		if status.Stage != stage || (len(parts) == 0) != (text == "") {
			s.Errorf("%s is %s, error %q; want %s", dir, status.Stage, text, stage)
		}
		for _, part := range parts {
			if !strings.Contains(text, part) {
				s.Errorf("the error of %s lacks %q: %s", dir, part, text)
			}
		}
		return
	}
	if stage != "" {
		s.Errorf("there is no bundle %s", dir)
	}
}

// changed checks which bundles the store reported since the last time.
func (s *site) changed(dirs ...string) {
	s.Helper()
	var got []string
	for _, status := range s.reported {
		got = append(got, status.Dir)
	}
	if strings.Join(got, " ") != strings.Join(dirs, " ") {
		s.Errorf("the bundles %v changed; want %v", got, dirs)
	}
	s.reported = nil
}

// goroutines waits until no goroutine runs code with this in its name.
func goroutines(t *testing.T, name string) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); runtime.Gosched() {
		if !strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), name) {
			return
		}
	}
	t.Errorf("a goroutine of %s is left:\n%s", name, stacks[:runtime.Stack(stacks, true)])
}
