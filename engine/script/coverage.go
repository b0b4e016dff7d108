// SPDX-License-Identifier: Apache-2.0

package script

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Coverage counts which lines of scripts ran. A program that was compiled with one
// registers its lines, and marks each as it runs. It is safe for many goroutines.
type Coverage struct {
	mu    sync.Mutex
	files map[string]map[int]lineCounters
}

// Counter counts how often one statement, or one condition, of a line ran.
type Counter struct{ n atomic.Int64 }

// Mark counts one run.
func (c *Counter) Mark() { c.n.Add(1) }

// lineCounters are those of a line with something to run.
type lineCounters []*Counter

// hits returns how often the line ran: as often as that of its parts which ran most.
func (l lineCounters) hits() int64 {
	var most int64
	for _, c := range l {
		most = max(most, c.n.Load())
	}
	return most
}

// NewCoverage returns a Coverage without lines.
func NewCoverage() *Coverage {
	return &Coverage{files: map[string]map[int]lineCounters{}}
}

// Counter registers a part of a line of a file, from 1, and returns what counts its runs.
func (c *Coverage) Counter(file string, line int) *Counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := c.files[file]
	if lines == nil {
		lines = map[int]lineCounters{}
		c.files[file] = lines
	}
	made := &Counter{}
	lines[line] = append(lines[line], made)
	return made
}

// Files lists the files with lines, sorted.
func (c *Coverage) Files() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.files))
}

// Lines returns how many lines of a file can run, and those that never did, sorted.
func (c *Coverage) Lines(file string) (total int, missed []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for line, l := range c.files[file] {
		if l.hits() == 0 {
			missed = append(missed, line)
		}
	}
	slices.Sort(missed)
	return len(c.files[file]), missed
}

// All returns the lines of a file that can run, sorted.
func (c *Coverage) All(file string) []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.files[file]))
}

// Hits returns how often each line of a file ran that can: as often as that of its statements and
// conditions which ran most.
func (c *Coverage) Hits(file string) map[int]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	hits := make(map[int]int64, len(c.files[file]))
	for line, l := range c.files[file] {
		hits[line] = l.hits()
	}
	return hits
}

// Reset forgets which lines ran; all stay registered. Who counts what cases run calls
// it after the scripts are loaded, which runs them too.
func (c *Coverage) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, lines := range c.files {
		for _, l := range lines {
			for _, counter := range l {
				counter.n.Store(0)
			}
		}
	}
}
