// SPDX-License-Identifier: Apache-2.0

package binding_test

import (
	"maps"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// What a simulation takes for the state is what a failover would: the values that the member
// reported, and the labels of the rules, or why it would not leave.
func TestReportedOfAnItem(t *testing.T) {
	rules := &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{{AliasLabelName: "job", JSONPath: "{ .jobId }"}}}
	b := &workv1alpha2.ResourceBinding{}
	b.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{
		{ClusterName: "member1", State: map[string]string{"path": "s3://one"}, Status: &runtime.RawExtension{Raw: []byte(`{"jobId":"17"}`)}},
		{ClusterName: "member2"},
	}
	got, err := binding.ReportedState(b, rules, "member1")
	if err != nil || !maps.Equal(got.Labels, map[string]string{"job": "17"}) || !maps.Equal(got.Values, map[string]string{"path": "s3://one"}) {
		t.Errorf("got %v, error %v", got, err)
	}
	if got, err := binding.ReportedState(b, rules, "member2"); err == nil {
		t.Errorf("nothing names the label, got %v", got)
	}
}

// A state that a copy took over is older than what it reports, whichever rule names that, and no
// rule with another path finds it any more.
func TestReportedIsNewerThanTakenOver(t *testing.T) {
	rule := func(path string) *policyv1alpha1.StatePreservation {
		return &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{{AliasLabelName: "job", JSONPath: path}}}
	}
	b := &workv1alpha2.ResourceBinding{}
	b.Spec.Failover = &policyv1alpha1.FailoverBehavior{
		Application: &policyv1alpha1.ApplicationFailoverBehavior{StatePreservation: rule("{ .missing }")},
		Cluster:     &policyv1alpha1.ClusterFailoverBehavior{StatePreservation: rule("{ .jobId }")},
	}
	if _, err := binding.SetKeptStates(b, []binding.Kept{{Cluster: "member1", Labels: []binding.KeptLabel{{Key: "job", Value: "2"}}}}); err != nil {
		t.Fatal(err)
	}
	b.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{ClusterName: "member1", Status: &runtime.RawExtension{Raw: []byte(`{"jobId":"4"}`)}}}
	if got, err := binding.ReportedState(b, b.Spec.Failover.Application.StatePreservation, "member1"); err == nil {
		t.Errorf("a rule that names nothing gave %v", got)
	}
	if got, err := binding.ReportedState(b, b.Spec.Failover.Cluster.StatePreservation, "member1"); err != nil || got.Labels["job"] != "4" {
		t.Errorf("got %v, error %v; want the job that is reported", got, err)
	}
}
