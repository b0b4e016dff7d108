// SPDX-License-Identifier: Apache-2.0

package source

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// counted counts how often each file is opened.
type counted struct {
	fs.FS
	opened map[string]int
}

func (c counted) Open(name string) (fs.File, error) {
	c.opened[name]++
	return c.FS.Open(name)
}

func (c counted) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(c.FS, name) }
func (c counted) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(c.FS, name) }

// TestAFileIsReadOnce asks a tree all that it knows of its files, twice.
func TestAFileIsReadOnce(t *testing.T) {
	files := counted{treeOf(map[string]string{
		"a/held.yaml": customizationText, "a/cases.yaml": "name: a\n", "b/bundle.yaml": manifestText, "c/rules.yaml": objectText,
	}), map[string]int{}}
	tree := New(files)
	for range 2 {
		for _, name := range []string{"a/held.yaml", "a/cases.yaml", "b/bundle.yaml", "c/rules.yaml"} {
			tree.Look(name)
			_ = tree.Stray(name)
			f, err := tree.File(name)
			if err != nil {
				t.Fatal(err)
			}
			one, _ := f.Documents()
			two, _ := f.Documents()
			if len(one) != 1 || &one[0] != &two[0] {
				t.Errorf("%s is parsed more than once, or has %d documents", name, len(one))
			}
		}
	}
	for name, n := range files.opened {
		if n > 1 {
			t.Errorf("%s is opened %d times", name, n)
		}
	}
	if New(tree) != tree {
		t.Error("a tree of a tree is another one")
	}
}

// TestTextsOfAnEditorStandForFiles makes a home, ends another one, and reads a folder that is not there.
func TestTextsOfAnEditorStandForFiles(t *testing.T) {
	tree := treeOf(map[string]string{"old/held.yaml": customizationText, "same/bundle.yaml": manifestText})
	edited := tree.With(map[string]string{"old/./held.yaml": objectText, "new/Kind/health.lua": "", "new/bundle.yaml": manifestText})
	for name, want := range map[string]string{"old/a.yaml": "", "new/Kind/a.yaml": "new", "same/a.yaml": "same"} {
		got := ""
		if h := edited.Home(name); h != nil {
			got = h.Dir
		}
		if got != want {
			t.Errorf("%s has the home %q; want %q", name, got, want)
		}
	}
	if h := tree.Home("old/a.yaml"); h == nil {
		t.Error("the tree before changed")
	}
	if edited.Unsaved("new/../old/held.yaml") != objectText || edited.Unsaved("same/bundle.yaml") != "" {
		t.Error("Unsaved returns other texts")
	}
	var got []string
	err := fs.WalkDir(edited, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, statErr := d.Info()
			text, readErr := fs.ReadFile(edited, name)
			got = append(got, fmt.Sprintf("%s %t", name, info.Size() == int64(len(text))))
			err = errors.Join(statErr, readErr)
		}
		return err
	})
	if d := cmp.Diff([]string{"new/Kind/health.lua true", "new/bundle.yaml true", "old/held.yaml true", "same/bundle.yaml true"}, got); err != nil || d != "" {
		t.Errorf("error %v, want -, got +:\n%s", err, d)
	}
}

func TestAFileThatIsTooLongIsNotKept(t *testing.T) {
	tree := treeOf(map[string]string{"a.yaml": strings.Repeat("#", yamldoc.FileLimits().Text+1)})
	if _, err := tree.File("a.yaml"); !errors.As(err, new(*yamldoc.Error)) {
		t.Errorf("got the error %v", err)
	}
	if _, err := tree.File("nowhere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got the error %v", err)
	}
}

// TestATreeIsSafeForManyGoroutines is for the race detector.
func TestATreeIsSafeForManyGoroutines(t *testing.T) {
	tree := treeOf(map[string]string{"a/held.yaml": customizationText, "b/bundle.yaml": manifestText})
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if tree.Look("a/held.yaml").Kind != Customizations || tree.Look("b/x.lua").Kind != Script {
				t.Error("the tree sees other files")
			}
		})
	}
	wait.Wait()
}
