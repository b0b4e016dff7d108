// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"

	"github.com/google/pprof/profile"
	"github.com/rogpeppe/go-internal/testscript"
)

// samples prints the samples of a profile, a line each with the innermost call first: samples FILE.
// It reads it as go tool pprof does, which would have to be built first.
func samples(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: samples FILE")
	}
	f, err := os.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer func() { _ = f.Close() }()
	p, err := profile.Parse(f)
	ts.Check(err)
	ts.Check(p.CheckValid())
	for _, s := range p.Sample {
		_, _ = fmt.Fprint(ts.Stdout(), s.Value[0], " ", p.SampleType[0].Type)
		for _, l := range s.Location {
			_, _ = fmt.Fprintf(ts.Stdout(), " | %s:%d", l.Line[0].Function.Name, l.Line[0].Line)
		}
		_, _ = fmt.Fprintln(ts.Stdout())
	}
}
