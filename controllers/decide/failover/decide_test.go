// SPDX-License-Identifier: Apache-2.0

package failover_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/failover"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var now = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// tolerated is for how long the policy of these bindings tolerates that an application is unhealthy.
const tolerated = time.Minute

// unhealthy is a binding on clusters a and b whose copies there are unhealthy for as long as ago says.
func unhealthy(mode policyv1alpha1.PurgeMode, ago map[string]time.Duration) *workv1alpha2.ResourceBinding {
	b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
	b.Spec.Clusters = fixture.Targets("a", "b")
	seconds := int32(tolerated / time.Second)
	b.Spec.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{
		DecisionConditions: policyv1alpha1.DecisionConditions{TolerationSeconds: &seconds}, PurgeMode: mode,
	}}
	since := map[string]time.Time{}
	for _, cluster := range []string{"a", "b"} {
		item := workv1alpha2.AggregatedStatusItem{ClusterName: cluster, Applied: true, Health: workv1alpha2.ResourceHealthy}
		if d, failed := ago[cluster]; failed {
			item.Health, since[cluster] = workv1alpha2.ResourceUnhealthy, now.Add(-d)
		}
		b.Status.AggregatedStatus = append(b.Status.AggregatedStatus, item)
	}
	if err := binding.SetUnhealthySince(b, since, nil); err != nil {
		panic(err)
	}
	return b
}

func TestDecide(t *testing.T) {
	const directly, gracefully = policyv1alpha1.PurgeModeDirectly, policyv1alpha1.PurgeModeGracefully
	type ago = map[string]time.Duration
	lost := errors.New("the script is not compiled yet")
	cases := map[string]struct {
		reason string
		mode   policyv1alpha1.PurgeMode
		ago    ago
		change func(b *workv1alpha2.ResourceBinding, v *failover.View)
		want   failover.Plan
		// since are the clusters whose time runs on, tasks those that are left, failed those that are noted.
		since, tasks, failed string
	}{
		"Healthy": {reason: "nothing is noted", mode: directly},
		"Within":  {reason: "the policy tolerates it", mode: directly, ago: ago{"a": 20 * time.Second}, want: failover.Plan{Wait: 40 * time.Second}, since: "a"},
		"Over": {
			reason: "it leaves, and does not return for a time", mode: directly, ago: ago{"a": tolerated},
			want: failover.Plan{Write: true, Evicted: []string{"a"}}, tasks: "a", failed: "a",
		},
		"OneOfTwo": {
			reason: "each cluster has its own time", mode: directly, ago: ago{"a": tolerated, "b": 50 * time.Second},
			want: failover.Plan{Write: true, Evicted: []string{"a"}, Wait: 10 * time.Second}, since: "b", tasks: "a", failed: "a",
		},
		"Suspended": {
			reason: "a copy that nothing would replace stays, and its time runs on", mode: directly, ago: ago{"a": tolerated, "b": 50 * time.Second},
			change: func(b *workv1alpha2.ResourceBinding, _ *failover.View) {
				b.Spec.Suspension = &workv1alpha2.Suspension{Scheduling: new(true)}
			},
			want: failover.Plan{Wait: 10 * time.Second}, since: "a b",
		},
		"Ungoverned": {
			reason: "its policy is deleted: nothing would replace the copy", mode: gracefully, ago: ago{"a": tolerated},
			change: func(b *workv1alpha2.ResourceBinding, _ *failover.View) { b.Labels = nil }, since: "a",
		},
		"Unsaved": {
			reason: "state that must be kept and cannot keeps the copy, whose time runs on; the other leaves", mode: directly, ago: ago{"a": tolerated, "b": tolerated},
			change: func(_ *workv1alpha2.ResourceBinding, v *failover.View) {
				v.State = func(_ *policyv1alpha1.StatePreservation, cluster string) (binding.State, error) {
					if cluster == "a" {
						return binding.State{}, lost
					}
					return binding.State{Labels: map[string]string{"job": "7"}}, nil
				}
			},
			want:  failover.Plan{Write: true, Evicted: []string{"b"}, Failed: []failover.Failure{{Cluster: "a", Why: lost}}},
			since: "a", tasks: "b", failed: "b",
		},
		"Unconfirmed": {
			reason: "a copy that is not unhealthy any more stays, and is looked at again", mode: directly, ago: ago{"a": tolerated},
			change: func(_ *workv1alpha2.ResourceBinding, v *failover.View) {
				v.Confirmed = func(string) bool { return false }
			},
			want: failover.Plan{Wait: 5 * time.Second}, since: "a",
		},
		"HealthySince": {
			reason: "the Work has it healthy, which the binding does not know yet: its time begins anew, and it is looked at again, also without an event", mode: directly, ago: ago{"a": tolerated},
			change: func(_ *workv1alpha2.ResourceBinding, v *failover.View) {
				w := fixture.Work("a", "one", fixture.Gadget("space", "one", nil))
				w.Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue}}
				w.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{{Health: workv1alpha2.ResourceHealthy}}
				v.Works = []workv1alpha1.Work{*w}
			},
			want: failover.Plan{Write: true, Wait: 5 * time.Second},
		},
		"Graceful": {
			reason: "so it leaves by default", mode: gracefully, ago: ago{"a": tolerated},
			want: failover.Plan{Write: true, Evicted: []string{"a"}}, tasks: "a", failed: "a",
		},
		"Immobile": {
			reason: "what is not moved by itself has no time", mode: directly, ago: ago{"a": tolerated},
			change: func(_ *workv1alpha2.ResourceBinding, v *failover.View) { v.Moves = false },
			want:   failover.Plan{Write: true},
		},
		"NoPolicy": {
			reason: "nor has what no policy moves, and it took nothing along", mode: directly, ago: ago{"a": tolerated},
			change: func(b *workv1alpha2.ResourceBinding, _ *failover.View) {
				binding.SetMoved(b, true)
				b.Spec.Failover = nil
			},
			want: failover.Plan{Write: true},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := unhealthy(tc.mode, tc.ago)
			view := failover.View{Moves: true, Graceful: true, State: func(*policyv1alpha1.StatePreservation, string) (binding.State, error) {
				return binding.State{}, nil
			}}
			if tc.change != nil {
				tc.change(b, &view)
			}
			got, err := failover.Decide(b, view, now)
			if err != nil {
				t.Fatal(err)
			}
			same := cmp.Comparer(func(a, b error) bool { return errors.Is(a, b) || errors.Is(b, a) })
			if diff := cmp.Diff(tc.want, got, same); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			var since, tasks, failed []string
			for _, cluster := range []string{"a", "b"} {
				if _, runs := binding.UnhealthySince(b)[cluster]; runs {
					since = append(since, cluster)
				}
				if binding.Evicting(&b.Spec)[cluster] {
					tasks = append(tasks, cluster)
				}
				if _, noted := binding.Failures(b)[cluster]; noted {
					failed = append(failed, cluster)
				}
			}
			for what, pair := range map[string][2]string{
				"times": {tc.since, strings.Join(since, " ")}, "tasks": {tc.tasks, strings.Join(tasks, " ")}, "failures": {tc.failed, strings.Join(failed, " ")},
			} {
				if pair[0] != pair[1] {
					t.Errorf("%s: %s of %q, want %q", tc.reason, what, pair[1], pair[0])
				}
			}
			if moved := b.Annotations[binding.MovedAnnotation] != ""; moved != (len(got.Evicted) > 0) {
				t.Errorf("%s: noted that it moved: %t", tc.reason, moved)
			}
		})
	}
}

func TestDecideWithoutGrace(t *testing.T) {
	b := unhealthy(policyv1alpha1.PurgeModeGracefully, map[string]time.Duration{"a": tolerated})
	if _, err := failover.Decide(b, failover.View{Moves: true}, now); err == nil || !strings.Contains(err.Error(), "feature gate GracefulEviction") {
		t.Errorf("got %v, want the gate that is missing", err)
	}
}
