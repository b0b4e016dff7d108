// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// status explains how the copies are, and whether that reached the template.
func (in Input) status() Link {
	l := Link{Name: "status", Finding: Finding{State: OK}}
	items := map[string]*workv1alpha2.AggregatedStatusItem{}
	for i := range in.Binding.GetStatus().AggregatedStatus {
		item := &in.Binding.GetStatus().AggregatedStatus[i]
		items[item.ClusterName] = item
	}
	for _, cluster := range binding.CopiesOf(in.Binding.GetSpec()).WantedClusters() {
		l.Items = append(l.Items, in.health(cluster, items[cluster]))
	}
	if len(l.Items) == 0 {
		return unreached("status", "there is no cluster")
	}
	l.conclude("healthy in %s")
	if l.State == OK {
		in.written(&l)
	}
	return l
}

// isApplied reports whether the object of a Work is applied as the Work is now.
func isApplied(w *workv1alpha1.Work) bool {
	c := binding.AppliedNow(w)
	return c != nil && c.Status == metav1.ConditionTrue
}

func (in Input) health(cluster string, item *workv1alpha2.AggregatedStatusItem) Finding {
	f := Finding{State: OK, Subject: cluster}
	switch {
	case in.Works[cluster] == nil:
		f.State, f.Message = Unreached, "there is no Work"
		return f
	case item == nil:
		f.State, f.Reason, f.Message = Waiting, "NotReported", "the member has not reported the object yet"
		f.Advice = "if this stays, look at the link members"
		return f
	}
	f.Message = string(item.Health)
	down := in.down(cluster)
	switch {
	case down != nil:
		f = *down
		f.Message += "; what is known is from before"
	case !item.Applied && isApplied(in.Works[cluster]):
		f.State, f.Reason, f.Message = Waiting, "NotCollected", "it is applied, and the status of the binding does not have that yet"
		f.Advice = "if this stays, look whether the manager runs"
	case !item.Applied:
		f.State, f.Message = Unreached, "it is not applied"
	case item.HealthReason == workv1alpha2.HealthProgressing:
		f.State, f.Reason, f.Message = Waiting, string(item.HealthReason), "the object is being changed on the member, and serves: application failover waits as long as it gets on"
		f.Advice = "if this stays, look at the object on the member: its status, events and pods"
	case item.HealthReason == workv1alpha2.HealthPending:
		f.State, f.Reason, f.Message = Waiting, string(item.HealthReason), "the object waits for somebody on the member, as its controller: application failover does not move it"
		f.Advice = "if this stays, look at the object on the member: its status, events and pods"
	case item.Health == workv1alpha2.ResourceUnhealthy:
		f.State, f.Reason, f.Message = Broken, "Unhealthy", "the object is not healthy on the member"
		f.Advice = "look at the object on the member: its status, events and pods"
	case item.Health == workv1alpha2.ResourceUnknown || item.Health == "":
		f.State, f.Reason, f.Message = Waiting, "HealthUnknown", "the member has not reported health yet"
		f.Advice = "if this stays, look whether the member is ready, and at the script for the health of the kind"
	}
	if in.MemberStatus && item.Status != nil && len(item.Status.Raw) > 0 {
		f.Message += "; status " + string(item.Status.Raw)
	}
	return f
}

// written marks the link as waiting if the status of the template is that of an earlier
// generation.
func (in Input) written(l *Link) {
	observed, found, err := unstructured.NestedInt64(in.Template.Object, "status", "observedGeneration")
	if err != nil || !found || observed >= in.Template.GetGeneration() {
		return
	}
	l.State, l.Reason = Waiting, "StatusOld"
	l.Message = fmt.Sprintf("the status of the template is of generation %d, its spec of %d", observed, in.Template.GetGeneration())
	l.Advice = "wait until the members have observed the change"
}
