// SPDX-License-Identifier: Apache-2.0

// Package price calls everything that scripts can call, and reads everything that they
// can answer, with arguments made to be long to work on: texts of a megabyte, lists of a
// hundred thousand items, deep and wide maps, numbers at the ends of their range, texts
// that collide. What there is to call is read from the tables of the engine, so that
// nothing new is left out. It measures what the calls take and what they are charged.
package price

import (
	"fmt"
	"runtime"
	"time"

	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack/measure"
)

// Subject is what is called or read, such as Lua string.rep, or CEL size size_string. Its
// trials are made when they are asked for, and kept by nobody: those of all subjects together
// take many times the memory of the machine.
type Subject struct {
	Name string
	// function is the subject without its overload: what must have a price.
	function string
	trials   func(s *Subject) ([]Trial, error)
}

// Trials compiles the trials of the subject. There are none where no expression can call it.
func (s *Subject) Trials() ([]Trial, error) {
	all, err := s.trials(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return all, nil
}

// Trial is one subject with arguments of a kind.
type Trial struct {
	*Subject
	// Arguments describe what with.
	Arguments string
	// prepare makes the arguments, which nobody keeps, and returns what calls the subject
	// with them.
	prepare func() runner
	// large reports whether the arguments are so large that reading them must cost.
	large bool
	// litters reports whether prepare leaves much garbage.
	litters bool
}

// runner calls a subject n times within limits.
type runner func(n int64, limits script.Limits) (script.Usage, error)

// Outcome is what a trial took.
type Outcome struct {
	Trial
	// Once is what one call was charged.
	Once script.Usage
	// Used is what calls without end were charged until a limit, and CPU what they
	// took, in all Runs. Taken is what the first of these runs took from the
	// heap, garbage included.
	Used  script.Usage
	CPU   time.Duration
	Runs  int
	Taken uint64
	Err   error
}

// unitMemory is how many bytes of memory weigh as much as a unit of gas: a run that has
// used up either ends.
const unitMemory = (8 << 20) / 200_000

// Units are what the calls were charged, in units of gas.
func (o Outcome) Units() int64 { return max(o.Used.Gas, o.Used.Memory/unitMemory, 1) }

// perRun is what a run may take whatever it is charged: to begin and to end, and to make an
// error with its trace. Beside the 100 ms that a run may take it is nothing, but it is most
// of the time of one that ends at once.
const perRun = 20 * time.Microsecond

// Each is the time for one unit.
func (o Outcome) Each() time.Duration {
	return max(o.CPU-time.Duration(o.Runs)*perRun, 0) / time.Duration(o.Units())
}

// enough is how long a trial is repeated for a figure.
const enough = time.Millisecond

// Measure runs a trial, again and again until its time is a figure if it is to repeat.
// Nothing else may run in the process meanwhile for its figures to be right; its errors and
// what it is charged are right in any case.
func (t Trial) Measure(limits script.Limits, repeat bool) Outcome {
	o := Outcome{Trial: t}
	run := t.prepare()
	if repeat && t.litters {
		// What is left of the trial before is collected now, not in the time of this one.
		runtime.GC()
	}
	before, err := run(0, limits)
	if err != nil {
		o.Err = err
		return o
	}
	o.Once, o.Err = run(1, limits)
	o.Once.Gas, o.Once.Memory = o.Once.Gas-before.Gas, o.Once.Memory-before.Memory
	taken := heap()
	err = o.add(run, limits, 1)
	o.Taken = heap() - taken
	for times := 2; repeat && o.CPU < enough; times *= 2 {
		err = o.add(run, limits, times)
	}
	if err != nil {
		o.Err = err
	}
	return o
}

// add adds runs to what the trial took. A short one takes little longer than to read the
// time does.
func (o *Outcome) add(run runner, limits script.Limits, times int) (err error) {
	began := measure.CPU()
	for range times {
		var used script.Usage
		used, err = run(many, limits)
		o.Used.Gas, o.Used.Memory = o.Used.Gas+used.Gas, o.Used.Memory+used.Memory
	}
	o.CPU += measure.CPU() - began
	o.Runs += times
	return err
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
