// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"runtime/debug"

	"github.com/dragoman-io/dragoman/engine"
)

const programMemoryUsage = `what the compiled scripts of all customizations and bundles may keep in memory, such as
256Mi; the newest customization that does not fit is refused. By default 256Mi, but no
more than a third of the memory limit of the process, and 64Mi at least`

// leastProgramMemory is twice what the bundles of this program take.
const leastProgramMemory = 64 << 20

// programs returns the bound of program memory in bytes: what the flag is set to, or what
// suits the memory limit.
func (f *flags) programs() (int64, error) {
	wanted := f.programMemory.Value()
	if wanted < 0 || (f.programMemory.Sign() != 0 && wanted == 0) {
		return 0, fmt.Errorf("--program-memory: want a positive quantity such as 256Mi, got %s", f.programMemory.String())
	}
	if wanted > 0 {
		return wanted, nil
	}
	return programsWithin(debug.SetMemoryLimit(-1)), nil // -1 reads the limit
}

// programsWithin returns the default under a memory limit.
func programsWithin(limit int64) int64 {
	return max(min(engine.DefaultProgramMemory, limit/3), leastProgramMemory)
}
