// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestAwaitSummaries(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	ready := func(since time.Duration, status metav1.ConditionStatus) func(*clusterv1alpha1.Cluster) {
		return func(c *clusterv1alpha1.Cluster) {
			c.Status.Conditions = []metav1.Condition{{
				Type: clusterv1alpha1.ClusterConditionReady, Status: status, LastTransitionTime: metav1.NewTime(now.Add(-since)),
			}}
		}
	}
	inStatus := func(status metav1.ConditionStatus) *workv1alpha2.ResourceBindingStatus {
		return &workv1alpha2.ResourceBindingStatus{Conditions: []metav1.Condition{{Type: workv1alpha2.Scheduled, Status: status}}}
	}
	leaves := func(s *workv1alpha2.ResourceBindingSpec) {
		s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{{FromCluster: "a"}}
	}
	type clusterOptions = []func(*clusterv1alpha1.Cluster)
	cases := map[string]struct {
		reason string
		spec   *workv1alpha2.ResourceBindingSpec // replicas that are divided by room where nil
		status *workv1alpha2.ResourceBindingStatus
		b      clusterOptions
		want   []string
		wait   time.Duration
	}{
		"JustReady":   {reason: "its nodes are being read", b: clusterOptions{ready(4*time.Second, "True")}, want: []string{"b"}, wait: 6 * time.Second},
		"Failed":      {reason: "one that fitted nowhere waits too", status: inStatus("False"), b: clusterOptions{ready(0, "True")}, want: []string{"b"}, wait: 10 * time.Second},
		"Packed":      {reason: "few clusters are chosen by their room", spec: deployment(4, onFew), b: clusterOptions{ready(0, "True")}, want: []string{"b"}, wait: 10 * time.Second},
		"AheadOfUs":   {reason: "clocks differ a little", b: clusterOptions{ready(-time.Second, "True")}, want: []string{"b"}, wait: 11 * time.Second},
		"Reported":    {reason: "there is one", b: clusterOptions{ready(0, "True"), has("cpu=1")}},
		"LongReady":   {reason: "its nodes cannot be read", b: clusterOptions{ready(10*time.Second, "True")}},
		"FarAhead":    {reason: "a clock that is wrong delays nothing", b: clusterOptions{ready(-time.Hour, "True")}},
		"NotReady":    {reason: "nobody knows when it is", b: clusterOptions{ready(0, "False")}},
		"NeverSeen":   {reason: "it was not probed yet", b: clusterOptions{}},
		"Unfit":       {reason: "it gets nothing anyway", b: clusterOptions{ready(0, "True"), taint("k=v:NoSchedule")}},
		"Leaving":     {reason: "nor does one that leaves", b: clusterOptions{ready(0, "True"), deleting}},
		"EqualShares": {reason: "equal shares need no room", spec: deployment(4, equally), b: clusterOptions{ready(0, "True")}},
		"Copied":      {reason: "nor do copies", spec: deployment(4), b: clusterOptions{ready(0, "True")}},
		"Scheduled":   {reason: "what was placed is not held up when it changes", status: inStatus("True"), b: clusterOptions{ready(0, "True")}},
		"Evicted":     {reason: "what fails elsewhere does not wait", spec: deployment(4, byFreeRoom, leaves), b: clusterOptions{ready(0, "True")}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.spec == nil {
				tc.spec = deployment(4, byFreeRoom)
			}
			in := Input{Spec: tc.spec, Status: tc.status, Clusters: clusters(cluster("b", tc.b...), cluster("a", has("cpu=9"), ready(0, "True")))}
			got, wait := AwaitSummaries(in, now)
			if diff := cmp.Diff(tc.want, got); diff != "" || wait != tc.wait {
				t.Errorf("%s: waits %v, want %v (-want +got):\n%s", tc.reason, wait, tc.wait, diff)
			}
		})
	}
}
