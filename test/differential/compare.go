// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
)

// difference is a statement whose output differs.
type difference struct {
	statement    string
	theirs, ours string
}

// group is a kind of difference that is known.
type group struct {
	name, reason string
	// right is who follows the manual of Lua 5.1: us, them, both or nobody where it
	// does not say.
	right string
	match func(d difference) bool
}

// report collects the differences of programs.
type report struct {
	verbose bool
	lines   int
	counts  map[string]int
	unknown int
	shown   []difference
}

// compare compares the output of one program.
func (r *report) compare(p program, theirs, ours []string) {
	for i, statement := range p {
		r.lines++
		d := difference{statement: statement, theirs: line(theirs, i), ours: line(ours, i)}
		if d.theirs == d.ours {
			continue
		}
		name := groupOf(d)
		if name == "" {
			r.unknown++
		}
		r.counts[name]++
		if name == "" || r.verbose {
			r.shown = append(r.shown, d)
		}
	}
}

// line returns line i, or a note where there is none.
func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(no line)"
}

// groupOf returns the name of the first group that a difference is in, or "".
func groupOf(d difference) string {
	for _, g := range groups {
		if g.match(d) {
			return g.name
		}
	}
	return ""
}

// print writes the differences without a group and the table of groups.
func (r *report) print(out io.Writer) {
	for _, d := range r.shown {
		fmt.Fprintf(out, "%s\n\tlua5.1 %s\n\tengine %s\n", d.statement, d.theirs, d.ours)
	}
	total := 0
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, g := range groups {
		fmt.Fprintf(w, "%s\t%d\tright: %s\t%s\n", g.name, r.counts[g.name], g.right, g.reason)
		total += r.counts[g.name]
	}
	fmt.Fprintf(w, "in no group\t%d\t\t\n", r.unknown)
	w.Flush()
	fmt.Fprintf(out, "%d statements, %d differ\n", r.lines, total+r.unknown)
}

// digits returns a number with 12 digits, so that two that differ behind them are equal.
func digits(s string) string {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	return strconv.FormatFloat(f, 'e', 11, 64)
}
