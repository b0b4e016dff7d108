// Package script is the vocabulary that the engine and its script languages
// share: what a compiled program is, what one run of it may cost, and how its
// failures are told. It knows no language, no operation and no cluster.
package script

import "time"

// Program is a script that was compiled once. It is immutable, and safe for
// many goroutines: nothing of one run is visible to another.
type Program interface {
	// Run evaluates the program on the arguments of c and hands the results to
	// t while the memory of the run is alive. The arguments are never changed.
	// The error is an *Error, or what t gave.
	Run(c *Call, t Taker) (Usage, error)
}

// Taker reads the results of one run. The values must not be kept after Take
// returns, unless Plain made them plain. A missing result is nil.
type Taker interface {
	Take(results []any) error
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
	// Now is the time that the script sees.
	Now time.Time
	// Limits bound the run; a zero field takes the default.
	Limits Limits
	// Print receives what the script prints, one line a call. Nil drops it.
	Print func(line string)
}

// Limits bound one compilation and one run. A zero field means the default.
type Limits struct {
	// Gas is the number of steps: one for each node of the program that is
	// evaluated, and one for each 64 bytes that a library call handles.
	Gas int64 `json:"gas,omitempty"`
	// Memory is the number of bytes that a run may allocate, garbage included.
	Memory int64 `json:"memory,omitempty"`
	// Depth is how deep calls may nest.
	Depth int `json:"depth,omitempty"`
	// String is the length in bytes of the longest string that a run may build.
	String int `json:"string,omitempty"`
	// Nesting is how deep a result may nest.
	Nesting int `json:"nesting,omitempty"`
	// Source is the size in bytes of the largest source that is compiled.
	Source int `json:"source,omitempty"`
}

// DefaultLimits are about ninety times what the costliest known script needs,
// and end the worst attack known within milliseconds; see RATIONALE.md.
var DefaultLimits = Limits{
	Gas:     200_000,
	Memory:  8 << 20,
	Depth:   100,
	String:  1 << 20,
	Nesting: 64,
	Source:  64 << 10,
}

// Or fills the fields that l leaves zero from d.
func (l Limits) Or(d Limits) Limits {
	if l.Gas == 0 {
		l.Gas = d.Gas
	}
	if l.Memory == 0 {
		l.Memory = d.Memory
	}
	if l.Depth == 0 {
		l.Depth = d.Depth
	}
	if l.String == 0 {
		l.String = d.String
	}
	if l.Nesting == 0 {
		l.Nesting = d.Nesting
	}
	if l.Source == 0 {
		l.Source = d.Source
	}
	return l
}

// AtMost lowers the fields of l to those of m; a zero field of m lowers nothing.
func (l Limits) AtMost(m Limits) Limits {
	l.Gas = lower(l.Gas, m.Gas)
	l.Memory = lower(l.Memory, m.Memory)
	l.Depth = lower(l.Depth, m.Depth)
	l.String = lower(l.String, m.String)
	l.Nesting = lower(l.Nesting, m.Nesting)
	l.Source = lower(l.Source, m.Source)
	return l
}

func lower[T int | int64](value, bound T) T {
	if bound > 0 && bound < value {
		return bound
	}
	return value
}

// Usage is what one run cost. The gas of a program and its arguments is the
// same on every machine and in every run.
type Usage struct {
	Gas    int64 `json:"gas"`
	Memory int64 `json:"memory"`
}
