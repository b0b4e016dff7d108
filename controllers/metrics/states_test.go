// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func condition(kind, status, reason string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: metav1.ConditionStatus(status), Reason: reason, ObservedGeneration: 1}
}

func cluster(conditions ...metav1.Condition) *clusterv1alpha1.Cluster {
	return &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "m1"}, Status: clusterv1alpha1.ClusterStatus{Conditions: conditions}}
}

func bound(placed bool, conditions ...metav1.Condition) *workv1alpha2.ResourceBinding {
	b := &workv1alpha2.ResourceBinding{Spec: workv1alpha2.ResourceBindingSpec{Placement: &policyv1alpha1.Placement{}}}
	if placed {
		b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "m1"}}
	}
	b.Status.Conditions = conditions
	return b
}

func work(change func(*workv1alpha1.Work), conditions ...metav1.Condition) *workv1alpha1.Work {
	w := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: "karmada-es-m1", Generation: 1}}
	w.Status.Conditions = conditions
	if change != nil {
		change(w)
	}
	return w
}

func TestStatesOf(t *testing.T) {
	scheduled, applied := condition("Scheduled", "True", "Success"), condition("FullyApplied", "True", "FullyAppliedSuccess")
	attached, deleting := bound(true), bound(false)
	attached.Spec.Placement = nil
	deleting.DeletionTimestamp = &metav1.Time{}
	one := series{bindings, "", 1}
	for name, tc := range map[string]struct {
		object any
		want   []series
	}{
		"a cluster that was never probed": {cluster(), []series{{clusters, "", 1}, {clusterReady, "m1", 0}}},
		"a cluster that is ready":         {cluster(condition("Ready", "True", "")), []series{{clusters, "", 1}, {clusterReady, "m1", 1}}},
		"a cluster that is not known":     {cluster(condition("Ready", "Unknown", "")), []series{{clusters, "", 1}, {clusterReady, "m1", 0}}},

		"a binding where all is well":       {bound(true, scheduled, applied), []series{one}},
		"a new binding":                     {bound(false), []series{one, {notScheduled, "Pending", 1}}},
		"a binding that no cluster fits":    {bound(false, condition("Scheduled", "False", "NoClusterFit")), []series{one, {notScheduled, "NoClusterFit", 1}}},
		"a binding of another scheduler":    {bound(false, condition("Scheduled", "False", "Mine")), []series{one, {notScheduled, "Other", 1}}},
		"a binding that is not applied":     {bound(true, scheduled, condition("FullyApplied", "False", "FullyAppliedFailed")), []series{one, {notFullApplied, "", 1}}},
		"a binding that was just placed":    {bound(true, scheduled), []series{one, {notFullApplied, "", 1}}},
		"a binding that is suspended":       {bound(true, scheduled, condition("FullyApplied", "False", "SuspendDispatching")), []series{one}},
		"a binding of what others need":     {attached, []series{one, {notFullApplied, "", 1}}},
		"a binding that is being deleted":   {deleting, []series{one}},
		"a cluster-wide binding without it": {&workv1alpha2.ClusterResourceBinding{}, []series{one}},

		"a Work that is applied": {work(nil, condition("Applied", "True", "")), []series{{works, "m1", 1}}},
		"a Work that the published agent applied": {
			work(func(w *workv1alpha1.Work) { w.Generation = 3 }, metav1.Condition{Type: "Applied", Status: "True"}), []series{{works, "m1", 1}},
		},
		"a new Work":             {work(nil), []series{{works, "m1", 1}, {notApplied, "m1", 1}}},
		"a Work that is refused": {work(nil, condition("Applied", "False", "")), []series{{works, "m1", 1}, {notApplied, "m1", 1}}},
		"a Work that changed since": {
			work(func(w *workv1alpha1.Work) { w.Generation = 2 }, condition("Applied", "True", "")), []series{{works, "m1", 1}, {notApplied, "m1", 1}},
		},
		"a Work that is suspended": {work(func(w *workv1alpha1.Work) { w.Spec.SuspendDispatching = ptr.To(true) }), []series{{works, "m1", 1}}},
		"a Work that is being deleted": {
			work(func(w *workv1alpha1.Work) { w.DeletionTimestamp = &metav1.Time{} }), []series{{works, "m1", 1}},
		},
		"a Work whose object stays": {
			work(func(w *workv1alpha1.Work) { w.DeletionTimestamp = &metav1.Time{} }, condition("CleanedUp", "False", "ObjectHeld")),
			[]series{{works, "m1", 1}, {notCleanedUp, "m1", 1}},
		},
		"a Work in no execution namespace": {work(func(w *workv1alpha1.Work) { w.Namespace = "default" }), nil},
		"another object":                   {&metav1.PartialObjectMetadata{}, nil},
	} {
		if diff := cmp.Diff(tc.want, statesOf(tc.object), cmp.AllowUnexported(series{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
