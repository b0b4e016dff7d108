// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// The state of a copy that runs on is that of now, not of when its eviction began.
func TestRenew(t *testing.T) {
	const minute = time.Minute
	cases := map[string]struct {
		reason, steps, works string
		after                time.Duration
		want                 []string
		wait                 time.Duration
	}{
		"Homeless":   {"the copy stays and makes progress", "targets a; evict a job=1; healthy a", "a", minute, []string{"a"}, 0},
		"Soon":       {"not at each report", "targets a; evict a job=1; healthy a", "a", 4 * time.Second, nil, 6 * time.Second},
		"Unhealthy":  {"what a copy that failed reports is not better", "targets a; evict a job=1", "a", minute, nil, 0},
		"Going":      {"what the cluster reports then may be half of it", "targets a; evict a job=1; healthy a", "a-", minute, nil, 0},
		"Gone":       {"there is no copy", "targets a; evict a job=1; healthy a", "", minute, nil, 0},
		"Gracefully": {"it is not carried", "targets a; gracefully a job=1; healthy a", "a", minute, nil, 0},
		"LastWords":  {"it was not known when the eviction began", "targets a; evict a job=1; targets b", "a", time.Second, []string{"a"}, 0},
		"Tried":      {"the next cluster is asked first, and the copy runs on meanwhile", "targets a; evict a job=1; targets b; healthy a", "a", time.Second, []string{"a"}, 0},
		"Made":       {"another copy was made with it", "targets a; evict a job=1; targets b; healthy a", "a b", minute, nil, 0},
		"Pending":    {"the copy has not taken over what it was made with", "targets a; evict a job=1; targets b; evict b", "b", minute, nil, 0},
		"Stateless":  {"the copy had none when its eviction began", "targets a; evict a; healthy a", "a", 0, []string{"a"}, 0},
		"OneOfTwo":   {"it may be that of the copy beside it", "targets a b; evict a; healthy a", "a b", minute, nil, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := history{t, fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)}
			h.run(tc.steps)
			got, wait := Renewable(h.b, worksIn(tc.works), now.Add(tc.after))
			if !slices.Equal(got, tc.want) || wait != tc.wait {
				t.Errorf("%s: got %v after %s, want %v after %s", tc.reason, got, wait, tc.want, tc.wait)
			}
			for _, cluster := range got {
				changed, err := Renew(h.b, cluster, State{Labels: map[string]string{"job": "9"}}, now.Add(tc.after))
				if !changed || err != nil {
					t.Errorf("%s: nothing changed, error %v", tc.reason, err)
				}
				if again, err := Renew(h.b, cluster, State{Labels: map[string]string{"job": "9"}}, now.Add(tc.after)); again || err != nil {
					t.Errorf("%s: the same state changed something, error %v", tc.reason, err)
				}
				h.run("targets b")
				if got := h.state("b"); got != "b:job=9" {
					t.Errorf("%s: the next copy gets %q, want the newest state", tc.reason, got)
				}
				if records := History(h.b); records[len(records)-1].State.Labels["job"] != "9" {
					t.Errorf("%s: the history has the state %v", tc.reason, records[len(records)-1].State)
				}
			}
		})
	}
}

// TestRenewOfATakenOverState: two copies run on without a target, of which one was made with the state of the other
// and has taken it over. That of the other is not collected again, or it would be the newest.
func TestRenewOfATakenOverState(t *testing.T) {
	carried := Carried{From: "a", Copy: "a1", Time: metav1.NewTime(now), Labels: map[string]string{"job": "1"}}
	for name, tc := range map[string]struct {
		works []workv1alpha1.Work
		want  []string
	}{
		"taken over":                          {[]workv1alpha1.Work{workIn("a", "a1", ""), workIn("b", "b1", carried.name())}, nil},
		"another copy in its cluster gave it": {[]workv1alpha1.Work{workIn("a", "a2", ""), workIn("b", "b1", carried.name())}, []string{"a"}},
		"the copy that took it over is gone":  {[]workv1alpha1.Work{workIn("a", "a1", "")}, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
			b.Spec.GracefulEvictionTasks = []task{leaving("a", policyv1alpha1.PurgeModeDirectly), leaving("b", policyv1alpha1.PurgeModeDirectly)}
			for _, w := range tc.works {
				report(b, w)
			}
			own := Carried{From: "b", Copy: "b1", Time: carried.Time, Labels: carried.Labels}
			if err := SetCarriedStates(b, []Carried{own}); err != nil {
				t.Fatal(err)
			}
			if got, _ := Renewable(b, tc.works, now); !slices.Equal(got, tc.want) {
				t.Errorf("collects the state in %v again, want %v", got, tc.want)
			}
		})
	}
}

func TestPreservationOf(t *testing.T) {
	b := fixture.Binding(fixture.Gadget("space", "one", nil))
	spec := b.GetSpec()
	spec.GracefulEvictionTasks = []task{{FromCluster: "a", Reason: workv1alpha2.EvictionReasonApplicationFailure}, {FromCluster: "b", Reason: workv1alpha2.EvictionReasonTaintUntolerated}}
	for _, cluster := range []string{"a", "b", "c"} {
		if got := PreservationOf(spec, cluster); got != nil {
			t.Errorf("the policy asks for no failover, got %v for %s", got, cluster)
		}
	}
	application, cluster := &policyv1alpha1.StatePreservation{}, &policyv1alpha1.StatePreservation{}
	spec.Failover = &policyv1alpha1.FailoverBehavior{
		Application: &policyv1alpha1.ApplicationFailoverBehavior{StatePreservation: application},
		Cluster:     &policyv1alpha1.ClusterFailoverBehavior{StatePreservation: cluster},
	}
	if got := PreservationOf(spec, "a"); got != application {
		t.Errorf("the application failed in a, got %v", got)
	}
	if got := PreservationOf(spec, "b"); got != cluster {
		t.Errorf("b is tainted, got %v", got)
	}
	if PreservationOf(spec, "c") != nil {
		t.Error("nothing leaves c")
	}
}
