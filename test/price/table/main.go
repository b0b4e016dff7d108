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
	all, err := o.trials()
	if err != nil {
		return err
	}
	worst := map[string]price.Outcome{}
	for _, t := range all {
		if !o.only.MatchString(t.Subject) {
			continue
		}
		late := time.AfterFunc(patience, func() {
			fmt.Fprintf(os.Stderr, "error: %s of %s did not end in %v\n", t.Subject, t.Arguments, patience)
			os.Exit(1)
		})
		out := t.Measure(script.Limits{Gas: 100_000}, true)
		late.Stop()
		if known, ok := worst[t.Subject]; !ok || out.Each() > known.Each() {
			worst[t.Subject] = o.again(t, out)
		}
	}
	return show(os.Stdout, worst, o.top)
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

func (o options) trials() ([]price.Trial, error) {
	c, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	lua, err := price.Lua(c, o.seed, o.each)
	if err != nil {
		return nil, err
	}
	cel, _, err := price.CEL(c, o.seed, o.each)
	if err != nil {
		return nil, err
	}
	answers, err := price.Answers(c)
	return append(append(lua, cel...), answers...), err
}
