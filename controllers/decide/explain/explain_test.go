// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	appsv1alpha1 "github.com/dragoman-io/dragoman/api/apps/v1alpha1"
	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
)

var update = flag.Bool("update", false, "rewrite the expected outputs in testdata")

var cases = map[string]func(s *state){
	"well": func(*state) {},
	"cluster_replaced": func(s *state) {
		s.Clusters[0].Status.Conditions = append(s.Clusters[0].Status.Conditions, metav1.Condition{
			Type: clusterv1alpha1.ClusterConditionIDConflict, Status: "True", Reason: clusterv1alpha1.ReasonOtherCluster,
			Message: "another cluster is behind this name: its id is b, and the recorded one is a", LastTransitionTime: earlier,
		})
		s.Works["m1"].Generation = 2
	},
	"cluster_of_another_control_plane": func(s *state) {
		s.Clusters[0].Status.Conditions = append(s.Clusters[0].Status.Conditions, metav1.Condition{
			Type: clusterv1alpha1.ClusterConditionOwnerConflict, Status: "True", Reason: clusterv1alpha1.ReasonOtherControlPlane,
			Message: "another control plane of the owner o writes to this cluster", LastTransitionTime: earlier,
		})
		s.Works["m1"].Generation = 2
	},
	"cluster_whose_lease_is_awaited": func(s *state) {
		s.Clusters[0].Status.Conditions = append(s.Clusters[0].Status.Conditions, metav1.Condition{
			Type: clusterv1alpha1.ClusterConditionOwnerConflict, Status: "Unknown", Reason: clusterv1alpha1.ReasonAwaitingLease,
			Message: "the manager x held the Lease in this cluster", LastTransitionTime: earlier,
		})
		s.Works["m1"].Generation = 2
	},
	"cluster_without_lease": func(s *state) {
		s.Clusters[0].Status.Conditions = append(s.Clusters[0].Status.Conditions, metav1.Condition{
			Type: clusterv1alpha1.ClusterConditionOwnerConflict, Status: "Unknown", Reason: clusterv1alpha1.ReasonLeaseUnavailable,
			Message: "another control plane would not be noticed here", LastTransitionTime: earlier,
		})
	},
	"member_status": func(s *state) {
		s.MemberStatus = true
	},
	"template_deleting": func(s *state) {
		s.Template.SetDeletionTimestamp(&earlier)
		s.Template.SetFinalizers([]string{"example.io/hold"})
	},
	"template_claimed_by_other": func(s *state) {
		s.unbound().unclaimed()
		s.Template.SetLabels(map[string]string{policyv1alpha1.ClaimedByLabel: "queue"})
		s.Policies = nil
	},
	"no_policy": func(s *state) {
		s.unbound().unclaimed()
		s.Policies = nil
	},
	"no_policy_nearest": func(s *state) {
		s.unbound().unclaimed()
		name, version, labels, kind := policy("name"), policy("version"), policy("labels"), policy("kind")
		name.Spec.ResourceSelectors[0].Name = "web2"
		version.Spec.ResourceSelectors[0].APIVersion = "apps/v1beta1"
		labels.Spec.ResourceSelectors[0].Name = ""
		labels.Spec.ResourceSelectors[0].LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "shop"}}
		kind.Spec.ResourceSelectors[0].Kind = "StatefulSet"
		s.Policies = []policyv1alpha1.Policy{kind, version, name, labels}
	},
	"policy_gone": func(s *state) {
		s.unclaimed()
		s.Policies = nil
	},
	"policies_lost": func(s *state) {
		low, all, later, wide, broken, deleting := policy("low"), policy("all"), policy("q"), widePolicy("wide"), policy("broken"), policy("deleting")
		low.Spec.Priority = ptr.To[int32](-1)
		all.Spec.ResourceSelectors[0].Name = ""
		broken.Spec.ResourceSelectors[0].Name = ""
		broken.Spec.ResourceSelectors[0].LabelSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Like"}}}
		deleting.DeletionTimestamp = &earlier
		s.Policies = append(s.Policies, low, all, later, wide, broken, deleting)
	},
	"policy_claimed": func(s *state) {
		high, preempts := policy("high"), policy("preempts")
		high.Spec.Priority, preempts.Spec.Priority = ptr.To[int32](5), ptr.To[int32](6)
		preempts.Spec.Preemption = policyv1alpha1.PreemptAlways
		s.Policies = append(s.Policies, high, preempts)
	},
	"dependent_overrides": func(s *state) {
		s.unbound().unclaimed()
		s.policy.Spec.DependentOverrides = []string{"images"}
		s.Missing = map[policyv1alpha1.Policy][]string{s.policy: {"images"}}
	},
	"lazy_template": func(s *state) {
		s.unbound()
		s.policy.Spec.ActivationPreference = policyv1alpha1.LazyActivation
		claim.Of(s.policy).Deferred("x").Set(s.Template)
	},
	"lazy_policy": func(s *state) {
		s.binding.Annotations[workv1alpha2.DeferredPolicyAnnotation] = "2"
	},
	"not_claimed": func(s *state) { s.unbound().unclaimed() },
	"no_binding":  func(s *state) { s.unbound() },
	"script_fails": func(s *state) {
		s.unbound()
		s.Customizations = []*configv1alpha1.ResourceInterpreterCustomization{{
			ObjectMeta: metav1.ObjectMeta{Name: "deployments"},
			Status: configv1alpha1.ResourceInterpreterCustomizationStatus{Conditions: []metav1.Condition{
				{Type: "Active", Status: "True"},
				{Type: "Evaluated", Status: "False", Reason: "Raised", Message: "replica.lua:3: no spec", LastTransitionTime: earlier},
			}},
		}}
	},
	"generic_rules": func(s *state) { s.Generic = true },
	"generic_rules_beside_a_script": func(s *state) {
		s.Generic = true
		s.Customizations = []*configv1alpha1.ResourceInterpreterCustomization{{ObjectMeta: metav1.ObjectMeta{Name: "deployments"}}}
	},
	"binding_deleting": func(s *state) {
		s.binding.DeletionTimestamp = &earlier
		s.binding.Finalizers = append(s.binding.Finalizers, "example.io/hold")
	},
	"binding_of_earlier_object": func(s *state) { s.binding.OwnerReferences[0].UID = "u0" },
	"binding_stale": func(s *state) {
		_ = unstructured.SetNestedField(s.Template.Object, int64(9), "spec", "replicas")
	},
	"not_scheduled": func(s *state) { s.binding.Generation = 4 },
	"other_scheduler": func(s *state) {
		s.unscheduled("", "")
		s.binding.Status.Conditions, s.binding.Spec.SchedulerName = nil, "mine"
	},
	"unhealthy_while_suspended": func(s *state) {
		s.binding.Spec.Suspension = &workv1alpha2.Suspension{Scheduling: ptr.To(true)}
		s.binding.Spec.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{}}
		s.binding.Annotations = map[string]string{binding.UnhealthySinceAnnotation: `{"m1":"2026-02-03T04:05:06Z"}`}
	},
	"scheduling_suspended": func(s *state) {
		s.binding.Spec.Suspension = &workv1alpha2.Suspension{Scheduling: ptr.To(true)}
	},
	"no_cluster_fits": func(s *state) {
		s.unscheduled("NoClusterFit", "0/3 clusters are available: 1 cluster(s) did not have the API resource, ...")
		s.Clusters[0].Spec.Taints = []corev1.Taint{{Key: "maintenance", Value: "yes", Effect: corev1.TaintEffectNoSchedule}}
		s.Clusters[1].Status.APIEnablements = nil
	},
	"no_cluster_is_known": func(s *state) {
		s.unscheduled("NoClusterFit", "0/3 clusters are available: ...")
		for _, c := range s.Clusters {
			c.Status.APIEnablements, c.Status.Conditions = nil, nil
		}
		s.Clusters[1].Status.Conditions = []metav1.Condition{{Type: "Ready", Status: "Unknown", Reason: "NoAgent", Message: "no agent has reported", LastTransitionTime: earlier}}
	},
	"capacity_not_readable": func(s *state) {
		s.unscheduled("Unschedulable", "no room")
		s.binding.Spec.Placement = &policyv1alpha1.Placement{ReplicaScheduling: &policyv1alpha1.ReplicaSchedulingStrategy{
			ReplicaSchedulingType: "Divided", ReplicaDivisionPreference: "Aggregated",
		}}
		for _, c := range s.Clusters {
			c.Status.Conditions = append(c.Status.Conditions, metav1.Condition{Type: "PermissionsComplete", Status: "False", Reason: "Forbidden", Message: "nodes is forbidden"})
		}
	},
	"works_without_agent": func(s *state) {
		s.Works["m1"].Status.Conditions = nil
		s.Clusters[0].Status.Conditions = []metav1.Condition{{Type: "Ready", Status: "Unknown", Reason: "NoAgent", Message: "no agent has reported", LastTransitionTime: earlier}}
	},
	"no_cluster_fits_any_more": func(s *state) {
		s.condition(metav1.Condition{Type: workv1alpha2.Scheduled, Status: "False", Reason: "NoClusterFit", Message: "0/3 clusters are available: ...", ObservedGeneration: 3})
	},
	"spread": func(s *state) {
		s.binding.Spec.Placement = &policyv1alpha1.Placement{SpreadConstraints: []policyv1alpha1.SpreadConstraint{{SpreadByField: "cluster", MinGroups: 1, MaxGroups: 2}}}
	},
	"capacity": func(s *state) {
		s.unscheduled("Unschedulable", "no room")
		s.binding.Spec.Placement = &policyv1alpha1.Placement{ReplicaScheduling: &policyv1alpha1.ReplicaSchedulingStrategy{
			ReplicaSchedulingType: "Divided", ReplicaDivisionPreference: "Aggregated",
		}}
		s.binding.Spec.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{ResourceRequest: corev1.ResourceList{"cpu": resource.MustParse("2")}}
		for _, c := range s.Clusters {
			c.Status.ResourceSummary = &clusterv1alpha1.ResourceSummary{Allocatable: corev1.ResourceList{"cpu": resource.MustParse("1"), "pods": resource.MustParse("10")}}
		}
	},
	"quota": func(s *state) {
		s.unscheduled("QuotaExceeded", "FederatedResourceQuota(shop/team) exceeded for resource cpu: asked for 2 more, 1 of 10 left")
	},
	"quota_of_a_change": func(s *state) {
		_ = unstructured.SetNestedField(s.Template.Object, int64(9), "spec", "replicas")
		s.binding.Status.Conditions = append(s.binding.Status.Conditions, metav1.Condition{
			Type: workv1alpha2.WithinQuota, Status: "False", Reason: "QuotaExceeded", LastTransitionTime: earlier,
			Message: "FederatedResourceQuota(shop/team) exceeded for resource cpu: asked for 2 more, 1 of 10 left",
		})
	},
	"evicting": func(s *state) {
		s.binding.Spec.Clusters = s.binding.Spec.Clusters[:1]
		s.binding.Spec.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{{
			FromCluster: "m2", Reason: "TaintUntolerated", PurgeMode: policyv1alpha1.PurgeModeGracefully, CreationTimestamp: &earlier,
		}}
	},
	"waiting_for_health": func(s *state) {
		s.binding.Spec.Clusters = s.binding.Spec.Clusters[:1]
		s.binding.Spec.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{{
			FromCluster: "m2", Reason: "ApplicationFailure", PurgeMode: policyv1alpha1.PurgeModeGracefully, CreationTimestamp: &earlier,
		}}
		s.condition(metav1.Condition{Type: workv1alpha2.FailedOver, Status: "False", Reason: "NewCopyNotHealthy", Message: "the new copy in cluster m1 is not healthy yet", LastTransitionTime: earlier})
	},
	"failing_over": func(s *state) {
		s.binding.Spec.Clusters[1].Name = "m3"
		if err := binding.Evict(s.binding, binding.Eviction{
			Cluster: "m1", Reason: workv1alpha2.EvictionReasonApplicationFailure, PurgeMode: policyv1alpha1.PurgeModeDirectly, Time: earlier.Time,
		}); err != nil {
			panic(err)
		}
		was := s.binding.Spec.Clusters
		s.binding.Spec.Clusters = append(was, workv1alpha2.TargetCluster{Name: "m2", Replicas: 4})
		if err := binding.RecordPlacement(s.binding, was, earlier.Time); err != nil {
			panic(err)
		}
	},
	"failing_over_from_a_cluster_that_left": func(s *state) {
		s.binding.Annotations[binding.HistoryAnnotation] = `[{"from":"m0","to":["m1"],"purgeMode":"Directly","evicted":"2026-05-01T11:55:00.000000Z",` +
			`"placed":"2026-05-01T11:55:00.000000Z","gone":"2026-05-01T11:55:01.000000Z","started":"2026-05-01T11:55:02.000000Z"}]`
	},
	"evictions_stopped": func(s *state) { s.stopsEvictions(nil) },
	"evictions_stopped_tolerated": func(s *state) {
		s.stopsEvictions([]corev1.Toleration{{Key: "outage", Operator: corev1.TolerationOpExists}})
	},
	"evictions_stopped_written": func(s *state) { // somebody wrote the cluster without the taint, which comes back
		s.stopsEvictions(nil)
		s.Clusters[1].Spec.Taints, s.Clusters[1].Status.TaintedSince = nil, []clusterv1alpha1.TaintSince{{Key: "outage", Since: earlier}}
	},
	"rebalance_requested": func(s *state) {
		done, failed, older := s.rebalancer("done"), s.rebalancer("failed"), s.rebalancer("older")
		done.Generation, failed.Generation, older.Generation = 2, 2, 2
		done.Status.ObservedGeneration, failed.Status.ObservedGeneration, older.Status.ObservedGeneration = 1, 2, 1
		done.Status.ObservedWorkloads = []appsv1alpha1.ObservedWorkload{{Workload: done.Spec.Workloads[0], Result: appsv1alpha1.RebalanceSuccessful}}
		failed.Status.ObservedWorkloads = []appsv1alpha1.ObservedWorkload{{Workload: failed.Spec.Workloads[0], Result: appsv1alpha1.RebalanceFailed, Reason: appsv1alpha1.RebalanceObjectNotFound}}
		older.Status.ObservedWorkloads = failed.Status.ObservedWorkloads
		other := s.rebalancer("other")
		other.Spec.Workloads[0].Name = "api"
		s.Rebalancers = []*appsv1alpha1.WorkloadRebalancer{s.rebalancer("again"), done, failed, older, other}
	},
	"rebalance_triggered": func(s *state) {
		last := metav1.NewTime(earlier.Add(-time.Minute))
		s.binding.Status.LastScheduledTime, s.binding.Spec.RescheduleTriggeredAt = &last, &earlier
	},
	"rebalance_followed": func(s *state) {
		s.binding.Status.LastScheduledTime, s.binding.Spec.RescheduleTriggeredAt = &earlier, &earlier
	},
	"attached": func(s *state) {
		s.unclaimed()
		s.Policies, s.binding.Spec.Placement, s.binding.Spec.Clusters = nil, nil, nil
		s.binding.Spec.RequiredBy = []workv1alpha2.BindingSnapshot{{Namespace: "shop", Name: "api-deployment", Clusters: []workv1alpha2.TargetCluster{{Name: "m1"}, {Name: "m2"}}}}
	},
	"override_fails": func(s *state) {
		delete(s.Works, "m2")
		s.condition(metav1.Condition{Type: workv1alpha2.Rendered, Status: "False", Reason: "OverrideFailed", Message: "OverridePolicy shop/images: spec.overrideRules[0]: no such path, for cluster m2"})
	},
	"overrides_applied": func(s *state) {
		s.Works["m1"].Annotations = map[string]string{policyv1alpha1.AppliedOverridesAnnotation: `[{"policyName":"images","overriders":{}}]`}
	},
	"suspended": func(s *state) {
		s.Works["m1"].Spec.SuspendDispatching, s.Works["m1"].Status.Conditions = ptr.To(true), nil
	},
	"work_missing": func(s *state) { delete(s.Works, "m2") },
	"work_deleting": func(s *state) {
		s.Works["m2"].DeletionTimestamp, s.Works["m2"].Finalizers = &earlier, []string{workv1alpha2.ExecutionFinalizer}
	},
	"node_port_taken": func(s *state) {
		c := &s.Works["m2"].Status.Conditions[0]
		c.Status, c.Reason, c.Message = "False", "AppliedFailed", `create Service shop/web in cluster m2: Service "web" is invalid: spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated`
	},
	"work_deletion_refused": func(s *state) {
		s.cleanup("CleanupFailed", "delete Deployment shop/web: denied by admission policy keep")
	},
	"work_object_held": func(s *state) {
		s.cleanup("ObjectHeld", "Deployment shop/web is being deleted in cluster m2 and stays: its finalizers are example.io/hold, which their owners have to remove there")
	},
	"work_deleting_in_a_cluster_away": func(s *state) {
		s.cleanup("CleanupFailed", "no answer")
		s.Clusters[1].Status.Conditions = []metav1.Condition{{Type: "Ready", Status: "False", Message: "connection refused", LastTransitionTime: earlier}}
	},
	"gone": func(s *state) {
		s.Gone, s.Binding = true, nil
		s.cleanup("CleanupFailed", "delete Deployment shop/web: denied by admission policy keep")
		delete(s.Works, "m1")
	},
	"gone_with_a_binding": func(s *state) {
		s.Gone, s.Works = true, nil
	},
	"gone_with_a_binding_deleting": func(s *state) {
		s.Gone = true
		s.binding.DeletionTimestamp = &earlier
		delete(s.Works, "m1")
		s.Works["m2"].DeletionTimestamp, s.Works["m2"].Finalizers = &earlier, []string{workv1alpha2.ExecutionFinalizer}
	},
	"gone_orphaned": func(s *state) {
		s.Gone, s.binding.OwnerReferences, s.Works = true, nil, nil
	},
	"name_too_long": func(s *state) {
		s.unbound()
		s.Template.SetName(strings.Repeat("n", 250))
	},
	"conflict": func(s *state) {
		s.Works["m2"].Status.Conditions = []metav1.Condition{{
			Type: "Applied", Status: "False", Reason: "AppliedFailed", ObservedGeneration: 1, LastTransitionTime: earlier,
			Message: "Deployment shop/web is in cluster m2 already and is not managed from here; to take it over, set spec.conflictResolution: Overwrite in the policy, or the annotation work.karmada.io/conflict-resolution: overwrite on the template",
		}}
	},
	"not_applied": func(s *state) { s.Works["m1"].Generation = 2 },
	"cluster_not_ready": func(s *state) {
		s.Works["m1"].Status.Conditions = nil
		s.Clusters[0].Status.Conditions = []metav1.Condition{{Type: "Ready", Status: "False", Message: "connection refused", LastTransitionTime: earlier}}
	},
	"pending": func(s *state) {
		item := &s.binding.Status.AggregatedStatus[1]
		item.Health, item.HealthReason = workv1alpha2.ResourceUnhealthy, workv1alpha2.HealthPending
	},
	"progressing": func(s *state) {
		item := &s.binding.Status.AggregatedStatus[1]
		item.Health, item.HealthReason = workv1alpha2.ResourceUnhealthy, workv1alpha2.HealthProgressing
	},
	"unhealthy":    func(s *state) { s.binding.Status.AggregatedStatus[1].Health = workv1alpha2.ResourceUnhealthy },
	"not_reported": func(s *state) { s.binding.Status.AggregatedStatus = s.binding.Status.AggregatedStatus[:1] },
	"status_old":   func(s *state) { s.Template.SetGeneration(3) },
	"suspended_everywhere": func(s *state) {
		s.binding.Spec.Suspension = &workv1alpha2.Suspension{Suspension: policyv1alpha1.Suspension{Dispatching: ptr.To(true)}}
		for i, w := range []*workv1alpha1.Work{s.Works["m1"], s.Works["m2"]} {
			w.Spec.SuspendDispatching, w.Status.Conditions = ptr.To(true), nil
			s.binding.Status.AggregatedStatus[i] = workv1alpha2.AggregatedStatusItem{ClusterName: s.binding.Spec.Clusters[i].Name}
		}
	},
	"dependencies": func(s *state) {
		ref := func(kind, name string) binding.Reference {
			return binding.Reference{APIVersion: "v1", Kind: kind, Namespace: "shop", Name: name}
		}
		labelled := ref("Secret", "")
		labelled.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
		s.Dependencies = []Dependency{
			{Reference: ref("ConfigMap", "settings"), Attached: scope.EmptyBinding("shop", "settings-configmap")},
			{Reference: ref("ConfigMap", "missing")},
			{Reference: labelled},
		}
	},
	"attached_config": func(s *state) {
		s.unclaimed()
		s.Policies, s.binding.Spec.Placement, s.binding.Spec.Clusters, s.binding.Spec.Replicas = nil, nil, nil, 0
		s.binding.Spec.RequiredBy = []workv1alpha2.BindingSnapshot{{Namespace: "shop", Name: "api-deployment", Clusters: []workv1alpha2.TargetCluster{{Name: "m1", Replicas: 2}}}}
		delete(s.Works, "m2")
	},
	"kind_not_propagated": func(s *state) {
		s.unbound().unclaimed()
		s.Template.SetGroupVersionKind(policyv1alpha1.GroupVersion.WithKind("PropagationPolicy"))
	},
	"namespace_not_propagated": func(s *state) {
		s.unbound().unclaimed()
		s.Template.SetNamespace("kube-system")
	},
	"wide":           func(s *state) { s.wide() },
	"wide_no_policy": func(s *state) { s.wide().unbound().unclaimed().Policies = nil },
	"wide_no_policy_nearest": func(s *state) {
		s.wide().unbound().unclaimed()
		s.Policies[0].GetSpec().ResourceSelectors[0].Name = "writer"
	},
	"wide_no_cluster_fits": func(s *state) {
		s.wide().unscheduled("NoClusterFit", "0/3 clusters are available: ...")
		s.Clusters[0].Spec.Taints = []corev1.Taint{{Key: "maintenance", Effect: corev1.TaintEffectNoSchedule}}
	},
	"wide_conflict": func(s *state) {
		s.wide().binding.Status.AggregatedStatus[1].Applied = false
		s.Works["m2"].Status.Conditions = []metav1.Condition{{
			Type: "Applied", Status: "False", Reason: "AppliedFailed", ObservedGeneration: 1, LastTransitionTime: earlier,
			Message: "ClusterRole reader is in cluster m2 already and is not managed from here; to take it over, set the annotation work.karmada.io/conflict-resolution: overwrite",
		}}
	},
	"wide_override_fails": func(s *state) {
		s.wide().condition(metav1.Condition{Type: workv1alpha2.Rendered, Status: "False", Reason: "OverrideFailed", Message: "ClusterOverridePolicy rules: spec.overrideRules[0]: no such path, for cluster m2"})
	},
	"wide_deleting": func(s *state) {
		s.wide().binding.DeletionTimestamp, s.binding.Finalizers = &earlier, []string{workv1alpha2.ClusterBindingFinalizer}
	},
	"follows": func(s *state) { s.namespace() },
	"follows_nowhere": func(s *state) {
		s.namespace().Works = nil
	},
	"follows_and_is_refused": func(s *state) {
		s.namespace().Works["m2"].Status.Conditions[0].Status = "False"
		s.Works["m2"].Status.Conditions[0].Message = "forbidden"
	},
	"follows_not_by_label": func(s *state) {
		s.namespace().Template.SetLabels(map[string]string{policyv1alpha1.NamespaceSkipAutoPropagationLabel: "true"})
	},
	"follows_not_default":     func(s *state) { s.namespace().Template.SetName("default") },
	"follows_not_kube_system": func(s *state) { s.namespace().Template.SetName("kube-system") },
}

// TestExplain compares text and json of each case with testdata/NAME.txt and NAME.json.
func TestExplain(t *testing.T) {
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			s := well(t)
			change(s)
			chain := Explain(s.Input)
			golden(t, name+".txt", chain.Text(now))
			raw, err := json.MarshalIndent(chain, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+".json", string(raw)+"\n")
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
