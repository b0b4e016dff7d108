// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-io/dragoman/engine/bundle"
)

// fan makes folders in which each has links to the next one.
func fan(s *site, in string, levels, links int) {
	for level := range levels {
		dir := filepath.Join(s.path, in, fmt.Sprint("level", level))
		s.do(os.MkdirAll(dir, 0o755))
		for link := range links {
			s.do(os.Symlink(fmt.Sprint("../level", level+1), filepath.Join(dir, fmt.Sprint("link", link))))
		}
	}
	s.do(os.MkdirAll(filepath.Join(s.path, in, fmt.Sprint("level", levels)), 0o755))
}

// Before, links six levels deep and eight wide took a minute at each scan.
func TestLinksEndWithTheNumberOfEntries(t *testing.T) {
	s, d := newSite(t, true, two())
	fan(s, "a", 6, 8)
	for range 2 {
		s.do(d.Scan())
		s.is("a", "", "too many entries: at most 2000 files and folders are read of a bundle, those behind a link counted for each link")
		s.is("b", bundle.Active)
		if got := s.replicas("a"); got != 1 {
			t.Errorf("a answers %d; want 1, the last that was good", got)
		}
	}
}

func TestAListingLooksAtSomeEntriesOnly(t *testing.T) {
	s, _ := newSite(t, true, nil)
	fan(s, "a", 6, 8)
	l := &listing{files: map[string]file{}}
	if err := l.walk(discard{}, filepath.Join(s.path, "a"), ".", 0); err == nil || l.entries > maxEntries {
		t.Errorf("looked at %d entries, error %v; want at most %d and an error", l.entries, err, maxEntries)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func TestAFolderWithTooManyFilesIsNotReadToItsEnd(t *testing.T) {
	dir := t.TempDir()
	for i := range 20 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := readDir(dir, 19); err != errTooMany || entries != nil {
		t.Errorf("got %d entries, error %v; want errTooMany", len(entries), err)
	}
	if entries, err := readDir(dir, 20); err != nil || len(entries) != 20 || entries[1].Name() != "1" {
		t.Errorf("got %d entries, error %v; want 20, sorted", len(entries), err)
	}
}

func TestTooManyBundlesChangeNothing(t *testing.T) {
	s, d := newSite(t, true, two())
	for i := range maxBundles {
		s.do(os.Mkdir(filepath.Join(s.path, fmt.Sprint("x", i)), 0o755))
	}
	if err := d.Scan(); err == nil || !strings.Contains(err.Error(), "at most 1000 bundles are read") {
		t.Errorf("got error %v", err)
	}
	s.is("a", bundle.Active)
}

func TestBundlesThatDoNotFitTogetherAreRefusedByName(t *testing.T) {
	s, d := newSite(t, true, two())
	for i := range maxTotal/maxBytes + 1 {
		s.write(fmt.Sprint("x", i), files(fmt.Sprint("x", i), "1"))
		s.do(os.Truncate(filepath.Join(s.path, fmt.Sprint("x", i), "bundle.yaml"), maxBytes-1000))
	}
	s.do(d.Scan())
	s.is("x8", "", "bytes do not fit: the files of all bundles may have 134217728 together")
	s.is("b", bundle.Active)
	s.do(os.RemoveAll(filepath.Join(s.path, "x0")))
	s.do(d.Scan())
	s.is("x8", bundle.Fetched, "too long: at most 65536 bytes are read")
}

// A file of the system such as this one has no size, and no end either.
func TestAFileIsReadAsFarAsItsSize(t *testing.T) {
	const endless = "/proc/self/pagemap"
	if info, err := os.Stat(endless); err != nil || info.Size() != 0 {
		t.Skip("there is no " + endless)
	}
	if data, err := (file{endless, 0}).read(); err != nil || len(data) != 0 {
		t.Errorf("got %d bytes, error %v; want none", len(data), err)
	}
}

// A link can lead to another file of the same size and time.
func TestTheTargetOfALinkIsNoticed(t *testing.T) {
	s, d := newSite(t, true, two())
	long := s.clock.Now().Add(-time.Hour)
	for _, n := range []string{"2", "3"} {
		at := filepath.Join(s.path, ".hidden"+n, "replicas.lua")
		s.write(".hidden"+n, map[string]string{"replicas.lua": replicasScript(n)})
		s.do(os.Chtimes(at, long, long))
		link := filepath.Join(s.path, ".now")
		_ = os.Remove(link)
		s.do(os.Symlink(".hidden"+n, link))
		if n == "2" {
			replaced := filepath.Join(s.path, "a/Site/replicas.lua")
			s.do(os.Remove(replaced))
			s.do(os.Symlink("../../.now/replicas.lua", replaced))
		}
		s.do(d.Scan())
		if got := s.replicas("a"); fmt.Sprint(got) != n {
			t.Errorf("a answers %d; want %s", got, n)
		}
	}
}

func TestWhatApplyLeftIsResumed(t *testing.T) {
	s, d := newSite(t, true, two())
	turns := 3
	resumed := make(chan struct{}, 10)
	d.options.Resume = func() bool {
		turns--
		resumed <- struct{}{}
		return turns > 0
	}
	s.write("a", files("a", "2"))
	s.run(d)
	for range 3 {
		receive(t, resumed, "the next turn")
	}
	s.stop()
	if len(resumed) > 0 {
		t.Error("it was resumed after the last turn")
	}
}
