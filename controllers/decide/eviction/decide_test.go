// SPDX-License-Identifier: Apache-2.0

package eviction_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/eviction"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var now = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

const timeout = 10 * time.Minute

// moved is a binding that was evicted gracefully from a some seconds ago, and is placed on b. What
// its copies report is applied and has a health.
func moved(ago time.Duration, reports map[string]workv1alpha2.ResourceHealth) *workv1alpha2.ResourceBinding {
	b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
	b.Generation = 3
	b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "a"}}
	if err := binding.Evict(b, binding.Eviction{
		Cluster: "a", Producer: "test", Reason: workv1alpha2.EvictionReasonApplicationFailure,
		PurgeMode: policyv1alpha1.PurgeModeGracefully, Before: []string{"a"}, Time: now.Add(-ago),
	}); err != nil {
		panic(err)
	}
	b.Spec.GracefulEvictionTasks[0].CreationTimestamp = &metav1.Time{Time: now.Add(-ago)}
	b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "b"}}
	if err := binding.RecordPlacement(b, nil, now.Add(-ago)); err != nil {
		panic(err)
	}
	b.Status.SchedulerObservedGeneration = b.Generation
	for _, cluster := range []string{"a", "b"} {
		if health, reported := reports[cluster]; reported {
			b.Status.AggregatedStatus = append(b.Status.AggregatedStatus, workv1alpha2.AggregatedStatusItem{
				ClusterName: cluster, Applied: true, Health: health, Copy: types.UID(cluster),
			})
		}
	}
	return b
}

// works are the Works of a binding in clusters, each of the UID of its cluster.
func works(b workv1alpha2.Binding, clusters ...string) []workv1alpha1.Work {
	var all []workv1alpha1.Work
	for _, cluster := range clusters {
		w := fixture.Work(cluster, "one", fixture.Gadget("space", "one", nil))
		w.UID = types.UID(cluster)
		all = append(all, *w)
	}
	return all
}

func TestDecide(t *testing.T) {
	const healthy, unhealthy = workv1alpha2.ResourceHealthy, workv1alpha2.ResourceUnhealthy
	type is = map[string]workv1alpha2.ResourceHealth
	cases := map[string]struct {
		reason  string
		reports is
		works   []string
		ago     time.Duration
		want    eviction.Plan
		// outcome is that of the failover in the history, tasks how many are left.
		outcome binding.Outcome
		tasks   int
	}{
		"Within": {
			reason: "the new copy has its time", reports: is{"b": unhealthy}, works: []string{"a", "b"}, ago: time.Minute,
			want: eviction.Plan{Wait: 9 * time.Minute}, tasks: 1,
		},
		"Done": {
			reason: "the new copy is healthy: the old one goes, and the history has how it ended", reports: is{"b": healthy}, works: []string{"a", "b"}, ago: time.Minute,
			want: eviction.Plan{Write: true, Done: []string{"a"}}, outcome: binding.Succeeded,
		},
		"TimeUp": {
			reason: "its time is up", reports: is{"b": unhealthy}, works: []string{"a", "b"}, ago: time.Hour,
			want: eviction.Plan{Write: true, Done: []string{"a"}}, outcome: binding.TimedOut,
		},
		"Stale": {
			reason: "a report of a copy that is gone says nothing, so that the time begins anew; the Works may be what is old", reports: is{"b": healthy}, works: []string{"a"}, ago: time.Minute,
			want: eviction.Plan{Write: true, Wait: time.Second}, tasks: 1,
		},
		"Fresh": {
			reason: "nobody has reported yet, so that the time begins later", works: []string{"a"}, ago: time.Minute,
			want: eviction.Plan{Write: true}, tasks: 1,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := moved(tc.ago, tc.reports)
			var asked []string
			view := eviction.View{
				Works: works(b, tc.works...), Timeout: timeout, Carries: true, NamesState: func() bool { return false },
				Seen: func(applied []string) binding.Observed {
					asked = applied
					return binding.Observed{}
				},
			}
			got, err := eviction.Decide(b, view, now)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if len(b.Spec.GracefulEvictionTasks) != tc.tasks {
				t.Errorf("%s: %d tasks are left, want %d", tc.reason, len(b.Spec.GracefulEvictionTasks), tc.tasks)
			}
			if all := binding.History(b); len(all) != 1 || all[0].Outcome != tc.outcome {
				t.Errorf("%s: the history is %+v, want one failover with the outcome %q", tc.reason, all, tc.outcome)
			}
			if slices.Contains(asked, "a") {
				t.Errorf("%s: the old copy was seen to be started: %v", tc.reason, asked)
			}
			// What was decided once is not decided again.
			if got.Write {
				again, err := eviction.Decide(b, view, now)
				if err != nil || again.Write {
					t.Errorf("%s: the same is written again: %+v, %v", tc.reason, again, err)
				}
			}
		})
	}
}
