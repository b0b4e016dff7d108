// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// objectTitle returns kind and name of the object of a binding, as in Deployment shop/web.
func objectTitle(b workv1alpha2.Binding) string {
	r := &b.GetSpec().Resource
	if r.Namespace == "" {
		return r.Kind + " " + r.Name
	}
	return fmt.Sprintf("%s %s/%s", r.Kind, r.Namespace, r.Name)
}

// failoverHistory is the result of the command.
type failoverHistory struct {
	// Object is kind and name of the object.
	Object string `json:"object"`
	// Failovers are the newest first.
	Failovers []failoverReport `json:"failovers"`
}

// failoverReport is one failover.
type failoverReport struct {
	Record binding.Record `json:"record"`
	// Seconds is how long each phase took that is known.
	Seconds map[binding.Phase]float64 `json:"seconds"`
	// Running is what a failover that has not ended waits for.
	Running string `json:"running,omitempty"`
}

func reportHistory(b workv1alpha2.Binding, records []binding.Record) failoverHistory {
	h := failoverHistory{Object: objectTitle(b), Failovers: []failoverReport{}}
	for _, r := range records {
		f := failoverReport{Record: r, Seconds: map[binding.Phase]float64{}}
		for _, phase := range binding.Phases() {
			if took, known := r.Duration(phase); known {
				f.Seconds[phase] = took.Seconds()
			}
		}
		if r.IsOpen() {
			f.Running = r.Running()
		}
		h.Failovers = append(h.Failovers, f)
	}
	return h
}

// text returns the history for people.
func (h failoverHistory) text() string {
	var out strings.Builder
	switch n := len(h.Failovers); n {
	case 0:
		return fmt.Sprintf("%s: no failover is on record\n", h.Object)
	case 1:
		fmt.Fprintf(&out, "%s: 1 failover\n", h.Object)
	default:
		fmt.Fprintf(&out, "%s: %d failovers, the newest first\n", h.Object, n)
	}
	for i := range h.Failovers {
		if f := &h.Failovers[i]; f.Running != "" {
			fmt.Fprintf(&out, "  the failover from %s %s\n", f.Record.From, f.Running)
		}
	}
	out.WriteString("\n")
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	columns := []string{"EVICTED", "FROM", "TO", "REASON", "PURGE", "OUTCOME"}
	for _, phase := range binding.Phases() {
		columns = append(columns, strings.ToUpper(string(phase)))
	}
	_, _ = fmt.Fprintln(table, strings.Join(append(columns, "STATE"), "\t"))
	for i := range h.Failovers {
		_, _ = fmt.Fprintln(table, strings.Join(historyRow(&h.Failovers[i].Record), "\t"))
	}
	_ = table.Flush()
	return out.String()
}

// historyRow returns the cells of a failover.
func historyRow(r *binding.Record) []string {
	outcome := string(r.Outcome)
	if r.IsOpen() {
		outcome = "Running"
	}
	row := []string{timeText(r.Evicted), r.From, strings.Join(r.To, ","), r.Reason, string(r.PurgeMode), outcome}
	for _, phase := range binding.Phases() {
		text := ""
		if took, known := r.Duration(phase); known {
			text = durationText(took)
		}
		row = append(row, text)
	}
	row = append(row, stateText(r))
	for i := range row {
		if row[i] == "" {
			row[i] = "-"
		}
	}
	return row
}

// stateText returns the state of a failover, with its time where that is before the
// eviction.
func stateText(r *binding.Record) string {
	if r.State == nil {
		return ""
	}
	parts := append(sortedPairs(r.State.Labels), sortedPairs(r.State.Values)...)
	text := strings.Join(parts, ", ")
	if r.State.Omitted > 0 {
		text = strings.TrimPrefix(fmt.Sprintf("%s and %d more", text, r.State.Omitted), " and ")
	}
	if r.State.Time != nil && r.Evicted != nil && r.Evicted.Sub(r.State.Time.Time) >= time.Second {
		text += " (of " + timeText(r.State.Time) + ")"
	}
	return text
}

// sortedPairs returns key=value of each entry, sorted by key.
func sortedPairs(of map[string]string) []string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(of)) {
		all = append(all, key+"="+of[key])
	}
	return all
}

func timeText(t *metav1.MicroTime) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// durationText returns a duration for people: milliseconds below ten seconds.
func durationText(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
