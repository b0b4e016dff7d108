// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	appsv1alpha1 "github.com/dragoman-io/dragoman/api/apps/v1alpha1"
	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/leave"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
)

// pending lists what was requested of the clusters of the binding and has not been done:
// evictions that are stopped, failures that move nothing, then requests to place it again.
func (in Input) pending() []Finding {
	return append(append(in.stopped(), in.unmoved()...), in.rebalances()...)
}

// unmoved lists the clusters in which the application is unhealthy, and that it does not leave since
// no other one would be chosen for it.
func (in Input) unmoved() []Finding {
	b := in.Binding
	if f := b.GetSpec().Failover; f == nil || f.Application == nil || binding.IsMovable(b) {
		return nil
	}
	why, advice := "its policy is gone", "have a policy select the template; the time for which it is unhealthy runs on"
	if binding.SchedulingSuspended(b.GetSpec()) {
		why, advice = "scheduling is suspended", "end the suspension of scheduling in the binding; the time for which it is unhealthy runs on"
	}
	var all []Finding
	since := binding.UnhealthySince(b)
	for _, cluster := range slices.Sorted(maps.Keys(since)) {
		all = append(all, Finding{
			State: Waiting, Subject: cluster, Reason: "NotMovable", Since: &metav1.Time{Time: since[cluster]},
			Message: "the application is unhealthy there and stays: " + why + ", so that no other cluster would be chosen", Advice: advice,
		})
	}
	return all
}

// stopped lists the clusters that the binding has to leave because of a taint, and from which
// the control plane evicts nothing now.
func (in Input) stopped() []Finding {
	if !binding.IsMovable(in.Binding) {
		return nil
	}
	clusters := map[string]*clusterv1alpha1.Cluster{}
	for _, c := range in.Clusters {
		clusters[c.Name] = c
	}
	taints := func(name string) []corev1.Taint { return leave.Taints(clusters[name]) }
	var all []Finding
	for _, u := range binding.FindUntolerated(in.Binding.GetSpec(), taints, time.Time{}) { // when it is due does not matter
		c := find(clusters[u.Cluster].Status.Conditions, clusterv1alpha1.ClusterConditionEvictionsStopped)
		if c == nil || c.Status != metav1.ConditionTrue {
			continue
		}
		all = append(all, Finding{
			State: Waiting, Subject: u.Cluster, Reason: clusterv1alpha1.ClusterConditionEvictionsStopped, Since: &c.LastTransitionTime,
			Message: fmt.Sprintf("it does not tolerate the taint %s and stays all the same: %s: %s", u.Taint.ToString(), c.Reason, c.Message),
			Advice:  "docs/failover.md has what ends each reason; remove the taint if it need not leave",
		})
	}
	return all
}

// rebalances lists the requests to place the binding again that were not followed.
func (in Input) rebalances() []Finding {
	var all []Finding
	for _, r := range in.Rebalancers {
		if in.isAsked(r) {
			continue
		}
		all = append(all, Finding{
			State: Waiting, Subject: title("WorkloadRebalancer", r), Reason: rebalance, Since: &r.CreationTimestamp,
			Message: "it asks for the object to be placed again, and the scheduler was not asked yet",
			Advice:  "if this stays, look whether the manager runs",
		})
	}
	spec := in.Binding.GetSpec()
	if placement.RescheduleAsked(spec, in.Binding.GetStatus()) {
		all = append(all, Finding{
			State: Waiting, Reason: rebalance, Since: spec.RescheduleTriggeredAt,
			Message: "the scheduler was asked to place it again, and has not done so yet",
			Advice:  "if this stays, look whether the manager runs, and at the condition Scheduled of the binding",
		})
	}
	return all
}

// rebalance is the reason of a request to place an object again.
const rebalance = "RebalanceRequested"

// isAsked reports whether a rebalancer has nothing to do for the template any more: it does
// not name it, has asked the scheduler, or has found that it cannot.
func (in Input) isAsked(r *appsv1alpha1.WorkloadRebalancer) bool {
	if r.DeletionTimestamp != nil || !in.NamedBy(r) {
		return true
	}
	for i := range r.Status.ObservedWorkloads {
		o := &r.Status.ObservedWorkloads[i]
		if in.isNamed(&o.Workload) && (o.Result == appsv1alpha1.RebalanceSuccessful || r.Status.ObservedGeneration == r.Generation) {
			return true
		}
	}
	return false
}

// NamedBy reports whether a rebalancer names the template.
func (in Input) NamedBy(r *appsv1alpha1.WorkloadRebalancer) bool {
	for i := range r.Spec.Workloads {
		if in.isNamed(&r.Spec.Workloads[i]) {
			return true
		}
	}
	return false
}

// isNamed reports whether a reference is to the template, in whatever version.
func (in Input) isNamed(ref *appsv1alpha1.ObjectReference) bool {
	named := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind).GroupKind()
	return named == in.Template.GroupVersionKind().GroupKind() && ref.Namespace == in.Template.GetNamespace() && ref.Name == in.Template.GetName()
}
