// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// freshProcess marks the process in which no compiler was created before the test.
const freshProcess = "DRAGOMAN_TEST_FRESH_PROCESS"

// TestFirstCompilersOfAProcess creates the first compilers of a process in eight
// goroutines, and runs expressions that fail with the errors that cel-go shares. It is
// for the race detector.
func TestFirstCompilersOfAProcess(t *testing.T) {
	if os.Getenv(freshProcess) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), freshProcess+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	const goroutines = 8
	var group sync.WaitGroup
	ready := make(chan struct{})
	for range goroutines {
		group.Go(func() {
			<-ready
			createAndRun(t)
		})
	}
	close(ready)
	group.Wait()
}

// createAndRun creates a compiler and runs an expression that finds no overload.
func createAndRun(t *testing.T) {
	c, err := New(nil)
	if err != nil {
		t.Errorf("New: %v", err)
		return
	}
	p, err := c.Compile("test.cel", "object.a + object.b", dyn("object"), script.Limits{})
	if err != nil {
		t.Errorf("Compile: %v", err)
		return
	}
	object := map[string]any{"a": int64(1), "b": "text"}
	if _, err := p.Run(&script.Call{Names: []string{"object"}, Args: []any{object}}, &decoder{}); err == nil {
		t.Error("the sum of a number and a text: got no error")
	}
}

// TestCompilesInManyGoroutines compiles expressions with the same regular expressions,
// functions and variables at the same time. It is for the race detector.
func TestCompilesInManyGoroutines(t *testing.T) {
	c := compiler(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 50 {
				source := fmt.Sprintf(`object.a%d.matches("[a-z]{%d}") && [1, %d].map(x, {"a": x})[0].a == items.sum() || object.b.c`, j%5, 1+j%7, i)
				if _, err := c.Compile("test.cel", source, typed("object", "items")[:1+j%2], script.Limits{}); err != nil && j%2 == 1 {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}
