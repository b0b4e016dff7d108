// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// FitError means that no cluster passes the filters.
type FitError struct {
	// Reasons has one item for each cluster: its name and why it was rejected,
	// worded to follow "2 cluster(s)".
	Reasons map[string]string
}

// Error counts the clusters of each reason, the most frequent first:
//
//	0/3 clusters are available: 2 cluster(s) did not have the API resource, 1 cluster(s) had untolerated taint {key: value}.
func (e *FitError) Error() string {
	if len(e.Reasons) == 0 {
		return "0/0 clusters are available: no cluster exists."
	}
	return fmt.Sprintf("0/%d clusters are available: %s.", len(e.Reasons), countReasons(e.Reasons))
}

// maxReasons is how many different reasons a message lists: a condition holds 32 KiB.
const maxReasons = 20

// countReasons joins the different reasons with their numbers, the most frequent
// first and equal ones sorted.
func countReasons(reasons map[string]string) string {
	counts := map[string]int{}
	for _, reason := range reasons {
		counts[reason]++
	}
	sorted := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	further := 0
	if len(sorted) > maxReasons {
		for _, reason := range sorted[maxReasons:] {
			further += counts[reason]
		}
		sorted = sorted[:maxReasons]
	}
	for i, reason := range sorted {
		sorted[i] = fmt.Sprintf("%d %s", counts[reason], reason)
	}
	if further > 0 {
		sorted = append(sorted, fmt.Sprintf("%d cluster(s) had other reasons", further))
	}
	return strings.Join(sorted, ", ")
}

// add takes in the reasons of another affinity group. A cluster that is in one of the
// groups keeps the reason that it was rejected for there; that it is not in the others
// does not count.
func (e *FitError) add(other *FitError) {
	for name, reason := range other.Reasons {
		if known, ok := e.Reasons[name]; !ok || known == reasonAffinity {
			e.Reasons[name] = reason
		}
	}
}

// UnschedulableError means that clusters pass the filters, but are too few or have no
// room.
type UnschedulableError struct {
	// Message reports what is missing. It stays the same as long as the clusters do.
	Message string
}

// Error returns the message.
func (e *UnschedulableError) Error() string { return e.Message }

func unschedulable(format string, args ...any) error {
	return &UnschedulableError{Message: fmt.Sprintf(format, args...)}
}
