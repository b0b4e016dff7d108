// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dragoman-io/dragoman/engine/script"
)

// FileCoverage is which lines of a script ran.
type FileCoverage struct {
	File string `json:"file"`
	// Lines is how many lines can run.
	Lines int `json:"lines"`
	// Missed are the lines that can run and did not, ascending.
	Missed []int `json:"missed"`

	// all are the lines that can run, ascending, and hits how often each did.
	all  []int
	hits map[int]int64
}

// Percent returns the share of the lines that ran, from 0 to 100.
func (f FileCoverage) Percent() float64 {
	return 100 * float64(f.Lines-len(f.Missed)) / float64(max(f.Lines, 1))
}

// Total returns the coverage of all files together; its File is "total".
func (r *Report) Total() FileCoverage {
	all := FileCoverage{File: "total"}
	for _, f := range r.Coverage {
		all.Lines += f.Lines
		all.Missed = append(all.Missed, f.Missed...)
	}
	return all
}

// cover records the lines that ran so far: those of bundles, then those of customizations
// as lines of their files.
func (r *Report) cover(p *Plan) {
	r.Coverage = []FileCoverage{}
	for _, file := range p.loader.Coverage.Files() {
		lines, missed := p.loader.Coverage.Lines(file)
		r.Coverage = append(r.Coverage, FileCoverage{File: file, Lines: lines, Missed: append([]int{}, missed...), all: p.loader.Coverage.All(file), hits: p.loader.Coverage.Hits(file)})
	}
	for _, g := range p.Groups {
		r.Coverage = append(r.Coverage, g.set.cover()...)
	}
}

// cover returns the lines of the files that ran. Of the lines that YAML folds into one, the
// first counts.
func (s *customizationSet) cover() []FileCoverage {
	if s == nil {
		return nil
	}
	lines := map[string]map[int]int64{}
	for _, one := range s.scripts {
		file := one.text.File
		if lines[file] == nil {
			lines[file] = map[int]int64{}
		}
		for _, l := range one.lines() {
			lines[file][l.line] = max(lines[file][l.line], l.hits)
		}
	}
	var all []FileCoverage
	for _, file := range slices.Sorted(maps.Keys(lines)) {
		f := FileCoverage{File: file, Lines: len(lines[file]), Missed: []int{}, hits: lines[file]}
		f.all = slices.Sorted(maps.Keys(lines[file]))
		for _, line := range f.all {
			if lines[file][line] == 0 {
				f.Missed = append(f.Missed, line)
			}
		}
		all = append(all, f)
	}
	return all
}

// ranLine is a line of a file that can run, and how often it did.
type ranLine struct {
	line int
	hits int64
}

// lines returns the lines of the file that the script can run.
func (s *customizedScript) lines() []ranLine {
	var all []ranLine
	for _, file := range s.coverage.Files() {
		hits := s.coverage.Hits(file)
		for _, line := range s.coverage.All(file) {
			at := s.text.Place(script.Position{Line: line})
			all = append(all, ranLine{at.Line, hits[line]})
		}
	}
	return all
}

// coverage prints the coverage if it was asked for.
func (p Printer) coverage(r *Report) {
	if r.Coverage == nil {
		return
	}
	table := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FILE\tLINES\tRAN\tMISSED")
	for _, f := range r.Coverage {
		fmt.Fprintf(table, "%s\t%d\t%.1f %%\t%s\n", f.File, f.Lines, f.Percent(), ranges(f.Missed))
	}
	all := r.Total()
	fmt.Fprintf(table, "%s\t%d\t%.1f %%\t%d\n", all.File, all.Lines, all.Percent(), len(all.Missed))
	_ = table.Flush()
}

// ranges writes sorted lines with those that follow each other joined: 3-5, 9.
func ranges(lines []int) string {
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
