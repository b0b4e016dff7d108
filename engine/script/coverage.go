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
	files map[string]map[int]*Line
}

// Line is one line with something to run.
type Line struct{ ran atomic.Bool }

// Mark reports whether the line ran.
func (l *Line) Mark() {
	if !l.ran.Load() {
		l.ran.Store(true)
	}
}

// NewCoverage returns a Coverage without lines.
func NewCoverage() *Coverage {
	return &Coverage{files: map[string]map[int]*Line{}}
}

// Line registers a line of a file, from 1, and returns what marks it. A line that was
// registered before is the same.
func (c *Coverage) Line(file string, line int) *Line {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := c.files[file]
	if lines == nil {
		lines = map[int]*Line{}
		c.files[file] = lines
	}
	if lines[line] == nil {
		lines[line] = &Line{}
	}
	return lines[line]
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
		if !l.ran.Load() {
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

// Reset forgets which lines ran; all stay registered. Who counts what cases run calls
// it after the scripts are loaded, which runs them too.
func (c *Coverage) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, lines := range c.files {
		for _, l := range lines {
			l.ran.Store(false)
		}
	}
}
