// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"errors"
	"maps"

	corev1 "k8s.io/api/core/v1"

	"github.com/dragoman-io/dragoman/controllers/decide/placement"
)

// shortageOf returns what a decision was made by that found too little room; nil if its problem is
// another one, or may be that an estimator is silent. The assumptions must be locked; what it returns needs no lock.
func (a *Assumptions) shortageOf(in placement.Input, estimates Estimates, problem error) *placement.Shortage {
	if _, short := errors.AsType[*placement.UnschedulableError](problem); !short || !placement.NeedsCapacity(in.Spec) {
		return nil
	}
	for _, e := range estimates {
		if e.Silent {
			return nil
		}
	}
	s := &placement.Shortage{Input: in, Taken: placement.Taken{}, ByNodes: map[string]bool{}}
	s.Capacity, s.Refine = maps.Clone(in.Capacity), nil
	for _, c := range in.Clusters {
		if _, known := in.Capacity[c.Name]; known && in.Refine != nil {
			s.Capacity[c.Name] = in.Refine(c.Name, 1)
		}
		_, estimated := estimates[c.Name]
		s.ByNodes[c.Name] = estimated || !a.IgnoreGrades && placement.CountsNodes(c)
		if assumed := a.clusters[c.Name]; assumed != nil {
			s.Taken[c.Name] = corev1.ResourceList{}
			add(s.Taken[c.Name], assumed.sum)
		}
	}
	return s
}
