// SPDX-License-Identifier: Apache-2.0

package attack_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/dragoman-io/dragoman/test/attack"
)

// TestHeap checks that the measure sees what an attack may not take: under the race
// detector it is another one.
func TestHeap(t *testing.T) {
	var kept []byte
	got := attack.Heap(func() {
		kept = make([]byte, 2*attack.MostGrowth)
		time.Sleep(5 * time.Millisecond)
	})
	runtime.KeepAlive(kept)
	if got < 2*attack.MostGrowth || got > 3*attack.MostGrowth {
		t.Errorf("a slice of %d bytes: got %d", 2*attack.MostGrowth, got)
	}
	if got := attack.Heap(func() {}); got > 1<<20 {
		t.Errorf("nothing: got %d", got)
	}
}
