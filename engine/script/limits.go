// SPDX-License-Identifier: Apache-2.0

package script

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
	// Items is the number of status items that AggregateStatus takes. Each adds to
	// Gas and Memory; see WithItems.
	Items int `json:"items,omitempty"`
}

// DefaultLimits returns the limits of a run that sets none. They are about ninety
// times what the costliest known script needs, and end the worst attack known within
// milliseconds; see RATIONALE.md.
func DefaultLimits() Limits {
	return Limits{
		Gas:     200_000,
		Memory:  8 << 20,
		Depth:   100,
		String:  1 << 20,
		Nesting: 64,
		Source:  64 << 10,
		Items:   5_000,
	}
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
	if l.Items == 0 {
		l.Items = d.Items
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
	l.Items = lower(l.Items, m.Items)
	return l
}

// WithItems returns the limits of a run over n status items: each adds a 200th of Gas and
// a 1536th of Memory, which by default is 1,000 steps and 5.3 KiB. So the work for one
// cluster is bounded, and not the number of clusters.
func (l Limits) WithItems(n int) Limits {
	l.Gas += int64(n) * (l.Gas / 200)
	l.Memory += int64(n) * (l.Memory / 1536)
	return l
}

func lower[T int | int64](value, bound T) T {
	if bound > 0 && bound < value {
		return bound
	}
	return value
}
