// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-io/dragoman/engine/bundle"
)

func TestOnlyWhatDiffersIsRead(t *testing.T) {
	s, d := newSite(t, true, two())
	at := filepath.Join(s.path, "a/Site/replicas.lua")
	change := func(n string, modified time.Time) {
		t.Helper()
		s.write("a", map[string]string{"Site/replicas.lua": replicasScript(n)})
		s.do(os.Chtimes(at, modified, modified))
		s.do(d.Scan())
	}
	long := s.clock.Now().Add(-time.Hour)
	change("2", long)
	if got := s.replicas("a"); got != 2 {
		t.Fatalf("a answers %d; want 2", got)
	}
	change("3", long)
	if got := s.replicas("a"); got != 2 {
		t.Errorf("a answers %d; want 2: names, sizes and times are as they were", got)
	}
	change("3", long.Add(time.Nanosecond))
	if got := s.replicas("a"); got != 3 {
		t.Errorf("a answers %d; want 3: the time differs", got)
	}
}

func TestAFileThatIsNewIsReadAgain(t *testing.T) {
	s, d := newSite(t, true, two())
	at := filepath.Join(s.path, "a/Site/replicas.lua")
	now := s.clock.Now().Add(-time.Second)
	for _, want := range []int32{2, 3} {
		s.write("a", map[string]string{"Site/replicas.lua": replicasScript(fmt.Sprint(want))})
		s.do(os.Chtimes(at, now, now))
		s.do(d.Scan())
		if got := s.replicas("a"); got != want {
			t.Errorf("a answers %d; want %d: a file can change twice within one step of its time", got, want)
		}
	}
}

func TestAFolderThatCanNotBeReadChangesNothing(t *testing.T) {
	s, d := newSite(t, false, two())
	s.run(d)
	s.do(os.Rename(s.path, s.path+".away"))
	s.step(10 * time.Second)
	if err := receive(t, s.failures, "the error"); !strings.Contains(err.Error(), "read the folder of bundles") {
		t.Errorf("got error %v", err)
	}
	s.changed()
	s.is("a", bundle.Active)
	s.do(os.Rename(s.path+".away", s.path))
}

func TestAFolderOfOneBundleIsNoFolderOfBundles(t *testing.T) {
	s, d := newSite(t, false, nil)
	s.write(".", files("a", "1"))
	if err := d.Scan(); err == nil || !strings.Contains(err.Error(), "want a folder that holds a folder for each bundle") {
		t.Errorf("got error %v", err)
	}
}

func TestWhatCanNotBeReadIsTold(t *testing.T) {
	deep := strings.Repeat("d/", maxDepth+1)
	for name, c := range map[string]struct {
		make func(s *site)
		want string
	}{
		"a pipe": {
			func(s *site) { s.do(syscall.Mkfifo(filepath.Join(s.path, "a/pipe"), 0o600)) },
			"a/pipe is neither a file nor a folder",
		},
		"a link to nothing": {
			func(s *site) { s.do(os.Symlink("nowhere", filepath.Join(s.path, "a/link"))) },
			"no such file",
		},
		"a link to its own folder": {
			func(s *site) { s.do(os.Symlink(".", filepath.Join(s.path, "a/link"))) },
			"folders nest deeper than 8",
		},
		"deep folders": {
			func(s *site) { s.write("a/"+deep, map[string]string{"x": "x"}) },
			"folders nest deeper than 8",
		},
		"a file that is too large": {
			func(s *site) {
				s.write("a", map[string]string{"large": ""})
				s.do(os.Truncate(filepath.Join(s.path, "a/large"), maxBytes+1))
			},
			"at most 16777216 are read",
		},
		"one file twice": {
			func(s *site) { s.write("a", map[string]string{"Site.replicas.lua": "x"}) },
			"Site/replicas.lua",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, d := newSite(t, true, two())
			c.make(s)
			s.do(d.Scan())
			s.is("a", "", c.want)
			s.is("b", bundle.Active)
			if got := s.replicas("a"); got != 1 {
				t.Errorf("a answers %d; want 1, the last that was good", got)
			}
		})
	}
}

// Before, a panic in what takes the bundles ended the process: it is on a goroutine that nobody else recovers.
func TestADefectInWhatTakesTheBundlesIsAnErrorOfTheFolder(t *testing.T) {
	var failures []string
	dir := t.TempDir()
	d := New(Options{
		Path:    dir,
		Apply:   func([]bundle.Content, []string) { panic("apply") },
		Resume:  func() bool { panic("resume") },
		OnError: func(err error) { failures = append(failures, err.Error()) },
	})
	if err := os.MkdirAll(filepath.Join(dir, "a"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := d.Scan(); err != nil {
		t.Errorf("got error %v; want the folder to be read", err)
	}
	want := dir + ": applying the bundles stopped by a defect of dragoman: apply (at scan_test.go:"
	if len(failures) != 1 || !strings.HasPrefix(failures[0], want) {
		t.Errorf("got %q; want %q", failures, want)
	}
	if more, err := d.resume(); more || err == nil || !strings.Contains(err.Error(), "defect of dragoman: resume") {
		t.Errorf("got %v, error %v; want an error and no more", more, err)
	}
}
