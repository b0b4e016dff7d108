// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"testing"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// TestUnseenChangeIsNoFailure raises metadata.generation of the healthy objects of all cases: a change
// that the controller of an object has not seen yet is unknown or Pending, and moves nothing.
func TestUnseenChangeIsNoFailure(t *testing.T) {
	t.Parallel()
	rules := interpreter(t).Snapshot()
	unseen := map[string]bool{}
	for _, b := range bundles(t) {
		for _, c := range casesOf(t, b) {
			failed, stale := failsUnseen(rules, c)
			if stale {
				unseen[c.Question.Object.GetKind()] = true
			}
			if failed {
				t.Errorf("bundle %s, %q: healthy, and failed once metadata.generation is ahead of the status", b.Name, c.Name)
			}
		}
	}
	if len(unseen) < 12 {
		t.Errorf("the health of %d kinds takes note of a change that is not seen, want at least 12: %v", len(unseen), unseen)
	}
}

// failsUnseen reports whether the healthy object of a case fails by a change that is not seen, and
// whether its health takes note of one.
func failsUnseen(rules engine.Snapshot, c *cases.Case) (failed, stale bool) {
	o := c.Question.Object
	if c.Question.Operation != engine.InterpretHealth || o == nil || o.GetGeneration() == 0 {
		return false, false
	}
	if health, _, err := rules.HealthReason(o, true); err != nil || health != workv1alpha2.ResourceHealthy {
		return false, false
	}
	changed := o.DeepCopy()
	changed.SetGeneration(o.GetGeneration() + 1)
	health, reason, err := rules.HealthReason(changed, true)
	if err != nil || health == workv1alpha2.ResourceHealthy {
		return false, false
	}
	return health == workv1alpha2.ResourceUnhealthy && reason != workv1alpha2.HealthPending, true
}
