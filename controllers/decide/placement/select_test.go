// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// selectCase is one decision; err is the kind of error and its text.
type selectCase struct {
	reason string
	in     Input
	want   Result
	err    string
}

func testSelect(t *testing.T, cases map[string]selectCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := selectMeasured(tc.in)
			if diff := cmp.Diff(tc.err, kind(err)); diff != "" {
				t.Errorf("%s\nerror (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nresult (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFilters(t *testing.T) {
	testSelect(t, map[string]selectCase{
		"NilPlacement": {
			reason: "A binding without placement stays where it is.",
			in:     Input{Spec: &workv1alpha2.ResourceBindingSpec{Clusters: []workv1alpha2.TargetCluster{to("b", 1), to("a", 1)}}},
			want:   result(to("a", 1), to("b", 1)),
		},
		"NoClusters": {
			reason: "The error names that there are no members.",
			in:     Input{Spec: configMap()},
			err:    "FitError: 0/0 clusters are available: no cluster exists.",
		},
		"ConfigMap": {
			reason: "An object without replicas goes to every cluster, in the order of their names.",
			in:     Input{Spec: configMap(), Clusters: members("b", "c", "a")},
			want:   result(to("a", 0), to("b", 0), to("c", 0)),
		},
		"ReasonsAreCounted": {
			reason: "The most frequent reason comes first, then they are sorted.",
			in: Input{
				Spec: deployment(1, leaving("e"), affinity(policyv1alpha1.ClusterAffinity{ExcludeClusters: []string{"f"}})),
				Clusters: clusters(cluster("a", taint("key=value:NoSchedule")), cluster("b", withoutAPIs), cluster("c", withoutAPIs),
					cluster("d", deleting), cluster("e"), cluster("f")),
			},
			err: "FitError: 0/6 clusters are available: 2 cluster(s) did not have the API resource, " +
				"1 cluster(s) did not match the placement cluster affinity constraint, 1 cluster(s) had untolerated taint {key: value}, " +
				"1 cluster(s) is in the process of eviction, 1 cluster(s) were being deleted.",
		},
		"MissingAPIKeepsTargets": {
			reason: "A cluster that stops to report the kind keeps the object, another does not get it.",
			in:     Input{Spec: configMap(on(to("a", 0))), Clusters: clusters(cluster("a", withoutAPIs), cluster("b", withoutAPIs))},
			want:   result(to("a", 0)),
		},
		"IDConflictKeepsTargets": {
			reason: "A second name of a cluster gets nothing new, and what is there stays.",
			in:     Input{Spec: configMap(on(to("a", 0))), Clusters: clusters(cluster("a", inConflict), cluster("b", inConflict), cluster("c"))},
			want:   result(to("a", 0), to("c", 0)),
		},
		"IDConflict": {
			reason: "Where there is no other cluster the reason is known.",
			in:     Input{Spec: deployment(2), Clusters: clusters(cluster("a", inConflict))},
			err:    "FitError: 0/1 clusters are available: 1 cluster(s) had an id that is not the recorded one, or is that of another Cluster.",
		},
		"OwnerConflictKeepsTargets": {
			reason: "A cluster that another control plane writes to gets nothing new, and what is there stays.",
			in:     Input{Spec: configMap(on(to("a", 0))), Clusters: clusters(cluster("a", ofOthers), cluster("b", ofOthers), cluster("c"))},
			want:   result(to("a", 0), to("c", 0)),
		},
		"OwnerConflict": {
			reason: "Where there is no other cluster the reason is known.",
			in:     Input{Spec: deployment(2), Clusters: clusters(cluster("a", ofOthers))},
			err:    "FitError: 0/1 clusters are available: 1 cluster(s) were written to by another control plane of the same owner.",
		},
		"OtherVersionOfTheAPI": {
			reason: "The group and version count too.",
			in:     Input{Spec: spec("apps/v2", "Deployment", nil), Clusters: members("a")},
			err:    "FitError: 0/1 clusters are available: 1 cluster(s) did not have the API resource.",
		},
		"TaintKeepsTargets": {
			reason: "A taint keeps newcomers away and leaves the present ones to the eviction.",
			in:     Input{Spec: configMap(on(to("a", 0))), Clusters: clusters(cluster("a", taint("k=v:NoExecute")), cluster("b", taint("k=v:NoSchedule")))},
			want:   result(to("a", 0)),
		},
		"NoExecute": {
			reason: "NoExecute keeps newcomers away too.",
			in:     Input{Spec: configMap(), Clusters: clusters(cluster("a", taint("k=v:NoExecute")), cluster("b"))},
			want:   result(to("b", 0)),
		},
		"ToleratedTaint": {
			reason: "A toleration lets them in; all taints must be tolerated.",
			in: Input{
				Spec:     configMap(tolerating(corev1.Toleration{Key: "k", Operator: "Exists"})),
				Clusters: clusters(cluster("a", taint("k=v:NoExecute")), cluster("b", taint("k=v:NoExecute"), taint("l=v:NoSchedule"))),
			},
			want: result(to("a", 0)),
		},
		"PreferNoSchedule": {
			reason: "PreferNoSchedule keeps nobody away.",
			in:     Input{Spec: configMap(), Clusters: clusters(cluster("a", taint("k=v:PreferNoSchedule")))},
			want:   result(to("a", 0)),
		},
		"TerminatingTarget": {
			reason: "A cluster that is being deleted loses the object.",
			in:     Input{Spec: configMap(on(to("a", 0), to("b", 0))), Clusters: clusters(cluster("a", deleting), cluster("b"))},
			want:   result(to("b", 0)),
		},
		"UnjoinedTarget": {
			reason: "A cluster that does not exist is no target.",
			in:     Input{Spec: configMap(on(to("gone", 0))), Clusters: members("b")},
			want:   result(to("b", 0)),
		},
		"EvictedTarget": {
			reason: "An eviction goes before spec.clusters.",
			in:     Input{Spec: configMap(on(to("a", 0), to("b", 0)), leaving("a")), Clusters: members("a", "b")},
			want:   result(to("b", 0)),
		},
		"TargetOutsideTheAffinity": {
			reason: "Being there already does not help against the affinity.",
			in:     Input{Spec: configMap(on(to("a", 0)), affinity(named("b"))), Clusters: members("a", "b")},
			want:   result(to("b", 0)),
		},
		"RegionPropertyMissing": {
			reason: "A constraint by region needs clusters with a region.",
			in:     Input{Spec: configMap(spread("region", 1, 2)), Clusters: members("a")},
			err:    "FitError: 0/1 clusters are available: 1 cluster(s) did not have region property.",
		},
		"InvalidSelector": {
			reason: "A placement that cannot be read is neither of the two errors.",
			in: Input{Clusters: members("a"), Spec: configMap(affinity(policyv1alpha1.ClusterAffinity{
				FieldSelector: &policyv1alpha1.FieldSelector{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: "Gt"}}},
			}))},
			err: `invalid: read cluster affinity: read field selector: operator "Gt" is not In or NotIn`,
		},
	})
}

func TestAffinityGroups(t *testing.T) {
	two := groups("first: a", "second: b,c")
	later := func(seconds int64) *metav1.Time { return &metav1.Time{Time: time.Unix(seconds, 0)} }
	rescheduled := deployment(2, two, on(to("b", 2)))
	rescheduled.RescheduleTriggeredAt = later(20)
	testSelect(t, map[string]selectCase{
		"First": {
			reason: "The first group that fits is taken.",
			in:     Input{Spec: deployment(2, two), Clusters: members("a", "b", "c")},
			want:   inGroup("first", to("a", 2)),
		},
		"FallBack": {
			reason: "When nothing of the first fits, the second is taken.",
			in:     Input{Spec: deployment(2, two, leaving("a")), Status: observed("first"), Clusters: members("a", "b", "c")},
			want:   inGroup("second", to("b", 2), to("c", 2)),
		},
		"StaysInTheGroupInForce": {
			reason: "The first group is not tried again only because it would fit.",
			in:     Input{Spec: deployment(2, two, on(to("b", 2))), Status: observed("second"), Clusters: members("a", "b", "c")},
			want:   inGroup("second", to("b", 2), to("c", 2)),
		},
		"BackToTheFirst": {
			reason: "The first group is tried again rather than to place nothing.",
			in:     Input{Spec: deployment(2, two, leaving("b", "c")), Status: observed("second"), Clusters: members("a", "b", "c")},
			want:   inGroup("first", to("a", 2)),
		},
		"GroupInForceIsGone": {
			reason: "A group that the policy does not have any more starts over.",
			in:     Input{Spec: deployment(2, two), Status: observed("third"), Clusters: members("a", "b")},
			want:   inGroup("first", to("a", 2)),
		},
		"Fresh": {
			reason: "A fresh decision starts over.",
			in:     Input{Spec: deployment(2, two, on(to("b", 2))), Status: observed("second"), Clusters: members("a", "b", "c"), Fresh: true},
			want:   inGroup("first", to("a", 2)),
		},
		"RescheduleTriggered": {
			reason: "A trigger after the last scheduling is a fresh decision.",
			in: Input{Spec: rescheduled, Clusters: members("a", "b"), Status: &workv1alpha2.ResourceBindingStatus{
				SchedulerObservedAffinityName: "second", LastScheduledTime: later(10),
			}},
			want: inGroup("first", to("a", 2)),
		},
		"RescheduleDone": {
			reason: "A trigger before the last scheduling is none any more.",
			in: Input{Spec: rescheduled, Clusters: members("a", "b"), Status: &workv1alpha2.ResourceBindingStatus{
				SchedulerObservedAffinityName: "second", LastScheduledTime: later(20),
			}},
			want: inGroup("second", to("b", 2)),
		},
		"ReasonOfTheOwnGroup": {
			reason: "Each cluster is reported with what kept it out of its own group.",
			in:     Input{Spec: deployment(2, two), Clusters: clusters(cluster("a", withoutAPIs), cluster("b", taint("k=v:NoSchedule")), cluster("d"))},
			err: "FitError: 0/3 clusters are available: 1 cluster(s) did not have the API resource, " +
				"1 cluster(s) did not match the placement cluster affinity constraint, 1 cluster(s) had untolerated taint {k: v}.",
		},
		"RoomIsMissing": {
			reason: "When one group has clusters, the answer is not that none fits: Karmada would empty spec.clusters then.",
			in: Input{Spec: deployment(9, two, onFew), Clusters: clusters(cluster("a", withoutAPIs),
				cluster("b", has("cpu=2")), cluster("c", has("cpu=3")))},
			err: "UnschedulableError: affinity group second: Clusters available replicas 5 are not enough to schedule.",
		},
	})
}
