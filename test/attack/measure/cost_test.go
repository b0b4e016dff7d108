// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"runtime"
	"testing"
)

// TestAllocatedSeesHeapAndStack takes 8 MiB of each.
func TestAllocatedSeesHeapAndStack(t *testing.T) {
	const size = 8 << 20
	var kept []byte
	for name, f := range map[string]func(){
		"heap":  func() { kept = make([]byte, size) },
		"stack": func() { deep(size >> 10) },
	} {
		if got := allocated(f).Memory; got < size/2 || got > 4*size {
			t.Errorf("%s: got %d bytes, want about %d", name, got, size)
		}
	}
	runtime.KeepAlive(kept)
}

// deep calls itself n times, with a kibibyte of the stack for each call.
//
//go:noinline
func deep(n int) byte {
	var b [1 << 10]byte
	if n > 0 {
		b[n%len(b)] = deep(n - 1)
	}
	return b[0] + b[len(b)-1]
}
