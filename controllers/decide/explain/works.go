// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

func find(conditions []metav1.Condition, kind string) *metav1.Condition {
	return meta.FindStatusCondition(conditions, kind)
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// WantedClusters returns the clusters that have a Work of a binding or should have one,
// sorted.
func WantedClusters(b workv1alpha2.Binding) []string {
	all := map[string]bool{}
	for _, name := range binding.CopiesOf(b.GetSpec()).WantedClusters() {
		all[name] = true
	}
	for _, name := range binding.Clusters(b.GetSpec()) {
		all[name] = true
	}
	for i := range b.GetStatus().AggregatedStatus {
		all[b.GetStatus().AggregatedStatus[i].ClusterName] = true
	}
	return sorted(all)
}

// works explains whether each cluster has its Work, and may have it.
func (in Input) works() Link {
	l := Link{Name: "works", Finding: Finding{State: OK}}
	copies := binding.CopiesOf(in.Binding.GetSpec())
	rendered := find(in.Binding.GetStatus().Conditions, workv1alpha2.Rendered)
	for _, cluster := range WantedClusters(in.Binding) {
		w := in.Works[cluster]
		if w == nil && !copies.Wanted(cluster) {
			continue
		}
		l.Items = append(l.Items, in.work(cluster, w, copies.Wanted(cluster), rendered))
	}
	if len(l.Items) == 0 {
		return unreached("works", "there is no cluster")
	}
	l.conclude("%s")
	if rendered != nil && rendered.Status == metav1.ConditionFalse {
		l.Finding = notRendered(rendered)
	}
	return l
}

// notRendered explains the condition Rendered.
func notRendered(c *metav1.Condition) Finding {
	f := Finding{State: Broken, Reason: c.Reason, Message: c.Message, Since: &c.LastTransitionTime}
	switch c.Reason {
	case workv1alpha2.OverrideFailedReason:
		f.Advice = "mend the override policy; dragoman override shows what it makes of the object"
	case workv1alpha2.NamespaceUnavailableReason:
		f.Advice = "look whether the execution namespace of the cluster exists and is not being deleted"
	case workv1alpha2.NotAdmittedReason:
		f.Advice = "look at the quota of the namespace and at the events of the template"
	default:
		f.Advice = "mend the script or the template by the message"
	}
	return f
}

func (in Input) work(cluster string, w *workv1alpha1.Work, wanted bool, rendered *metav1.Condition) Finding {
	f := Finding{State: OK, Subject: cluster}
	switch {
	case w == nil:
		f.State, f.Reason, f.Message = Waiting, "NotCreated", "there is no Work yet"
		f.Advice = "if this stays, look whether the manager runs"
		if rendered != nil && rendered.Status == metav1.ConditionFalse {
			f.Reason, f.Advice = rendered.Reason, ""
		}
	case w.DeletionTimestamp != nil:
		return in.deleting(cluster, w)
	case !wanted:
		f.State, f.Reason, f.Message = Waiting, "Leaving", title("Work", w)+" is not wanted any more"
		f.Advice = "if this stays, look whether the manager runs"
	case ptr.Deref(w.Spec.SuspendDispatching, false) || (in.Binding != nil && binding.Suspended(in.Binding.GetSpec(), cluster)):
		f.State, f.Reason, f.Message = Waiting, "Suspended", title("Work", w)+" is not sent: dispatching is suspended"
		f.Advice = "remove spec.suspension from the policy; until then, deleting the template still deletes its objects in members"
	default:
		f.Message = title("Work", w) + overrides(w)
	}
	return f
}

// deleting explains why a Work that is being deleted is still there: the cluster is away, or the
// member does not delete its object.
func (in Input) deleting(cluster string, w *workv1alpha1.Work) Finding {
	f := Finding{State: Waiting, Subject: cluster, Reason: "Deleting", Since: w.DeletionTimestamp}
	f.Message = title("Work", w) + " is being deleted" + held(w)
	f.Advice = "if this stays, look at the conditions and events of the Work"
	left := find(w.Status.Conditions, workv1alpha1.WorkCleanedUp)
	if down := in.down(cluster); down != nil {
		f.Message, f.Advice = f.Message+"; "+down.Message, down.Advice
		return f
	}
	if left == nil {
		return f
	}
	f.State, f.Reason, f.Since = Broken, left.Reason, &left.LastTransitionTime
	f.Message = title("Work", w) + " is being deleted; " + left.Message
	f.Advice = "mend what the member refuses by the message"
	if left.Reason == workv1alpha1.ObjectHeldReason {
		f.Advice = "look in the member whether the owners of the finalizers run; to remove a finalizer by hand may leave something of the object behind"
	}
	return f
}

// overrides names the override policies that were applied to a Work.
func overrides(w *workv1alpha1.Work) string {
	var applied []string
	for _, key := range []string{policyv1alpha1.AppliedClusterOverridesAnnotation, policyv1alpha1.AppliedOverridesAnnotation} {
		var items []struct {
			PolicyName string `json:"policyName"`
		}
		if err := json.Unmarshal([]byte(w.Annotations[key]), &items); err != nil {
			continue // absent, or not ours
		}
		for _, item := range items {
			applied = append(applied, item.PolicyName)
		}
	}
	if len(applied) == 0 {
		return ""
	}
	return ", overrides " + strings.Join(slices.Compact(applied), ", ")
}

// members explains whether the object is applied in each cluster.
func (in Input) members() Link {
	l := Link{Name: "members", Finding: Finding{State: OK}}
	for _, cluster := range sorted(in.Works) {
		if w := in.Works[cluster]; w.DeletionTimestamp == nil {
			l.Items = append(l.Items, in.member(cluster, w))
		}
	}
	if len(l.Items) == 0 {
		return unreached("members", "there is no Work")
	}
	l.conclude("applied in %s")
	return l
}

// nodePortTaken is what an API server says of a node port, or of one for health checks, that is taken
// (Kubernetes 1.36, registry/core/service/portallocator).
const nodePortTaken = "provided port is already allocated"

func (in Input) member(cluster string, w *workv1alpha1.Work) Finding {
	applied := find(w.Status.Conditions, workv1alpha1.WorkApplied)
	f := Finding{State: OK, Subject: cluster, Message: "applied" + left(w)}
	current := binding.AppliedNow(w) != nil
	switch down := in.down(cluster); {
	case down != nil && !(current && applied.Status == metav1.ConditionTrue):
		return *down
	case applied != nil && applied.Status == metav1.ConditionFalse:
		f.State, f.Reason, f.Message, f.Since = Broken, applied.Reason, applied.Message, &applied.LastTransitionTime
		f.Advice = "mend what the member refuses by the message"
		switch {
		case strings.Contains(applied.Message, workv1alpha2.ConflictResolutionAnnotation):
			f.Reason, f.Advice = "Conflict", "set spec.conflictResolution: Overwrite in the policy, or remove the object from the member"
		case strings.Contains(applied.Message, nodePortTaken):
			f.Advice = "another Service of the member has the node port: set the annotation propagation.dragoman.io/node-ports: member on the template, with which each member chooses its own, or choose another port"
		}
	case ptr.Deref(w.Spec.SuspendDispatching, false) && !current:
		f.State, f.Reason, f.Message = Unreached, "Suspended", "dispatching is suspended"
	case !current:
		f.State, f.Reason, f.Message = Waiting, "NotApplied", "the Work is not applied yet"
		f.Advice = "if this stays, look whether the manager runs"
	}
	return f
}

// left names the fields that are left to another writer on the member.
func left(w *workv1alpha1.Work) string {
	var fields []string
	for i := range w.Status.Differences {
		for _, field := range w.Status.Differences[i].LeftFields {
			fields = append(fields, field.Path)
		}
	}
	if len(fields) == 0 {
		return ""
	}
	return ", and another writer keeps " + strings.Join(fields, ", ")
}

// heldBack explains why a control plane does not write to a cluster by its Lease there, or returns
// nil.
func heldBack(c *clusterv1alpha1.Cluster) *Finding {
	conflict := find(c.Status.Conditions, clusterv1alpha1.ClusterConditionOwnerConflict)
	switch {
	case conflict == nil:
		return nil
	case conflict.Reason == clusterv1alpha1.ReasonOtherControlPlane:
		return &Finding{
			State: Broken, Subject: c.Name, Reason: conflict.Reason, Message: conflict.Message, Since: &conflict.LastTransitionTime,
			Advice: "stop the control plane that is not to write there, or start this one with another --cluster-owner",
		}
	case conflict.Reason == clusterv1alpha1.ReasonAwaitingLease:
		return &Finding{
			State: Waiting, Subject: c.Name, Reason: conflict.Reason, Message: conflict.Message, Since: &conflict.LastTransitionTime,
			Advice: "wait: this goes on by itself once the manager that is named is gone",
		}
	}
	return nil
}

// down explains why nothing can be written to a cluster, or returns nil.
func (in Input) down(cluster string) *Finding {
	for _, c := range in.Clusters {
		if c.Name != cluster {
			continue
		}
		if c.IDConflict() == clusterv1alpha1.ReasonOtherCluster {
			conflict := find(c.Status.Conditions, clusterv1alpha1.ClusterConditionIDConflict)
			return &Finding{
				State: Broken, Subject: cluster, Reason: conflict.Reason, Message: conflict.Message, Since: &conflict.LastTransitionTime,
				Advice: "confirm the other cluster by its id in spec.id, or mend the address and the credentials of the Cluster",
			}
		}
		if f := heldBack(c); f != nil {
			return f
		}
		ready := find(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
		if ready != nil && ready.Status == metav1.ConditionTrue {
			return nil
		}
		f := &Finding{State: Broken, Subject: cluster, Reason: "ClusterNotReady", Message: "the cluster was never seen ready"}
		f.Advice = "look at the conditions of the Cluster"
		if ready != nil && ready.Reason == clusterv1alpha1.ReasonNoAgent {
			f.Reason, f.Message, f.Since, f.Advice = ready.Reason, ready.Message, &ready.LastTransitionTime, "set spec.syncMode: Push with an address and credentials"
			return f
		}
		if ready != nil {
			f.Message, f.Since = "the cluster is not ready: "+ready.Message, &ready.LastTransitionTime
		}
		return f
	}
	return &Finding{State: Broken, Subject: cluster, Reason: "ClusterMissing", Message: "there is no Cluster of this name", Advice: "join the cluster again, or change the placement"}
}
