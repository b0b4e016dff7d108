// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// enough is how much copies of a program grow the heap by before their size is read off
// it: what else the test keeps does not count then.
const enough = 100 << 10

// measured is what the heap grows by for each of many copies of a program, and what
// the program says that it keeps. It is not ok where the source does not compile.
func measured(src Script) (grown, size int64, ok bool) {
	var all []script.Program
	before := live()
	for n := int64(0); n < enough; {
		src.Text = strings.Clone(src.Text)
		p, err := Compile(src, script.Limits{})
		if err != nil {
			return 0, 0, false
		}
		all = append(all, p)
		size = p.Size()
		// A program takes a fourth of its size at least, or this takes longer.
		n += size / 4
	}
	grown = (live() - before) / int64(len(all))
	runtime.KeepAlive(all)
	return grown, size, true
}

// live returns the bytes in use after a collection.
func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestSizeIsWhatAProgramKeeps compares the size of programs with the growth of the heap:
// no program keeps more than its size, and what people write not less than a fourth.
func TestSizeIsWhatAProgramKeeps(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and seconds under the race detector")
	}
	sources := map[string]string{}
	for name, form := range hostileForms {
		sources["form "+name] = form(8 << 10)
	}
	for seed := range uint64(10) {
		sources[fmt.Sprint("generated ", seed)] = generated(seed, 1)
	}
	scripts := os.DirFS("../../../scripts")
	err := fs.WalkDir(scripts, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".lua") {
			return err
		}
		text, err := fs.ReadFile(scripts, name)
		// Modules are programs of their own here.
		sources["script "+name] = strings.ReplaceAll(string(text), "require(", "pcall(")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	compiled := 0
	for name, text := range sources {
		grown, size, ok := measured(Script{File: "a.lua", Text: text})
		switch {
		case !ok:
			continue
		case grown > size:
			t.Errorf("%s: a program keeps %d bytes, and says at most %d", name, grown, size)
		case size > 4*grown && strings.HasPrefix(name, "script "):
			t.Errorf("%s: a program keeps %d bytes, and says %d; want at most four times as many", name, grown, size)
		}
		compiled++
	}
	if compiled < 240 {
		t.Errorf("%d sources compile; want at least 240", compiled)
	}
}
