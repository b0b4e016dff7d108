// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestTreeTellsWhichFilesChange(t *testing.T) {
	dir := t.TempDir()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		do(os.MkdirAll(filepath.Dir(at(name)), 0o755))
		do(os.WriteFile(at(name), []byte(text), 0o644))
	}
	write("a/one.lua", "1")
	write("a/.git/config", "1")
	write("b/.v1/two.lua", "1")
	write("b/.v2/two.lua", "2")
	do(os.Symlink(".v1", at("b/..data")))
	do(os.Symlink("..data/two.lua", at("b/two.lua")))

	ctx, cancel := context.WithCancel(t.Context())
	changes, ready := make(chan []string), make(chan struct{})
	go (&Tree{Paths: []string{dir}}).Run(ctx, changes, func() { close(ready) })
	<-ready
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() { write("a/.git/config", "22"); write("a/one.lua", "22") }, at("a/one.lua")},
		{func() { do(os.Remove(at("a/one.lua"))) }, at("a/one.lua")},
		{func() { write("c/new/three.lua", "1") }, at("c/new/three.lua")},
		{func() { write("c/new/three.lua", "22") }, at("c/new/three.lua")},
		{func() {
			do(os.Symlink(".v2", at("b/..tmp")))
			do(os.Rename(at("b/..tmp"), at("b/..data")))
		}, at("b/two.lua")},
	} {
		step.do()
		// A link to a folder may be told beside the files behind it.
		seen := map[string]bool{}
		for !seen[step.want] {
			for _, file := range <-changes {
				seen[file] = true
			}
		}
		if seen[at("a/.git/config")] {
			t.Errorf("a hidden folder was looked at: %v", seen)
		}
	}
	cancel()
	if more, open := <-changes; open {
		t.Errorf("got %v after the end", more)
	}
}

func TestDiffering(t *testing.T) {
	got := differing(map[string]string{"same": "1", "other": "1", "gone": "1"}, map[string]string{"same": "1", "other": "2", "new": "1"})
	if fmt.Sprint(got) != "[gone new other]" {
		t.Errorf("got %v", got)
	}
}
