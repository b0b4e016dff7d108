// SPDX-License-Identifier: Apache-2.0

// Command table runs all attacks and prints what each took: processor time and memory of
// its compilation and of its run, its gas, and how it ended. It fails if one is beyond
// its bounds, or does not end as it must.
//
//	go run ./test/attack/table -run 'quantity|needle' -top 30
//
// The attacks run one after the other in processes of 1 GiB with one processor. A
// process that takes more than five seconds for an attack is ended, and the attack counts
// as hung; one that dies is what the attack did.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
)

func main() {
	child := flag.Bool("child", false, "run the attacks that stdin names; for the program itself")
	pattern := flag.String("run", "", "only attacks whose name matches this expression")
	top := flag.Int("top", 0, "print the costliest alone, as many as this; 0 is all")
	flag.Parse()
	var err error
	if *child {
		err = serve(os.Stdin, os.Stdout)
	} else {
		err = run(*pattern, *top)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(pattern string, top int) error {
	only, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	rows, err := measured(only)
	if err != nil {
		return err
	}
	return show(os.Stdout, rows, top)
}
