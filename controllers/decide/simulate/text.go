// SPDX-License-Identifier: Apache-2.0

package simulate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// sections are the outcomes in the order in which they are shown, with their titles.
var sections = []struct {
	outcome Outcome
	title   string
}{
	{Moves, "move"},
	{WaitsForFence, "wait for a fence, or for the cluster to be back"},
	{Nowhere, "leave and fit nowhere; their copies stay where they are"},
	{Shrinks, "leave and go on with fewer copies"},
	{Stays, "stay"},
}

// Text returns a report for people.
func (r *Report) Text() string {
	var out strings.Builder
	for _, c := range r.Clusters {
		taints := strings.Join(c.Taints, ", ")
		switch {
		case r.Down && taints != "":
			fmt.Fprintf(&out, "cluster %s is down and gets %s\n", c.Name, taints)
		case r.Down:
			fmt.Fprintf(&out, "cluster %s is down and gets no other taint\n", c.Name)
		case taints != "":
			fmt.Fprintf(&out, "cluster %s gets %s\n", c.Name, taints)
		default:
			fmt.Fprintf(&out, "cluster %s has the taint already\n", c.Name)
		}
	}
	fmt.Fprintf(&out, "objects with a copy there: %d", len(r.Moves))
	if left := len(r.Moves) - r.Count(Stays); left > 0 {
		fmt.Fprintf(&out, "; %d leave, the last after %s at %v evictions a second", left, seconds(r.Seconds), r.Rate)
	}
	out.WriteString("\n")
	if r.Stopped != "" {
		fmt.Fprintf(&out, "%s\n", r.Stopped)
	}
	for _, section := range sections {
		if n := r.Count(section.outcome); n > 0 {
			fmt.Fprintf(&out, "\n%d %s\n", n, section.title)
			r.table(&out, section.outcome)
		}
	}
	return out.String()
}

// column is a column of a section.
type column struct {
	title string
	cell  func(*Move) string
}

// columns are those of a section; one that is empty everywhere is left out.
var columns = []column{
	{"OBJECT", func(m *Move) string { return m.Object }},
	{"FROM", func(m *Move) string { return strings.Join(m.From, ", ") }},
	{"TO", func(m *Move) string { return targetsText(m.To) }},
	{"PURGE", func(m *Move) string { return string(m.PurgeMode) }},
	{"AFTER", func(m *Move) string {
		if m.Seconds == nil {
			return ""
		}
		return seconds(*m.Seconds)
	}},
	{"STATE", func(m *Move) string { return stateText(m.State) }},
	{"WITH", func(m *Move) string { return strings.Join(m.Attached, ", ") }},
	{"WHY", func(m *Move) string { return m.Message }},
}

// table writes the moves of one outcome, and why clusters were rejected below it.
func (r *Report) table(out *strings.Builder, o Outcome) {
	var rows []*Move
	for i := range r.Moves {
		if r.Moves[i].Outcome == o {
			rows = append(rows, &r.Moves[i])
		}
	}
	shown := slices.DeleteFunc(slices.Clone(columns), func(c column) bool {
		return !slices.ContainsFunc(rows, func(m *Move) bool { return c.cell(m) != "" })
	})
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(of func(i int) string) {
		cells := make([]string, len(shown))
		for i := range shown {
			if cells[i] = of(i); cells[i] == "" {
				cells[i] = "-"
			}
		}
		_, _ = fmt.Fprintln(table, "  "+strings.Join(cells, "\t"))
	}
	line(func(i int) string { return shown[i].title })
	for _, m := range rows {
		line(func(i int) string { return shown[i].cell(m) })
	}
	_ = table.Flush()
	for _, m := range rows {
		for _, cluster := range slices.Sorted(maps.Keys(m.Rejected)) {
			fmt.Fprintf(out, "  %s: cluster %s %s\n", m.Object, cluster, m.Rejected[cluster])
		}
	}
}

// targetsText returns targets as in member2 (2), member3.
func targetsText(targets []Target) string {
	parts := make([]string, len(targets))
	for i, t := range targets {
		parts[i] = t.Cluster
		if t.Replicas > 0 {
			parts[i] += fmt.Sprintf(" (%d)", t.Replicas)
		}
	}
	return strings.Join(parts, ", ")
}

func stateText(all []Preserved) string {
	var parts []string
	for _, p := range all {
		for _, of := range []map[string]string{p.Labels, p.Values} {
			for _, key := range slices.Sorted(maps.Keys(of)) {
				parts = append(parts, key+"="+of[key])
			}
		}
	}
	return strings.Join(parts, ", ")
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Second / 10).String()
}
