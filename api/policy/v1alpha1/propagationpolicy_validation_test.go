// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// policy returns a good policy in the namespace default, changed by change.
func policy(change func(*PropagationPolicy)) *PropagationPolicy {
	p := &PropagationPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"},
		Spec: PropagationSpec{ResourceSelectors: []ResourceSelector{
			{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "nginx"},
		}},
	}
	change(p)
	return p
}

func placement(change func(*Placement)) *PropagationPolicy {
	return policy(func(p *PropagationPolicy) { change(&p.Spec.Placement) })
}

func application(a ApplicationFailoverBehavior) *PropagationPolicy {
	return policy(func(p *PropagationPolicy) { p.Spec.Failover = &FailoverBehavior{Application: &a} })
}

func spread(constraints ...SpreadConstraint) *PropagationPolicy {
	return placement(func(p *Placement) { p.SpreadConstraints = constraints })
}

func tolerations(tolerations ...corev1.Toleration) *PropagationPolicy {
	return placement(func(p *Placement) { p.ClusterTolerations = tolerations })
}

func members(names ...string) ClusterAffinity { return ClusterAffinity{ClusterNames: names} }

func TestValidatePropagationPolicy(t *testing.T) {
	cases := map[string]struct {
		reason string
		policy *PropagationPolicy
		want   []string
	}{
		"Good": {
			reason: "a plain policy is fine",
			policy: policy(func(*PropagationPolicy) {}),
		},
		"NoSelectors": {
			reason: "a policy may be written before it selects anything",
			policy: policy(func(p *PropagationPolicy) { p.Spec.ResourceSelectors = nil }),
		},
		"BadSelector": {
			reason: "a selector names a kind and has a good label selector",
			policy: policy(func(p *PropagationPolicy) {
				p.Spec.ResourceSelectors = []ResourceSelector{
					{},
					{APIVersion: "a/b/c", Kind: "X", LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"-": "x"}}},
				}
			}),
			want: []string{
				"FieldValueRequired spec.resourceSelectors[0].apiVersion",
				"FieldValueRequired spec.resourceSelectors[0].kind",
				"FieldValueInvalid spec.resourceSelectors[1].apiVersion",
				"FieldValueInvalid spec.resourceSelectors[1].labelSelector.matchLabels",
			},
		},
		"OtherNamespace": {
			reason: "a namespaced policy stays in its namespace",
			policy: policy(func(p *PropagationPolicy) { p.Spec.ResourceSelectors[0].Namespace = "other" }),
			want:   []string{"FieldValueInvalid spec.resourceSelectors[0].namespace"},
		},
		"PreemptionWithoutName": {
			reason: "a policy that takes objects from others says which",
			policy: policy(func(p *PropagationPolicy) {
				p.Spec.Preemption = PreemptAlways
				p.Spec.ResourceSelectors[0].Name = ""
			}),
			want: []string{"FieldValueRequired spec.resourceSelectors[0].name"},
		},
		"SuspendedTwice": {
			reason: "all clusters and some clusters exclude each other",
			policy: policy(func(p *PropagationPolicy) {
				p.Spec.Suspension = &Suspension{Dispatching: ptr.To(true), DispatchingOnClusters: &SuspendClusters{ClusterNames: []string{"m1"}}}
			}),
			want: []string{"FieldValueForbidden spec.suspension.dispatchingOnClusters"},
		},
		"SuspendedOnSome": {
			reason: "dispatching: false leaves room for names",
			policy: policy(func(p *PropagationPolicy) {
				p.Spec.Suspension = &Suspension{Dispatching: ptr.To(false), DispatchingOnClusters: &SuspendClusters{ClusterNames: []string{"m1"}}}
			}),
		},
		"PriorityClassUnnamed": {
			reason: "a schedule priority points to a class",
			policy: policy(func(p *PropagationPolicy) {
				p.Spec.SchedulePriority = &SchedulePriority{PriorityClassSource: KubePriorityClass}
			}),
			want: []string{"FieldValueRequired spec.schedulePriority.priorityClassName"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { wantErrors(t, tc.reason, tc.policy.Validate(), tc.want...) })
	}
}

func TestValidateFailover(t *testing.T) {
	jobID := StatePreservationRule{AliasLabelName: "application.karmada.io/failover-jobid", JSONPath: "{ .jobStatus.jobID }"}
	cases := map[string]struct {
		reason string
		policy *PropagationPolicy
		want   []string
	}{
		"WithoutPropagateDeps": {
			reason: "an application without dependencies may fail over too",
			policy: application(ApplicationFailoverBehavior{PurgeMode: Immediately, StatePreservation: &StatePreservation{Rules: []StatePreservationRule{jobID}}}),
		},
		"OldNameOfGracefully": {
			reason: "Graciously has a grace period as Gracefully has",
			policy: application(ApplicationFailoverBehavior{PurgeMode: Graciously, GracePeriodSeconds: ptr.To[int32](600)}),
		},
		"ModeUnset": {
			reason: "an empty mode is the default, Gracefully",
			policy: application(ApplicationFailoverBehavior{GracePeriodSeconds: ptr.To[int32](600)}),
		},
		"GraceWithoutGracefully": {
			reason: "only Gracefully waits",
			policy: application(ApplicationFailoverBehavior{PurgeMode: PurgeModeDirectly, GracePeriodSeconds: ptr.To[int32](600)}),
			want:   []string{"FieldValueForbidden spec.failover.application.gracePeriodSeconds"},
		},
		"NoGraceAtAll": {
			reason: "no time to become healthy is Directly in disguise",
			policy: application(ApplicationFailoverBehavior{GracePeriodSeconds: ptr.To[int32](0)}),
			want:   []string{"FieldValueInvalid spec.failover.application.gracePeriodSeconds"},
		},
		"NegativeToleration": {
			reason: "time does not run backwards",
			policy: application(ApplicationFailoverBehavior{DecisionConditions: DecisionConditions{TolerationSeconds: ptr.To[int32](-1)}}),
			want:   []string{"FieldValueInvalid spec.failover.application.decisionConditions.tolerationSeconds"},
		},
		"BadRules": {
			reason: "a rule has a label key of its own and a path",
			policy: policy(func(p *PropagationPolicy) {
				p.Spec.Failover = &FailoverBehavior{Cluster: &ClusterFailoverBehavior{StatePreservation: &StatePreservation{
					Rules: []StatePreservationRule{{AliasLabelName: "no/such/key"}, jobID, jobID},
				}}}
			}),
			want: []string{
				"FieldValueInvalid spec.failover.cluster.statePreservation.rules[0].aliasLabelName",
				"FieldValueRequired spec.failover.cluster.statePreservation.rules[0].jsonPath",
				"FieldValueDuplicate spec.failover.cluster.statePreservation.rules[2].aliasLabelName",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { wantErrors(t, tc.reason, tc.policy.Validate(), tc.want...) })
	}
}

func TestValidateClusterAffinity(t *testing.T) {
	aggregated := &ReplicaSchedulingStrategy{ReplicaSchedulingType: ReplicaSchedulingTypeDivided, ReplicaDivisionPreference: ReplicaDivisionPreferenceAggregated}
	overflow := func(r *ReplicaSchedulingStrategy, groups ...OverflowClusterAffinity) *PropagationPolicy {
		return placement(func(p *Placement) {
			p.ReplicaScheduling = r
			p.ClusterAffinities = []ClusterAffinityTerm{{AffinityName: "idc", ClusterAffinity: members("m1"), OverflowAffinities: groups}}
		})
	}
	cloud := OverflowClusterAffinity{AffinityName: "cloud", ClusterAffinity: members("m2")}
	cases := map[string]struct {
		reason string
		policy *PropagationPolicy
		want   []string
	}{
		"Both": {
			reason: "one affinity or an ordered list",
			policy: placement(func(p *Placement) {
				p.ClusterAffinity = ptr.To(members("m1"))
				p.ClusterAffinities = []ClusterAffinityTerm{{AffinityName: "a", ClusterAffinity: members("m2")}}
			}),
			want: []string{"FieldValueForbidden spec.placement.clusterAffinities"},
		},
		"GroupNames": {
			reason: "groups have names of their own",
			policy: placement(func(p *Placement) {
				p.ClusterAffinities = []ClusterAffinityTerm{{AffinityName: "a"}, {AffinityName: "a"}, {}, {AffinityName: "b c"}}
			}),
			want: []string{
				"FieldValueDuplicate spec.placement.clusterAffinities[1].affinityName",
				"FieldValueRequired spec.placement.clusterAffinities[2].affinityName",
				"FieldValueInvalid spec.placement.clusterAffinities[3].affinityName",
			},
		},
		"FieldSelector": {
			reason: "clusters are chosen by provider, region and zone, with In and NotIn",
			policy: placement(func(p *Placement) {
				p.ClusterAffinity = &ClusterAffinity{FieldSelector: &FieldSelector{MatchExpressions: []corev1.NodeSelectorRequirement{
					{Key: "zone", Operator: corev1.NodeSelectorOpNotIn, Values: []string{"z1"}},
					{Key: "name", Operator: corev1.NodeSelectorOpExists},
				}}}
			}),
			want: []string{
				"FieldValueNotSupported spec.placement.clusterAffinity.fieldSelector.matchExpressions[1].key",
				"FieldValueNotSupported spec.placement.clusterAffinity.fieldSelector.matchExpressions[1].operator",
				"FieldValueRequired spec.placement.clusterAffinity.fieldSelector.matchExpressions[1].values",
			},
		},
		"OverflowAggregated": {
			reason: "aggregated replicas can overflow",
			policy: overflow(aggregated, cloud),
		},
		"OverflowDynamic": {
			reason: "dynamically weighted replicas can overflow",
			policy: overflow(&ReplicaSchedulingStrategy{WeightPreference: &ClusterPreferences{DynamicWeight: DynamicWeightByAvailableReplicas}}, cloud),
		},
		"OverflowDuplicated": {
			reason: "replicas that every cluster gets do not overflow",
			policy: overflow(nil, cloud),
			want:   []string{"FieldValueForbidden spec.placement.clusterAffinities[0].overflowAffinities"},
		},
		"OverflowStatic": {
			reason: "static weights know no room",
			policy: overflow(&ReplicaSchedulingStrategy{WeightPreference: &ClusterPreferences{}}, cloud),
			want:   []string{"FieldValueForbidden spec.placement.clusterAffinities[0].overflowAffinities"},
		},
		"OverflowGroups": {
			reason: "an overflow group chooses clusters and shares no name",
			policy: overflow(aggregated, OverflowClusterAffinity{AffinityName: "idc"}),
			want: []string{
				"FieldValueDuplicate spec.placement.clusterAffinities[0].overflowAffinities[0].affinityName",
				"FieldValueRequired spec.placement.clusterAffinities[0].overflowAffinities[0]",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { wantErrors(t, tc.reason, tc.policy.Validate(), tc.want...) })
	}
}

func TestValidatePlacement(t *testing.T) {
	cases := map[string]struct {
		reason string
		policy *PropagationPolicy
		want   []string
	}{
		"SpreadByNothing": {
			reason: "no field and no label means by cluster",
			policy: spread(SpreadConstraint{MaxGroups: 1, MinGroups: 1}),
		},
		"SpreadByRegionAlone": {
			reason: "spreading by region needs a limit on the clusters inside",
			policy: spread(SpreadConstraint{SpreadByField: SpreadByFieldRegion}),
			want:   []string{"FieldValueRequired spec.placement.spreadConstraints"},
		},
		"SpreadByRegionAndCluster": {
			reason: "with it, it is fine",
			policy: spread(SpreadConstraint{SpreadByField: SpreadByFieldRegion}, SpreadConstraint{SpreadByField: SpreadByFieldCluster}),
		},
		"SpreadByLabelAlone": {
			reason: "a label needs no constraint on clusters",
			policy: spread(SpreadConstraint{SpreadByLabel: "rack"}),
		},
		"SpreadWrong": {
			reason: "numbers are in order, each field stands once, field and label exclude each other",
			policy: spread(
				SpreadConstraint{SpreadByField: SpreadByFieldCluster, MinGroups: 3, MaxGroups: 2},
				SpreadConstraint{SpreadByField: SpreadByFieldCluster, SpreadByLabel: "x", MinGroups: -1, MaxGroups: -2},
			),
			want: []string{
				"FieldValueInvalid spec.placement.spreadConstraints[0].maxGroups",
				"FieldValueForbidden spec.placement.spreadConstraints[1].spreadByLabel",
				"FieldValueInvalid spec.placement.spreadConstraints[1].minGroups",
				"FieldValueInvalid spec.placement.spreadConstraints[1].maxGroups",
				"FieldValueDuplicate spec.placement.spreadConstraints[1].spreadByField",
			},
		},
		"Tolerations": {
			reason: "these are the tolerations that pods may have",
			policy: tolerations(
				corev1.Toleration{Operator: corev1.TolerationOpExists},
				corev1.Toleration{Key: "a", Value: "b", Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](5)},
			),
		},
		"BadTolerations": {
			reason: "Lt, values with Exists, times without NoExecute and keys that are missing or bad",
			policy: tolerations(
				corev1.Toleration{Key: "a", Operator: "Lt", Value: "5"},
				corev1.Toleration{Key: "a", Operator: corev1.TolerationOpExists, Value: "b"},
				corev1.Toleration{Key: "a", TolerationSeconds: ptr.To[int64](5)},
				corev1.Toleration{Value: "b"},
				corev1.Toleration{Key: "-", Value: "a b", Effect: "NoRun"},
			),
			want: []string{
				"FieldValueNotSupported spec.placement.clusterTolerations[0].operator",
				"FieldValueInvalid spec.placement.clusterTolerations[1].value",
				"FieldValueForbidden spec.placement.clusterTolerations[2].tolerationSeconds",
				"FieldValueInvalid spec.placement.clusterTolerations[3].operator",
				"FieldValueInvalid spec.placement.clusterTolerations[4].key",
				"FieldValueInvalid spec.placement.clusterTolerations[4].value",
				"FieldValueNotSupported spec.placement.clusterTolerations[4].effect",
			},
		},
		"Weights": {
			reason: "a weight is 1 or more and its clusters are chosen by a good affinity",
			policy: placement(func(p *Placement) {
				p.ReplicaScheduling = &ReplicaSchedulingStrategy{WeightPreference: &ClusterPreferences{StaticWeightList: []StaticClusterWeight{
					{TargetCluster: members("m1"), Weight: 1},
					{TargetCluster: ClusterAffinity{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b c"}}}},
				}}}
			}),
			want: []string{
				"FieldValueInvalid spec.placement.replicaScheduling.weightPreference.staticWeightList[1].targetCluster.labelSelector.matchLabels",
				"FieldValueInvalid spec.placement.replicaScheduling.weightPreference.staticWeightList[1].weight",
			},
		},
		"WorkloadAffinity": {
			reason: "a group is not kept together and apart",
			policy: placement(func(p *Placement) {
				p.WorkloadAffinity = &WorkloadAffinity{
					Affinity:     &WorkloadAffinityTerm{GroupByLabelKey: "app"},
					AntiAffinity: &WorkloadAntiAffinityTerm{GroupByLabelKey: "app"},
				}
			}),
			want: []string{"FieldValueInvalid spec.placement.workloadAffinity.antiAffinity.groupByLabelKey"},
		},
		"WorkloadAffinityKey": {
			reason: "a group is made by a label key",
			policy: placement(func(p *Placement) { p.WorkloadAffinity = &WorkloadAffinity{Affinity: &WorkloadAffinityTerm{}} }),
			want: []string{
				"FieldValueInvalid spec.placement.workloadAffinity.affinity.groupByLabelKey",
				"FieldValueInvalid spec.placement.workloadAffinity.affinity.groupByLabelKey",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { wantErrors(t, tc.reason, tc.policy.Validate(), tc.want...) })
	}
}

func TestValidatePropagationPolicyUpdate(t *testing.T) {
	labelled := func(id string) *PropagationPolicy {
		return policy(func(p *PropagationPolicy) {
			p.Labels = map[string]string{PropagationPolicyPermanentIDLabel: id}
		})
	}
	cases := map[string]struct {
		reason   string
		old, new *PropagationPolicy
		want     []string
	}{
		"FirstID": {
			reason: "the control plane gives a policy its ID",
			old:    policy(func(*PropagationPolicy) {}),
			new:    labelled("a"),
		},
		"OtherID": {
			reason: "the ID ties the policy to its objects",
			old:    labelled("a"),
			new:    labelled("b"),
			want:   []string{"FieldValueInvalid metadata.labels[propagationpolicy.karmada.io/permanent-id]"},
		},
		"IDRemoved": {
			reason: "as removing it would cut the tie",
			old:    labelled("a"),
			new:    policy(func(*PropagationPolicy) {}),
			want:   []string{"FieldValueInvalid metadata.labels[propagationpolicy.karmada.io/permanent-id]"},
		},
		"DefaultSchedulerSpelledOut": {
			reason: "an empty name is the default scheduler's",
			old:    policy(func(*PropagationPolicy) {}),
			new:    policy(func(p *PropagationPolicy) { p.Spec.SchedulerName = DefaultScheduler }),
		},
		"OtherScheduler": {
			reason: "the scheduler stays",
			old:    policy(func(*PropagationPolicy) {}),
			new:    policy(func(p *PropagationPolicy) { p.Spec.SchedulerName = "mine" }),
			want:   []string{"FieldValueInvalid spec.schedulerName"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { wantErrors(t, tc.reason, tc.new.ValidateUpdate(tc.old), tc.want...) })
	}
}

func TestValidateClusterPropagationPolicy(t *testing.T) {
	old := &ClusterPropagationPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Labels: map[string]string{ClusterPropagationPolicyPermanentIDLabel: "a"}},
		Spec:       PropagationSpec{ResourceSelectors: []ResourceSelector{{APIVersion: "v1", Kind: "Secret", Namespace: "any"}}},
	}
	wantErrors(t, "the cluster-wide kind selects in any namespace", old.Validate())

	changed := old.DeepCopy()
	changed.Labels = nil
	changed.Spec.SchedulerName = "mine"
	changed.Spec.Placement.SpreadConstraints = []SpreadConstraint{{SpreadByField: SpreadByFieldZone}}
	wantErrors(t, "for the rest it is like its twin", changed.ValidateUpdate(old),
		"FieldValueRequired spec.placement.spreadConstraints",
		"FieldValueInvalid spec.schedulerName",
		"FieldValueInvalid metadata.labels[clusterpropagationpolicy.karmada.io/permanent-id]")
}
