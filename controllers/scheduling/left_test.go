// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
)

// at returns targets with so many replicas each.
func at(replicas int32, clusters ...string) []workv1alpha2.TargetCluster {
	var all []workv1alpha2.TargetCluster
	for _, name := range clusters {
		all = append(all, workv1alpha2.TargetCluster{Name: name, Replicas: replicas})
	}
	return all
}

// members makes clusters, each in use.
func members(names ...string) []*clusterv1alpha1.Cluster {
	var all []*clusterv1alpha1.Cluster
	for _, name := range names {
		all = append(all, &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"used": "yes"}}})
	}
	return all
}

func TestDescribeLeft(t *testing.T) {
	used := policyv1alpha1.ClusterAffinity{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"used": "yes"}}}
	divided := &policyv1alpha1.ReplicaSchedulingStrategy{ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided}
	asked := metav1.NewTime(time.Unix(2000, 0))
	type input = *placement.Input
	unused := func(names ...string) func(input) {
		return func(in input) {
			for _, c := range in.Clusters {
				for _, name := range names {
					if c.Name == name {
						c.Labels = nil
					}
				}
			}
		}
	}
	divides := func(in input) { in.Spec.Replicas, in.Spec.Placement.ReplicaScheduling = 4, divided }
	task := func(cluster, reason string) func(input) {
		return func(in input) {
			in.Spec.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{{FromCluster: cluster, Reason: reason}}
		}
	}
	cases := map[string]struct {
		reason string
		on, to []workv1alpha2.TargetCluster
		// members are all clusters; nil are a, b and c.
		members []*clusterv1alpha1.Cluster
		with    []func(input)
		group   string
		want    string
	}{
		"None":      {reason: "nothing is left", on: at(0, "a"), to: at(0, "a", "b")},
		"First":     {reason: "a first placement leaves nothing", to: at(0, "a")},
		"Fewer":     {reason: "less replicas are no cluster less", on: at(2, "a"), to: at(1, "a"), with: []func(input){divides}},
		"Unmatched": {reason: "its label is gone", on: at(0, "a", "b"), to: at(0, "b"), with: []func(input){unused("a")}, want: "a is left: the placement of the policy does not match it any more"},
		"Last":      {reason: "the last too", on: at(0, "a"), with: []func(input){unused("a")}, want: "a is left: the placement of the policy does not match it any more"},
		"Replicas":  {reason: "others have the replicas", on: at(2, "a", "b"), to: at(2, "b"), with: []func(input){divides}, want: "a is left: it has no replicas any more"},
		"NoShare":   {reason: "it had none either", on: at(0, "a", "b"), to: at(4, "b"), with: []func(input){divides}, want: "a is left: others are chosen"},
		"Several":   {reason: "one reason has several clusters", on: at(2, "b", "a", "c"), to: at(4, "c"), with: []func(input){divides}, want: "a, b are left: they have no replicas any more"},
		"Reasons":   {reason: "each has its clusters", on: at(2, "a", "b", "c"), to: at(4, "c"), with: []func(input){divides, unused("b")}, want: "a is left: it has no replicas any more; b is left: the placement of the policy does not match it any more"},
		"Gone":      {reason: "there is no such Cluster", on: at(0, "a", "x"), to: at(0, "a"), want: "x is left: it is no member any more"},
		"Deleted": {reason: "its Cluster is on its way", on: at(0, "a", "b"), to: at(0, "b"), want: "a is left: it is being deleted", with: []func(input){
			func(in input) { in.Clusters[0].DeletionTimestamp = &asked },
		}},
		"Spread": {
			reason: "it has no region any more", on: at(0, "a", "b"), to: at(0, "b"), want: "a is left: it does not pass the spread constraints any more",
			with: []func(input){func(in input) {
				in.Spec.Placement.SpreadConstraints = []policyv1alpha1.SpreadConstraint{{SpreadByField: policyv1alpha1.SpreadByFieldRegion}}
				in.Clusters[1].Spec.Region = "west"
			}},
		},
		"Chosen":   {reason: "of copies nothing else is known", on: at(2, "a", "b"), to: at(2, "b"), want: "a is left: others are chosen"},
		"Afresh":   {reason: "somebody asked for it", on: at(2, "a", "b"), to: at(4, "b"), want: "a is left: others were chosen when rescheduling was requested", with: []func(input){divides, func(in input) { in.Spec.RescheduleTriggeredAt = &asked }}},
		"Group":    {reason: "another affinity group is used", on: at(0, "a"), to: at(0, "b"), group: "second", want: "a is left: affinity group second is chosen, which has others", with: []func(input){inTwoGroups}},
		"NoGroup":  {reason: "it is in none of them", on: at(0, "c"), to: at(0, "b"), group: "second", want: "c is left: the placement of the policy does not match it any more", with: []func(input){inTwoGroups}},
		"Evicted":  {reason: "an eviction has its events", on: at(0, "a", "b"), to: at(0, "b"), with: []func(input){unused("a"), task("a", "TaintUntolerated")}},
		"Again":    {reason: "it was withdrawn before, and came back", on: at(0, "a"), with: []func(input){unused("a"), task("a", workv1alpha2.EvictionReasonUnmatched)}, want: "a is left: the placement of the policy does not match it any more"},
		"Required": {reason: "its copy stays for a binding that depends on it", on: at(0, "a", "b"), to: at(0, "b"), with: []func(input){unused("a"), func(in input) { in.Spec.RequiredBy = []workv1alpha2.BindingSnapshot{{Clusters: at(0, "a")}} }}},
		"Many":     {reason: "most are counted", on: at(1, numbered(20)...), to: at(20, "a"), members: members(append(numbered(20), "a")...), with: []func(input){divides}, want: "n00, n01, n02, n03, n04, n05, n06, n07 and 12 more are left: they have no replicas any more"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := placement.Input{
				Spec:     &workv1alpha2.ResourceBindingSpec{Clusters: tc.on, Placement: &policyv1alpha1.Placement{ClusterAffinity: &used}},
				Status:   &workv1alpha2.ResourceBindingStatus{LastScheduledTime: new(metav1.NewTime(time.Unix(1000, 0)))},
				Clusters: tc.members,
			}
			if in.Clusters == nil {
				in.Clusters = members("a", "b", "c")
			}
			for _, with := range tc.with {
				with(&in)
			}
			before := in.Spec.DeepCopy()
			if diff := cmp.Diff(tc.want, describeLeft(in, placement.Result{Clusters: tc.to, AffinityName: tc.group})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(before, in.Spec); diff != "" {
				t.Errorf("the spec is the binding's and must not change (-before +after):\n%s", diff)
			}
		})
	}
}

// inTwoGroups has a binding go to cluster a first, and else to b.
func inTwoGroups(in *placement.Input) {
	in.Spec.Placement.ClusterAffinity = nil
	only := func(cluster string) policyv1alpha1.ClusterAffinity {
		return policyv1alpha1.ClusterAffinity{ClusterNames: []string{cluster}}
	}
	in.Spec.Placement.ClusterAffinities = []policyv1alpha1.ClusterAffinityTerm{
		{AffinityName: "first", ClusterAffinity: only("a")}, {AffinityName: "second", ClusterAffinity: only("b")},
	}
}

// numbered returns so many names.
func numbered(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("n%02d", i))
	}
	return names
}
