// SPDX-License-Identifier: Apache-2.0

package eviction_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/eviction"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// TestRenewReadsWorks has a copy report as healthy that it has no savepoint any more, which its binding
// was not told before the cluster could not be reached. It was evicted with that state, and is to go
// for a copy in b.
func TestRenewReadsWorks(t *testing.T) {
	type values = map[string]string
	old, last := values{"job": "1", "savepoint": "2"}, values{"job": "3"}
	for name, tc := range map[string]struct {
		reason  string
		health  workv1alpha2.ResourceHealth
		carried values
		want    values
	}{
		"Unreachable": {"what the Work has is newer than what was kept", workv1alpha2.ResourceHealthy, last, last},
		"Late":        {"it is carried also where it was not known when the eviction began", workv1alpha2.ResourceHealthy, old, last},
		"Unhealthy":   {"a copy that is not healthy does not take away what was kept", workv1alpha2.ResourceUnhealthy, old, old},
	} {
		t.Run(name, func(t *testing.T) {
			b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
			b.Spec.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{}}
			b.Spec.Clusters = fixture.Targets("a")
			b.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{
				ClusterName: "a", Copy: "a", Applied: true, Health: workv1alpha2.ResourceUnknown, State: last,
				AppliedMessage: "ClusterUnreachable: what is reported is from before",
			}}
			since := metav1.NewTime(now)
			if _, err := binding.SetKeptStates(b, []binding.Kept{{Cluster: "a", Values: old, Time: &since}}); err != nil {
				t.Fatal(err)
			}
			if err := binding.Evict(b, binding.Eviction{
				Cluster: "a", Producer: "test", Reason: workv1alpha2.EvictionReasonTaintUntolerated, PurgeMode: policyv1alpha1.PurgeModeDirectly,
				State: binding.State{Values: tc.carried}, Before: []string{"a"}, Time: now,
			}); err != nil {
				t.Fatal(err)
			}
			b.Spec.Clusters = fixture.Targets("b")
			w := works(b, "a")
			w[0].Annotations = map[string]string{workv1alpha2.FailoverAnnotation: workv1alpha2.FailoverState}
			w[0].Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue}}
			w[0].Status.ManifestStatuses = []workv1alpha1.ManifestStatus{{Health: tc.health, State: last}}

			before := b.DeepCopy().Status
			if _, _, large, err := eviction.Renew(b, w, func() bool { return true }, now); err != nil || len(large) > 0 {
				t.Fatalf("renewed: %v, too large: %v", err, large)
			}
			carried := binding.CarriedStates(b)
			if len(carried) != 1 {
				t.Fatalf("%d states are carried, want one", len(carried))
			}
			if diff := cmp.Diff(tc.want, carried[0].Values); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(before, b.Status); diff != "" {
				t.Errorf("the status was changed, which another controller writes (-before +after):\n%s", diff)
			}
		})
	}
}

// A copy that has nowhere to go runs on, and its cluster refuses an update: its state is collected again all
// the same.
func TestRenewRefused(t *testing.T) {
	b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
	b.Spec.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{}}
	b.Spec.Clusters = fixture.Targets("a")
	if err := binding.Evict(b, binding.Eviction{
		Cluster: "a", Producer: "test", Reason: workv1alpha2.EvictionReasonTaintUntolerated, PurgeMode: policyv1alpha1.PurgeModeDirectly,
		State: binding.State{Values: map[string]string{"job": "17"}}, Before: []string{"a"}, Time: now,
	}); err != nil {
		t.Fatal(err)
	}
	w := works(b, "a")
	w[0].Annotations = map[string]string{workv1alpha2.FailoverAnnotation: workv1alpha2.FailoverState}
	w[0].Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: metav1.ConditionFalse, Message: "denied"}}
	w[0].Status.ManifestStatuses = []workv1alpha1.ManifestStatus{{Health: workv1alpha2.ResourceHealthy, State: map[string]string{"job": "41"}}}
	b.Status.AggregatedStatus = binding.Aggregate(w, nil)
	changed, _, _, err := eviction.Renew(b, w, func() bool { return true }, now.Add(time.Minute))
	if err != nil || !changed {
		t.Fatalf("renewed is %t, error %v", changed, err)
	}
	if carried := binding.CarriedStates(b); len(carried) != 1 || carried[0].Values["job"] != "41" {
		t.Errorf("%+v is carried, want job 41", carried)
	}
}
