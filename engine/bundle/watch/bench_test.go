// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"fmt"
	"os"
	"testing"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// BenchmarkChange is an event in one bundle among many, up to the engine that answers
// by it. Its cost must not grow with the number of bundles that did not change.
func BenchmarkChange(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprintf("of=%d", n), func(b *testing.B) {
			compiler, err := engine.NewCompiler()
			if err != nil {
				b.Fatal(err)
			}
			store := bundle.NewStore(bundle.Options{Loader: bundle.Loader{Compiler: compiler}, Rules: engine.NewInterpreter(engine.Options{})})
			d := New(Options{Path: b.TempDir(), PollOnly: true, Apply: store.Apply})
			put := func(name string, answer int) {
				for file, text := range files(name, fmt.Sprint(answer)) {
					at := d.options.Path + "/" + name + "/" + file
					if err := os.MkdirAll(at[:len(at)-len(file)]+"Site", 0o750); err != nil {
						b.Fatal(err)
					}
					if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
						b.Fatal(err)
					}
				}
			}
			for i := range n {
				put(fmt.Sprintf("b%d", i), 1)
			}
			if err := d.Scan(); err != nil {
				b.Fatal(err)
			}
			answer := 1
			for b.Loop() {
				b.StopTimer()
				answer++
				put("b0", answer)
				b.StartTimer()
				d.scanDirty(&debouncer{dirs: map[string]bool{"b0": true}})
			}
			if got := store.Statuses()[0]; got.Err != nil {
				b.Fatal(got.Err)
			}
		})
	}
}
