// SPDX-License-Identifier: Apache-2.0

// Command table measures what a unit of gas is worth in time: for each function, operator
// and macro of Lua and of CEL, and each field of each answer, the most that it was with
// any arguments. It fails if a unit takes longer than half a microsecond anywhere.
//
//	go run ./test/price/table -run 'Lua string' -each 100
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"time"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/price"
)

// mostUnit is the longest that a unit of gas may take: a run of all of them ends within
// 100 ms.
const mostUnit = 500 * time.Nanosecond

func main() {
	o := options{}
	flag.IntVar(&o.each, "each", 20, "trials of each function with arguments at random")
	flag.IntVar(&o.top, "top", 0, "print the costliest alone, as many as this; 0 is all")
	flag.Uint64Var(&o.seed, "seed", 1, "the seed by which arguments are chosen")
	pattern := flag.String("run", "", "only subjects that match this expression")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*pattern); err == nil {
		err = o.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	each, top int
	seed      uint64
	only      *regexp.Regexp
}

func (o options) run() error {
	runtime.GOMAXPROCS(1)
	all, err := o.subjects()
	if err != nil {
		return err
	}
	worst := map[string]price.Outcome{}
	for _, subject := range all {
		if !o.only.MatchString(subject.Name) {
			continue
		}
		// Its arguments are garbage after that, and compiled programs too.
		trials, err := subject.Trials()
		if err != nil {
			return err
		}
		for _, t := range trials {
			if out := o.measure(t); out.Each() >= worst[subject.Name].Each() {
				worst[subject.Name] = out
			}
		}
		if err := bounded(subject.Name); err != nil {
			return err
		}
	}
	return show(os.Stdout, worst, o.top)
}

// mostMemory is how much memory the process may take: some times what the object and the
// arguments of one trial take.
const mostMemory = 2 << 30

// bounded returns an error if the process has taken too much memory after a subject.
func bounded(subject string) error {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.Sys > mostMemory {
		return fmt.Errorf("after %s the process has %d MiB of memory, beyond %d: something keeps what the trials made", subject, m.Sys>>20, mostMemory>>20)
	}
	return nil
}

// measure measures a trial, again where it took too long; one that does not end ends the
// table.
func (o options) measure(t price.Trial) price.Outcome {
	late := time.AfterFunc(patience, func() {
		fmt.Fprintf(os.Stderr, "error: %s of %s did not end in %v\n", t.Name, t.Arguments, patience)
		os.Exit(1)
	})
	out := t.Measure(script.Limits{Gas: 100_000}, true)
	late.Stop()
	return o.again(t, out)
}

// patience is how long one trial may take by the clock.
const patience = 30 * time.Second

// again measures a trial that took too long once more: other work on the machine makes it
// slower, and never quicker.
func (o options) again(t price.Trial, out price.Outcome) price.Outcome {
	for range 3 {
		if out.Each() <= mostUnit || out.CPU > time.Second {
			break
		}
		if next := t.Measure(script.Limits{Gas: 100_000}, true); next.Each() < out.Each() {
			out = next
		}
	}
	return out
}

func (o options) subjects() ([]*price.Subject, error) {
	c, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	lua, err := price.Lua(c, o.seed, o.each)
	if err != nil {
		return nil, err
	}
	cel, err := price.CEL(c, o.seed, o.each)
	if err != nil {
		return nil, err
	}
	answers, err := price.Answers(c)
	return append(append(lua, cel...), answers...), err
}
