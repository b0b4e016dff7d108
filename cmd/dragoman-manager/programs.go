// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/dragoman-io/dragoman/engine"

const programMemoryUsage = `what the compiled scripts of all customizations and bundles may keep in memory, such as
256Mi; the newest customization that does not fit is refused. By default 256Mi, but no
more than a third of the memory limit of the process, and 64Mi at least`

// leastProgramMemory is twice what the bundles of this program take.
const leastProgramMemory = 64 << 20

// programs returns the bound of program memory in bytes: what the flag is set to, or what
// suits the limit of the heap, of which 0 is none.
func (f *flags) programs(heap int64) int64 {
	switch {
	case f.programMemory > 0:
		return int64(f.programMemory)
	case heap == 0:
		return engine.DefaultProgramMemory
	}
	return max(min(engine.DefaultProgramMemory, heap/3), leastProgramMemory)
}
