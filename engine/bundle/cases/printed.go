// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"fmt"

	"github.com/dragoman-io/dragoman/engine/script"
)

const (
	// maxPrinted and maxPrintedBytes are how much of what a case prints is kept.
	maxPrinted      = 200
	maxPrintedBytes = 16 << 10
)

// lines are what a case prints.
type lines struct {
	kept        []string
	bytes, more int
}

// add takes a line, and where the call of print stands.
func (l *lines) add(at script.Position, line string) {
	line = at.String() + ": " + line
	if len(l.kept) == maxPrinted || l.bytes+len(line) > maxPrintedBytes {
		l.more++
		return
	}
	l.kept, l.bytes = append(l.kept, line), l.bytes+len(line)
}

// all returns the lines, and at the end how many were left out.
func (l *lines) all() []string {
	if l.more > 0 {
		return append(l.kept, fmt.Sprintf("... %d lines more", l.more))
	}
	return l.kept
}
