// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"cmp"
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Ask is a change that was refused and waits.
type Ask struct {
	// Name tells apart asks of the same priority and time.
	Name string
	// Priority is that of the binding; the higher is admitted first.
	Priority int32
	// Since is when it was first refused.
	Since time.Time
	// Before and After are what the binding uses without the change and with it.
	Before, After corev1.ResourceList
}

// Compare orders asks as they are admitted: the higher priority first, then the one that waits
// for longer.
func Compare(a, b Ask) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.Since.Compare(b.Since), cmp.Compare(a.Name, b.Name))
}

// Admissible returns which of the asks fit into what is left, one after the other in their
// order, each with what those before it take. One that does not fit holds up none behind it.
func Admissible(limits []Limit, used corev1.ResourceList, asks []Ask) []Ask {
	admissible, _ := admit(limits, used, asks)
	return admissible
}

// admit is Admissible, with what is used then.
func admit(limits []Limit, used corev1.ResourceList, asks []Ask) ([]Ask, corev1.ResourceList) {
	used = Most(used, nil) // its own
	var admissible []Ask
	for _, a := range slices.SortedFunc(slices.Values(asks), Compare) {
		if Decide(limits, used, a.Before, a.After) == nil {
			Add(used, Growth(a.Before, a.After))
			admissible = append(admissible, a)
		}
	}
	return admissible, used
}

// DecideBehind is Decide for an ask behind those that wait: those before it in their order that
// fit by now have their part of what is left.
func DecideBehind(limits []Limit, used corev1.ResourceList, ask Ask, waiting []Ask) error {
	if err := Decide(limits, used, ask.Before, ask.After); err != nil {
		return err
	}
	var ahead []Ask
	for _, a := range waiting {
		if a.Name != ask.Name && Compare(a, ask) < 0 {
			ahead = append(ahead, a)
		}
	}
	first, used := admit(limits, used, ahead)
	err := Decide(limits, used, ask.Before, ask.After)
	var exceeded *ExceededError
	if errors.As(err, &exceeded) {
		exceeded.Ahead = len(first)
	}
	return err
}
