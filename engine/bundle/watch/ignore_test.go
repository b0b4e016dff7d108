// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dragoman-io/dragoman/engine/bundle"
)

// What a bundle ignores is not looked at, whatever it is, as no tool of authors does.
func TestIgnoredFilesAreNotLookedAt(t *testing.T) {
	s, d := newSite(t, true, nil)
	s.write("a", files("a", "1"))
	s.write("a", map[string]string{"Makefile": "all:", "Site/replicas.lua.bak": "x"})
	s.do(os.Symlink("nowhere", filepath.Join(s.path, "a/broken")))
	s.do(d.Scan())
	s.is("a", "", "no such file")
	s.write("a", map[string]string{".dragomanignore": "broken\n*.bak\n"})
	s.do(d.Scan())
	s.is("a", bundle.Fetched, "a/Makefile: a bundle holds bundle.yaml")
	s.write("a", map[string]string{".dragomanignore": "broken\n*.bak\nMakefile\n"})
	s.do(d.Scan())
	s.is("a", bundle.Active)
	s.write("a", map[string]string{".dragomanignore": "broken\n*.bak\nMakefile\n!x\n"})
	s.do(d.Scan())
	s.is("a", "", "a/.dragomanignore:4: a pattern cannot take back")
	if got := s.replicas("a"); got != 1 {
		t.Errorf("a answers %d; want 1, the last that was good", got)
	}
}
