// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// modes are the purge modes, in the order of the report.
var modes = []string{directly, gradually}

// summary is what a run showed.
type summary struct {
	// moves, ended and undisturbed are failovers by mode. Those of copies that had not reported
	// anything yet, since their member was stopped, are early.
	moves, ended, undisturbed, early map[string]int
	problems                         map[string][]string
	// afterToleration is from the end of the toleration to the new object, afterOld from the
	// end of the old object.
	afterToleration, afterOld times
	faults                    map[string]int
}

// times are durations by mode: those without a fault meanwhile or shortly before, and the
// others.
type times struct{ calm, disturbed map[string][]time.Duration }

func newTimes() times {
	return times{calm: map[string][]time.Duration{}, disturbed: map[string][]time.Duration{}}
}

func (t times) add(mode string, d time.Duration, disturbed bool) {
	of := t.calm
	if disturbed {
		of = t.disturbed
	}
	of[mode] = append(of[mode], d)
}

// summarize returns what was seen.
func (l *ledger) summarize() summary {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := summary{
		moves: map[string]int{}, ended: map[string]int{}, undisturbed: map[string]int{}, early: map[string]int{},
		problems: maps.Clone(l.problems), faults: map[string]int{}, afterToleration: newTimes(), afterOld: newTimes(),
	}
	for _, o := range l.outages {
		r.faults[o.what]++
	}
	for _, m := range l.moves {
		switch {
		case m.broke.IsZero():
			r.early[m.mode]++
			continue
		case m.to == nil:
			r.moves[m.mode]++
			continue
		}
		r.moves[m.mode]++
		r.ended[m.mode]++
		disturbed := l.disturbed(m.broke, m.to.created.time)
		if !disturbed {
			r.undisturbed[m.mode]++
		}
		r.afterToleration.add(m.mode, m.to.created.time.Sub(m.broke.Add(toleration*time.Second)), disturbed)
		if m.mode == directly && !m.from.isThere() {
			r.afterOld.add(m.mode, m.to.created.time.Sub(m.from.gone.time), disturbed)
		}
	}
	return r
}

// violations returns how many things went wrong.
func (r *summary) violations() int {
	n := 0
	for _, all := range r.problems {
		n += len(all)
	}
	return n
}

// circumstances are what a run showed beside that.
type circumstances struct {
	seed    uint64
	took    time.Duration
	leaders int32
	// ends is how many managers ended by themselves.
	ends int
}

// print writes one table with all figures, and what went wrong.
func (r *summary) print(out io.Writer, run circumstances) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(what string, cells ...string) { fmt.Fprintf(w, "%s\t%s\n", what, strings.Join(cells, "\t")) }
	counts := func(of map[string]int) []string {
		return []string{fmt.Sprint(of[directly]), fmt.Sprint(of[gradually])}
	}
	row(fmt.Sprintf("seed %d, %s", run.seed, run.took.Round(time.Second)), "Directly", "Gracefully", "aim")
	row("failovers", counts(r.moves)...)
	row("  with a new copy", append(counts(r.ended), "all")...)
	row("  undisturbed", counts(r.undisturbed)...)
	row("moved before they reported anything", counts(r.early)...)
	for _, t := range []struct {
		what, aim string
		times     times
	}{{"end of the toleration to new object", "", r.afterToleration}, {"old object gone to new object", "p99 below 300ms", r.afterOld}} {
		row(t.what+", undisturbed", append(percentiles(t.times.calm), t.aim)...)
		row(t.what+", disturbed", percentiles(t.times.disturbed)...)
	}
	for _, sort := range sorts {
		row(sort, fmt.Sprint(len(r.problems[sort])), "", "0")
	}
	faults := 0
	for _, n := range r.faults {
		faults += n
	}
	row("faults", fmt.Sprint(faults))
	for _, what := range slices.Sorted(maps.Keys(r.faults)) {
		row("  "+what, fmt.Sprint(r.faults[what]))
	}
	row("leads that changed", fmt.Sprint(run.leaders))
	row("managers that ended by themselves", fmt.Sprint(run.ends))
	_ = w.Flush()
	for _, sort := range sorts {
		if all := r.problems[sort]; len(all) > 0 {
			fmt.Fprintf(out, "%s:\n  %s\n", sort, strings.Join(all, "\n  "))
		}
	}
}

// percentiles returns a cell with the median and the 99th percentile of the durations of each
// mode.
func percentiles(of map[string][]time.Duration) []string {
	var cells []string
	for _, mode := range modes {
		all := slices.Sorted(slices.Values(of[mode]))
		if len(all) == 0 {
			cells = append(cells, "-")
			continue
		}
		at := func(p int) time.Duration { return all[min(len(all)-1, len(all)*p/100)].Round(time.Millisecond) }
		cells = append(cells, fmt.Sprintf("p50 %s, p99 %s (%d)", at(50), at(99), len(all)))
	}
	return cells
}
