// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/google/pprof/profile"

	"github.com/dragoman-io/dragoman/engine/script"
)

// GasProfile is the gas of one run, by the lines of the scripts.
type GasProfile struct {
	// Gas is that of the run, Other what no line of a script took: what comes before and after it.
	Gas   int64         `json:"gas"`
	Other int64         `json:"other"`
	Lines []ProfileLine `json:"lines"`
}

// ProfileLine is what a line took, without the functions of scripts that it called.
type ProfileLine struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Gas  int64  `json:"gas"`
	// Share is that of the gas of the run, in percent.
	Share float64 `json:"share"`
	// Times is how often the line ran.
	Times  int64  `json:"times"`
	Source string `json:"source"`
}

// ProfileOf returns the gas that was recorded, sorted by file and line.
func ProfileOf(r *script.Recording) GasProfile {
	lines, other := r.Lines()
	p := GasProfile{Gas: other, Other: other, Lines: []ProfileLine{}}
	for _, l := range lines {
		p.Gas += l.Gas
	}
	for _, l := range lines {
		if last := len(p.Lines) - 1; last < 0 || p.Lines[last].File != l.File || p.Lines[last].Line != l.Line {
			p.Lines = append(p.Lines, ProfileLine{File: l.File, Line: l.Line, Source: strings.TrimSpace(l.Source)})
		}
		line := &p.Lines[len(p.Lines)-1]
		line.Gas += l.Gas
		line.Times += l.Times
		line.Share = p.share(line.Gas)
	}
	return p
}

// share returns how much of the gas of the run an amount is, in percent.
func (p GasProfile) share(gas int64) float64 {
	return math.Round(1000*float64(gas)/float64(max(p.Gas, 1))) / 10
}

// SortByGas puts the lines that took most first.
func (p *GasProfile) SortByGas() {
	slices.SortStableFunc(p.Lines, func(a, b ProfileLine) int { return cmp.Compare(b.Gas, a.Gas) })
}

// WriteText writes what each line took, for people. The error is that of w.
func (p GasProfile) WriteText(w io.Writer) error {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "GAS\tSHARE\tTIMES\tLINE\tSOURCE")
	for _, l := range p.Lines {
		fmt.Fprintf(table, "%d\t%.1f %%\t%d\t%s:%d\t%s\n", l.Gas, l.Share, l.Times, l.File, l.Line, cut(l.Source))
	}
	fmt.Fprintf(table, "%d\t%.1f %%\t\t(%s)\n", p.Other, p.share(p.Other), otherName)
	_ = table.Flush() // a Builder takes all
	fmt.Fprintf(&b, "%d gas\n", p.Gas)
	_, err := io.WriteString(w, b.String())
	return err
}

// otherName stands for what no line took.
const otherName = "arguments and result"

// Pprof collects gas in the form of pprof: a sample for each way of calls to a line. The zero value
// is empty.
type Pprof struct {
	functions map[[2]string]*profile.Function
	locations map[*script.RecordedLine]*profile.Location
	of        profile.Profile
}

// Add adds the gas that was recorded.
func (p *Pprof) Add(r *script.Recording) {
	if p.functions == nil {
		p.functions, p.locations = map[[2]string]*profile.Function{}, map[*script.RecordedLine]*profile.Location{}
		p.of.SampleType = []*profile.ValueType{{Type: "gas", Unit: "count"}}
		p.of.PeriodType, p.of.Period = p.of.SampleType[0], 1
	}
	for _, n := range r.Nodes() {
		var stack []*profile.Location
		for at := n; at != nil; at = at.Parent() {
			stack = append(stack, p.location(r, at.Line))
		}
		p.sample(stack, n.Gas)
	}
	if gas := r.Root().Gas; gas > 0 {
		none := p.location(r, r.Line("", otherName, 0))
		p.sample([]*profile.Location{none}, gas)
	}
}

func (p *Pprof) sample(stack []*profile.Location, gas int64) {
	if gas > 0 {
		p.of.Sample = append(p.of.Sample, &profile.Sample{Location: stack, Value: []int64{gas}})
	}
}

// location returns that of a line.
func (p *Pprof) location(r *script.Recording, line *script.RecordedLine) *profile.Location {
	if found := p.locations[line]; found != nil {
		return found
	}
	at := r.Placed(line)
	made := &profile.Location{
		ID:   uint64(len(p.of.Location) + 1),
		Line: []profile.Line{{Function: p.function(at.File, line.Function), Line: int64(at.Line)}},
	}
	p.locations[line] = made
	p.of.Location = append(p.of.Location, made)
	return made
}

// function returns that of a name in a file. Files have functions of the same name, so that the
// name in the profile is that of both.
func (p *Pprof) function(file, name string) *profile.Function {
	key := [2]string{file, name}
	if found := p.functions[key]; found != nil {
		return found
	}
	title := name
	if file != "" {
		title = file + " " + name
	}
	made := &profile.Function{ID: uint64(len(p.of.Function) + 1), Name: title, SystemName: title, Filename: file}
	p.functions[key] = made
	p.of.Function = append(p.of.Function, made)
	return made
}

// Empty reports whether nothing was collected.
func (p *Pprof) Empty() bool { return len(p.of.Sample) == 0 }

// Write writes what was collected. The error is that of w.
func (p *Pprof) Write(w io.Writer) error { return p.of.Write(w) }
