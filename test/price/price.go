// SPDX-License-Identifier: Apache-2.0

// Package price calls everything that scripts can call, and reads everything that they
// can answer, with arguments made to be long to work on: texts of a megabyte, lists of a
// hundred thousand items, deep and wide maps, numbers at the ends of their range, texts
// that collide. What there is to call is read from the tables of the engine, so that
// nothing new is left out. It measures what the calls take and what they are charged.
package price

import (
	"runtime"
	"time"

	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack/measure"
)

// Trial is one subject with arguments of a kind.
type Trial struct {
	// Subject is what is called or read, such as Lua string.rep, or CEL size size_string.
	// Function is the subject without its overload: what must have a price.
	Subject, Function string
	// Arguments describe what with.
	Arguments string
	// run calls the subject n times within limits.
	run func(n int64, limits script.Limits) (script.Usage, error)
	// large reports whether the arguments are so large that reading them must cost.
	large bool
}

// Outcome is what a trial took.
type Outcome struct {
	Trial
	// Once is what one call was charged.
	Once script.Usage
	// Used is what calls without end were charged until a limit, and CPU what they
	// took, in all repetitions. Taken is the most that one of these runs took from the
	// heap, garbage included.
	Used  script.Usage
	CPU   time.Duration
	Taken uint64
	Err   error
}

// unitMemory is how many bytes of memory weigh as much as a unit of gas: a run that has
// used up either ends.
const unitMemory = (8 << 20) / 200_000

// Units are what the calls were charged, in units of gas.
func (o Outcome) Units() int64 { return max(o.Used.Gas, o.Used.Memory/unitMemory, 1) }

// Each is the time for one unit.
func (o Outcome) Each() time.Duration { return o.CPU / time.Duration(o.Units()) }

// enough is how long a trial is repeated for a figure.
const enough = time.Millisecond

// Measure runs a trial. Nothing else may run in the process meanwhile for its figures to
// be right; its errors and what it is charged are right in any case.
func (t Trial) Measure(limits script.Limits, repeat bool) Outcome {
	o := Outcome{Trial: t}
	before, err := t.run(0, limits)
	if err != nil {
		o.Err = err
		return o
	}
	o.Once, o.Err = t.run(1, limits)
	o.Once.Gas, o.Once.Memory = o.Once.Gas-before.Gas, o.Once.Memory-before.Memory
	for first := true; first || repeat && o.CPU < enough; first = false {
		var used script.Usage
		taken, began := heap(), measure.CPU()
		used, err = t.run(many, limits)
		o.CPU += measure.CPU() - began
		o.Taken = max(o.Taken, heap()-taken)
		o.Used.Gas, o.Used.Memory = o.Used.Gas+used.Gas, o.Used.Memory+used.Memory
	}
	if err != nil {
		o.Err = err
	}
	return o
}

// many is more calls than any run may make.
const many = 40_000

// heap returns how many bytes were taken from the heap so far.
func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// Collector is a script.Decoder that looks at no result.
type Collector struct{}

// Decode does nothing.
func (Collector) Decode([]any, script.Meter) error { return nil }
