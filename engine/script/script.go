// SPDX-License-Identifier: Apache-2.0

// Package script is the vocabulary that the engine and its script languages
// share: what a compiled program is, what one run of it may cost, and how its
// failures are reported. It knows no language, no operation and no cluster.
package script

import "time"

// Program is a script that was compiled once. It is immutable, and safe for
// many goroutines: nothing of one run is visible to another.
type Program interface {
	// Run evaluates the program on the arguments of c and passes the results to
	// d while the memory of the run is alive. The arguments are never changed.
	// The error is an *Error, or what d returned.
	Run(c *Call, d Decoder) (Usage, error)
	// Size returns how many bytes the program keeps in memory, at most. It depends on
	// the source alone, so that it is the same on every machine.
	Size() int64
}

// Decoder reads the results of one run. The values must not be kept after Decode
// returns, unless Plain made them plain. A missing result is nil. What reading takes
// is paid to m before it is done; an error of m ends Decode, which returns it.
type Decoder interface {
	Decode(results []any, m Meter) error
}

// Meter takes what the reader of a result costs from what the run has left.
type Meter interface {
	// Pay takes units of gas and bytes of memory. The error, a *Error of code Gas or
	// Memory, is that of a run that has not as much left.
	Pay(gas, memory int64) error
}

// Call is one run of a program: what to call, with what, and within which
// limits.
type Call struct {
	// Entry is the function to call. A language whose program is a single
	// expression ignores it.
	Entry string
	// Args are plain values (nil, bool, int64, float64, string, []any,
	// map[string]any) in the order of the operation's parameters. Names holds
	// as many names, for languages that bind variables.
	Args  []any
	Names []string
	// Params are the parameters of the bundle, seen by the script as the table
	// params. They are shared between runs and never changed.
	Params map[string]any
	// Now is the time that the script sees, all through the run. Where it is zero,
	// Clock is asked when the script first wants to know; see Time.
	Now   time.Time
	Clock Clock
	// Limits bound the run; a zero field takes the default.
	Limits Limits
	// Spent is what preparing the arguments took; the run has that much less.
	Spent Usage
	// Print receives what the script prints, one line a call, and where the call stands. Nil drops it.
	Print func(at Position, line string)
}

// Clock reports what time it is.
type Clock interface{ Now() time.Time }

// Time returns the time that the script sees. Most scripts never ask, and a clock
// takes as long as a short script, so it is read at the first question.
func (c *Call) Time() time.Time {
	if c.Now.IsZero() && c.Clock != nil {
		c.Now = c.Clock.Now()
	}
	return c.Now
}

// Usage is what one run cost. The gas of a program and its arguments is the
// same on every machine and in every run.
type Usage struct {
	Gas    int64 `json:"gas"`
	Memory int64 `json:"memory"`
}
