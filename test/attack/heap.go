// SPDX-License-Identifier: Apache-2.0

//go:build !race

package attack

import "runtime"

// HeapSlack is what the race detector adds to a run: nothing without it.
const HeapSlack = 0

// Heap runs f, and returns how many bytes were taken from the heap meanwhile, garbage
// included. Nothing else may run at the same time.
func Heap(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
