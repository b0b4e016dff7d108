// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	o := options{}
	flag.IntVar(&o.programs, "programs", 5000, "how many programs to compare")
	flag.Uint64Var(&o.seed, "seed", 1, "where the generator starts")
	flag.StringVar(&o.lua, "lua", "lua5.1", "the reference: Lua 5.1.5")
	flag.IntVar(&o.record, "record", 0, "write as many programs with their output to "+recordedFile+" and end")
	flag.BoolVar(&o.verbose, "v", false, "print each difference, not only those without a group")
	flag.Parse()
	if err := o.run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	programs, record int
	seed             uint64
	lua              string
	verbose          bool
}

func (o options) run(out io.Writer) error {
	n := o.programs
	if o.record > 0 {
		n = o.record
	}
	programs := generate(o.seed, n)
	theirs, err := reference(o.lua, programs)
	if err != nil {
		return err
	}
	if o.record > 0 {
		return record(programs, theirs)
	}
	ours, err := engineOutput(programs)
	if err != nil {
		return err
	}
	r := report{verbose: o.verbose, counts: map[string]int{}}
	for i, p := range programs {
		r.compare(p, theirs[i], ours[i])
	}
	r.print(out)
	if r.unknown > 0 {
		return errors.New("there are differences in no group: mend them, or give them a group with a reason in groups.go")
	}
	return nil
}
