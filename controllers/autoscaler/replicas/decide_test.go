// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// settled returns a binding of five replicas in two clusters, whose copies have three and four.
func settled() *workv1alpha2.ResourceBinding {
	b := &workv1alpha2.ResourceBinding{}
	b.Generation, b.Status.SchedulerObservedGeneration, b.Spec.Replicas = 3, 3, 5
	b.Spec.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{}
	b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "one", Replicas: 2}, {Name: "two", Replicas: 3}}
	b.Spec.Placement = &policyv1alpha1.Placement{ReplicaScheduling: &policyv1alpha1.ReplicaSchedulingStrategy{ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided}}
	meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{Type: workv1alpha2.FullyApplied, Status: "True", ObservedGeneration: 3})
	b.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{ClusterName: "one"}, {ClusterName: "two"}}
	report(b, 0, `{"replicas":3,"updatedReplicas":3}`)
	report(b, 1, `{"replicas":4}`)
	return b
}

// report has a cluster report a status.
func report(b *workv1alpha2.ResourceBinding, item int, status string) {
	b.Status.AggregatedStatus[item].Status = &runtime.RawExtension{Raw: []byte(status)}
}

func TestSum(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		change func(b *workv1alpha2.ResourceBinding)
		sum    int32
		waits  string
	}{
		"Settled":     {"both have reported", func(*workv1alpha2.ResourceBinding) {}, 7, ""},
		"Edited":      {"a person has just scaled the template", func(b *workv1alpha2.ResourceBinding) { b.Spec.Replicas = 9 }, 0, "the binding has 9 replicas, and the template 5"},
		"Unscheduled": {"the scheduler has not seen it", func(b *workv1alpha2.ResourceBinding) { b.Status.SchedulerObservedGeneration = 2 }, 0, "the binding is not scheduled as it is now"},
		"Unapplied":   {"a copy is not there", func(b *workv1alpha2.ResourceBinding) { b.Status.Conditions[0].Status = "False" }, 0, "the binding is not applied in all clusters as it is now"},
		"Before":      {"that is about an earlier spec", func(b *workv1alpha2.ResourceBinding) { b.Status.Conditions[0].ObservedGeneration = 2 }, 0, "the binding is not applied in all clusters as it is now"},
		"Missing":     {"a cluster has not reported", func(b *workv1alpha2.ResourceBinding) { b.Status.AggregatedStatus = b.Status.AggregatedStatus[:1] }, 0, "1 of 2 clusters have reported"},
		"Empty":       {"nor has one without a status", func(b *workv1alpha2.ResourceBinding) { b.Status.AggregatedStatus[1].Status = nil }, 0, "cluster two: no replicas are reported"},
		"Zero":        {"nor one without replicas", func(b *workv1alpha2.ResourceBinding) { report(b, 1, `{"replicas":0}`) }, 0, "cluster two: no replicas are reported"},
		"Negative":    {"nonsense counts for nothing", func(b *workv1alpha2.ResourceBinding) { report(b, 1, `{"replicas":-4}`) }, 0, "cluster two: no replicas are reported"},
		"Text":        {"nor does a text", func(b *workv1alpha2.ResourceBinding) { report(b, 1, `{"replicas":"4"}`) }, 0, "cluster two: read its status: json: cannot unmarshal string into Go struct field counts.replicas of type int64"},
		"Huge":        {"a member is not believed that has more than there can be", func(b *workv1alpha2.ResourceBinding) { report(b, 1, `{"replicas":4294967296}`) }, 0, "cluster two: 4294967296 replicas are too many"},
		"Rollout":     {"a rollout has pods beyond the replicas", func(b *workv1alpha2.ResourceBinding) { report(b, 1, `{"replicas":5,"updatedReplicas":1}`) }, 0, "cluster two: 1 of 5 replicas are updated"},
	} {
		t.Run(name, func(t *testing.T) {
			b := settled()
			tc.change(b)
			got, err := Sum(b, 5)
			waits := ""
			if err != nil {
				waits = err.Error()
			}
			if got != tc.sum || waits != tc.waits {
				t.Errorf("%s: got %d, %q; want %d, %q", tc.reason, got, waits, tc.sum, tc.waits)
			}
		})
	}
}

func TestFollows(t *testing.T) {
	marked, unmarked := fixture.Deployment("ns", "d"), fixture.Deployment("ns", "d")
	marked.SetLabels(map[string]string{policyv1alpha1.RetainReplicasLabel: "true"})
	copied, attached := settled(), settled()
	copied.Spec.Placement.ReplicaScheduling = nil
	attached.Spec.Placement = nil
	switch {
	case !follows(marked, settled()):
		t.Error("one that is marked and divided does not follow")
	case follows(unmarked, settled()):
		t.Error("one whose replicas the template decides follows")
	case follows(marked, copied):
		t.Error("one that each cluster has whole follows")
	case follows(marked, attached):
		t.Error("one that goes along with another follows")
	}
}
