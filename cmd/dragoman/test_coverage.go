// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/dragoman-io/dragoman/engine/script"
)

// fileCoverage reports which lines of a script ran.
type fileCoverage struct {
	File string `json:"file"`
	// Lines is how many lines can run.
	Lines  int   `json:"lines"`
	Missed []int `json:"missed"`
}

// cover takes up which lines ran so far.
func (r *report) cover(c *script.Coverage) {
	r.Coverage = []fileCoverage{}
	for _, file := range c.Files() {
		lines, missed := c.Lines(file)
		if missed == nil {
			missed = []int{}
		}
		r.Coverage = append(r.Coverage, fileCoverage{File: file, Lines: lines, Missed: missed})
	}
}

// total adds up the files.
func (r *report) total() fileCoverage {
	all := fileCoverage{File: "total"}
	for _, f := range r.Coverage {
		all.Lines += f.Lines
		all.Missed = append(all.Missed, f.Missed...)
	}
	return all
}

// percent is the share of the lines that ran.
func (f fileCoverage) percent() float64 {
	return 100 * float64(f.Lines-len(f.Missed)) / float64(max(f.Lines, 1))
}

func (r *report) writeCoverage(w io.Writer) {
	if r.Coverage == nil {
		return
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FILE\tLINES\tRAN\tMISSED")
	for _, f := range r.Coverage {
		fmt.Fprintf(table, "%s\t%d\t%.1f %%\t%s\n", f.File, f.Lines, f.percent(), runs(f.Missed))
	}
	all := r.total()
	fmt.Fprintf(table, "%s\t%d\t%.1f %%\t%d\n", all.File, all.Lines, all.percent(), len(all.Missed))
	_ = table.Flush()
}

// runs writes sorted lines with those that follow each other joined: 3-5, 9.
func runs(lines []int) string {
	var parts []string
	for i := 0; i < len(lines); {
		first := lines[i]
		last := first
		for i++; i < len(lines) && lines[i] == last+1; i++ {
			last++
		}
		if first == last {
			parts = append(parts, fmt.Sprint(first))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", first, last))
		}
	}
	return strings.Join(parts, ", ")
}

// shortOf is the error of a run whose cases ran less than a share of the lines, in
// percent.
func (r *report) shortOf(least float64) error {
	all := r.total()
	switch {
	case least <= 0:
		return nil
	case all.Lines == 0:
		return &exitError{exitNothing, "nothing to cover: no case was run with a bundle of which scripts have lines"}
	case all.percent() < least:
		return &exitError{exitFound, fmt.Sprintf("the cases ran %.1f %% of the lines of scripts; want at least %.1f %%", all.percent(), least)}
	}
	return nil
}
