// SPDX-License-Identifier: Apache-2.0

//go:build race

package attack

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// HeapSlack is what the detector adds to a run over a megabyte of text: cel-go counts its
// characters by a slice of them, which the compiler leaves out otherwise.
const HeapSlack = 5 << 20

// Heap runs f, and returns by how many bytes the heap grew meanwhile at most. Nothing
// else may run at the same time.
//
// Under the race detector a sync.Pool drops a quarter of what is put into it, at random,
// so that package regexp allocates its machines again and again: the sum of all
// allocations is a property of the detector then. The largest heap is not: the collector
// runs at every tenth of growth here, so that little of it is garbage.
func Heap(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	before := heapObjects()
	done, most := make(chan struct{}), make(chan uint64)
	go func() { most <- largest(done) }()
	f()
	last := heapObjects()
	close(done)
	return max(before, last, <-most) - before
}

// largest returns the largest heap of all that it saw until done was closed.
func largest(done <-chan struct{}) uint64 {
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	var most uint64
	for {
		select {
		case <-done:
			return most
		case <-ticker.C:
			most = max(most, heapObjects())
		}
	}
}

// heapObjects returns the bytes of the objects in the heap that are not swept yet.
func heapObjects() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
