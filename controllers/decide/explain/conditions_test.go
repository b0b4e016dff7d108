// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// TestConditions has a chain whose conditions alone say that something is wrong, or seem to.
func TestConditions(t *testing.T) {
	reports := func(kind, reason string) func(*state) {
		return func(s *state) {
			conditions := &s.binding.Status.Conditions
			*conditions = append(*conditions, metav1.Condition{
				Type: kind, Status: metav1.ConditionFalse, Reason: reason, Message: "so it is", LastTransitionTime: earlier, ObservedGeneration: s.binding.Generation,
			})
		}
	}
	condition := func(s *state, kind string) *metav1.Condition {
		for i := range s.binding.Status.Conditions {
			if c := &s.binding.Status.Conditions[i]; c.Type == kind {
				return c
			}
		}
		t.Fatalf("the binding has no condition %s", kind)
		return nil
	}
	for name, tc := range map[string]struct {
		reason string
		change func(*state)
		// broken is the link that it stops at, with its state; "" if all is well.
		broken string
		state  State
	}{
		"Well":         {reason: "nothing is wrong", change: func(*state) {}},
		"Dependencies": {"what it depends on does not go along", reports(workv1alpha2.DependenciesResolved, "GetDependenciesFailed"), "binding", Broken},
		"State":        {"a failover would lose state", reports(workv1alpha2.StatePreserved, "PathNotFound"), "binding", Waiting},
		"Priority":     {"its class does not exist", reports(workv1alpha2.PriorityResolved, "PriorityClassNotFound"), "binding", Waiting},
		"NotReady": {
			"no link knows why it is not fully applied", reports(workv1alpha2.FullyApplied, "FullyAppliedFailed"), "binding", Waiting,
		},
		"Homeless": {
			"what depends on it has no cluster yet", func(s *state) {
				s.binding.Spec.Placement, s.binding.Spec.Clusters = nil, nil
				s.binding.Spec.RequiredBy = []workv1alpha2.BindingSnapshot{{Namespace: "shop", Name: "api-deployment"}}
				s.binding.Status.Conditions, s.binding.Status.AggregatedStatus, s.Policies, s.Works = nil, nil, nil, nil
				s.unclaimed()
			}, "clusters", Waiting,
		},
		"OneItem": {
			"one of two is reported as not applied", func(s *state) { s.binding.Status.AggregatedStatus[0].Applied = false }, "status", Waiting,
		},
		"Customization": {
			"its last change does not answer yet", func(s *state) {
				cr := &configv1alpha1.ResourceInterpreterCustomization{ObjectMeta: metav1.ObjectMeta{Name: "c", Generation: 2}}
				cr.Status.Conditions = []metav1.Condition{{Type: configv1alpha1.ConditionActive, Status: metav1.ConditionTrue, ObservedGeneration: 1}}
				s.Customizations = append(s.Customizations, cr)
			}, "scripts", Waiting,
		},
		"Agent": {
			reason: "the published agent writes no generation", change: func(s *state) {
				for _, w := range s.Works {
					w.Status.Conditions[0].ObservedGeneration = 0
				}
			},
		},
		"Scheduler": {
			reason: "another scheduler writes none either", change: func(s *state) {
				s.binding.Spec.SchedulerName, s.binding.Status.SchedulerObservedGeneration = "other", s.binding.Generation
				condition(s, workv1alpha2.Scheduled).ObservedGeneration = 0
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := well(t)
			tc.change(s)
			s.Input.Binding = s.binding
			c := Explain(s.Input)
			if c.Broken != tc.broken || tc.broken != "" && c.First().State != tc.state {
				t.Errorf("%s: stops at %q, want %q, which is %s:\n%s", tc.reason, c.Broken, tc.broken, tc.state, c.Text(now))
			}
		})
	}
}
