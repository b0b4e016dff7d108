// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/dragoman-io/dragoman/engine/bundle"
)

func two() map[string]map[string]string {
	return map[string]map[string]string{"a": files("a", "1"), "b": files("b", "1")}
}

func TestBundlesArePresentAfterTheFirstLook(t *testing.T) {
	s, _ := newSite(t, false, two())
	s.is("a", bundle.Active)
	s.is("b", bundle.Active)
}

func TestChangesBetweenLookAndRunAreFound(t *testing.T) {
	s, d := newSite(t, false, two())
	s.write("a", files("a", "22"))
	s.run(d)
	if got := s.replicas("a"); got != 22 {
		t.Errorf("a answers %d; want 22", got)
	}
}

func TestAWriteActivatesItsBundleAlone(t *testing.T) {
	s, d := newSite(t, false, two())
	s.run(d)
	s.write("a", map[string]string{"Site/replicas.lua": replicasScript("2")})
	s.makeStable("a/Site/replicas.lua")
	s.is("a", bundle.Active)
	s.changed("a")
}

func TestABundleThatIsMovedIntoPlaceIsFound(t *testing.T) {
	s, d := newSite(t, false, two())
	s.write(".new", files("c", "1"))
	s.run(d)
	s.do(os.Rename(filepath.Join(s.path, ".new"), filepath.Join(s.path, "c")))
	s.makeStable("c")
	s.is("c", bundle.Active)
	s.changed("c")
	// It is watched from now on.
	s.write("c", map[string]string{"Site/replicas.lua": replicasScript("2")})
	s.makeStable("c/Site/replicas.lua")
	s.changed("c")
}

func TestAFileThatIsRenamedOverAnotherIsFound(t *testing.T) {
	s, d := newSite(t, false, two())
	s.run(d)
	s.write("a", map[string]string{"Site/.replicas.lua.tmp": replicasScript("2")})
	s.do(os.Rename(filepath.Join(s.path, "a/Site/.replicas.lua.tmp"), filepath.Join(s.path, "a/Site/replicas.lua")))
	s.makeStable("a/Site/replicas.lua")
	s.changed("a")
}

func TestABundleThatIsDeletedIsRemoved(t *testing.T) {
	s, d := newSite(t, false, two())
	s.run(d)
	s.do(os.RemoveAll(filepath.Join(s.path, "a")))
	s.makeStable("a")
	s.is("a", "")
	s.is("b", bundle.Active)
	s.changed("a")
}

func TestAHalfWrittenFileIsRefusedUntilItIsComplete(t *testing.T) {
	s, d := newSite(t, false, two())
	s.run(d)
	whole := replicasScript("2")
	s.write("a", map[string]string{"Site/replicas.lua": whole[:len(whole)-5]})
	s.makeStable("a/Site/replicas.lua")
	s.is("a", bundle.Verified, "a/Site/replicas.lua:2", "unexpected end")
	if got := s.replicas("a"); got != 1 {
		t.Errorf("a answers %d; want 1, the last that was good", got)
	}
	s.write("a", map[string]string{"Site/replicas.lua": whole})
	s.makeStable("a/Site/replicas.lua")
	s.is("a", bundle.Active)
	s.is("b", bundle.Active)
	if got := s.replicas("a"); got != 2 {
		t.Errorf("a answers %d; want 2", got)
	}
}

func TestABurstIsOneActivation(t *testing.T) {
	s, d := newSite(t, false, two())
	s.run(d)
	for _, n := range []string{"2", "3", "4", "5", "6"} {
		s.write("a", files("a", n))
		s.write("b", files("b", n))
	}
	s.write("last", files("last", "1"))
	s.makeStable("last")
	if s.applied != 1 {
		t.Errorf("there were %d activations; want 1", s.applied)
	}
	s.changed("a", "b", "last")
	s.step(10 * time.Second)
	if s.applied != 1 {
		t.Errorf("after another look there were %d activations; want 1", s.applied)
	}
}

func TestABurstWithoutEndIsCutShort(t *testing.T) {
	s, d := newSite(t, false, two())
	s.run(d)
	for n := range 11 { // every 99 ms, so that it is never quiet for 100
		if n > 0 {
			s.clock.Step(99 * time.Millisecond)
		}
		name := fmt.Sprintf("a/%d.md", n)
		s.write(".", map[string]string{name: "text"})
		s.notice(name)
	}
	s.step(10 * time.Millisecond)
	s.changed("a")
}

func TestAfterAnErrorEverythingIsLookedAt(t *testing.T) {
	s, d := newSite(t, false, two())
	s.run(d)
	s.do(d.watcher.Remove(filepath.Join(s.path, "a/Site"))) // so that its event is lost
	s.write("a", map[string]string{"Site/replicas.lua": replicasScript("22")})
	d.watcher.Errors <- fsnotify.ErrEventOverflow
	if err := receive(t, s.failures, "the error"); !errors.Is(err, fsnotify.ErrEventOverflow) {
		t.Errorf("got error %v; want that events were lost", err)
	}
	// The changes begin after OnError was called; one more event shows that it was.
	s.write("b", map[string]string{"a.md": "text"})
	s.makeStable("b/a.md")
	s.changed("a", "b")
}

func TestPollingFindsWhatChanged(t *testing.T) {
	s, d := newSite(t, true, two())
	s.run(d)
	s.write("a", map[string]string{"Site/replicas.lua": replicasScript("22")})
	s.write("c", files("c", "1"))
	s.do(os.RemoveAll(filepath.Join(s.path, "b")))
	s.step(10 * time.Second)
	s.is("a", bundle.Active)
	s.is("c", bundle.Active)
	s.is("b", "")
	s.changed("a", "c", "b")
	s.write("a", map[string]string{"Site/replicas.lua": "function"})
	s.step(10 * time.Second)
	s.is("a", bundle.Verified, "a/Site/replicas.lua:1")
	if s.applied != 2 {
		t.Errorf("there were %d activations; want 2", s.applied)
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	s, d := newSite(t, false, two())
	s.run(d)
	s.stop()
	goroutines(t, "fsnotify")
}
