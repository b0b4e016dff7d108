// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// show prints a line for each phase.
func show(to io.Writer, results []result) {
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "phase\tarrived\tp50\tp99\tslowest\tmissing\tan innocent customization\tprocessor\tmanager MiB\tmanager")
	for _, r := range results {
		active, state := "not active", "runs"
		if r.active > 0 {
			active = round(r.active)
		}
		if r.ended {
			state = "ended"
		}
		if r.wrong != nil {
			state += ", wrong"
		}
		fmt.Fprintf(out, "%s\t%d\t%s\t%s\t%s\t%d\t%s\t%s\t%d\t%s\n", r.phase, len(r.times), round(r.at(50)), round(r.at(99)), round(r.at(100)), r.missing, active, round(r.processor), r.memory>>20, state)
	}
	_ = out.Flush()
	for _, r := range results {
		if r.wrong != nil {
			fmt.Fprintf(to, "%s: %v\n", r.phase, r.wrong)
		}
	}
}

// at returns the time within which a share of the templates arrived, in percent.
func (r result) at(percent int) time.Duration {
	if len(r.times) == 0 {
		return 0
	}
	return r.times[max(0, (len(r.times)*percent+99)/100-1)]
}

func round(d time.Duration) string { return d.Round(time.Millisecond).String() }

// judge returns an error if a phase did more to others than it may.
func judge(results []result) error {
	for _, r := range results {
		switch {
		case r.wrong != nil:
			return fmt.Errorf("phase %s: %w", r.phase, r.wrong)
		case r.ended:
			return fmt.Errorf("phase %s: the manager ended", r.phase)
		case r.missing > 0 || r.at(100) > late:
			return fmt.Errorf("phase %s: %d templates did not arrive within %v, the slowest of the others took %v", r.phase, r.missing, late, r.at(100))
		case r.active == 0:
			return fmt.Errorf("phase %s: an innocent customization did not become active within a minute", r.phase)
		}
	}
	return nil
}
