// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"encoding/json"
	"fmt"
	"slices"
)

// The bounds of CarriedStateAnnotation, in bytes of JSON. All annotations of an object
// together may have 256 KiB, of which the kept state has 96.
const (
	maxCarriedOfCluster = 32 << 10
	maxCarried          = 96 << 10
)

// CarriedSizeError is that the state of a copy is too large to be carried over.
type CarriedSizeError struct {
	Cluster string
	// Size and Limit are in bytes of JSON.
	Size, Limit int
	// Dropped means that other copies have left since, whose newer state takes the room.
	Dropped bool
}

// Error returns whose state it is, how large, and what to do.
func (e *CarriedSizeError) Error() string {
	const fix = "have the rules or the script of the kind name less, such as where a checkpoint is in place of what is in it"
	if e.Dropped {
		return fmt.Sprintf("the state of cluster %s (%s) is dropped: with the newer states of other clusters it is more than the %s that are carried over; %s",
			e.Cluster, kib(e.Size), kib(e.Limit), fix)
	}
	return fmt.Sprintf("the state of cluster %s is %s, and at most %s are carried over; %s", e.Cluster, kib(e.Size), kib(e.Limit), fix)
}

func kib(bytes int) string { return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10)) }

// fitCarried returns what fits the bounds: a state that is too large is an error, and the
// oldest ones are dropped until the others fit, of which it returns why.
func fitCarried(all []Carried) (fits []Carried, dropped []*CarriedSizeError, _ error) {
	sizes, total := make([]int, len(all)), 0
	order := make([]int, len(all))
	for i := range all {
		raw, err := json.Marshal(&all[i])
		if err != nil {
			return nil, nil, fmt.Errorf("write the state of cluster %s: %w", all[i].From, err)
		}
		if len(raw) > maxCarriedOfCluster {
			return nil, nil, &CarriedSizeError{Cluster: all[i].From, Size: len(raw), Limit: maxCarriedOfCluster}
		}
		sizes[i], order[i] = len(raw), i
		total += len(raw) + 1
	}
	slices.SortStableFunc(order, func(a, b int) int { return all[a].Time.Compare(all[b].Time.Time) })
	drop := map[int]bool{}
	for _, i := range order {
		if total <= maxCarried {
			break
		}
		total -= sizes[i] + 1
		drop[i] = true
		dropped = append(dropped, &CarriedSizeError{Cluster: all[i].From, Size: sizes[i], Limit: maxCarried, Dropped: true})
	}
	for i := range all {
		if !drop[i] {
			fits = append(fits, all[i])
		}
	}
	return fits, dropped, nil
}
