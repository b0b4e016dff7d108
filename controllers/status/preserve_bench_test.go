// SPDX-License-Identifier: Apache-2.0

package status

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/status"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// BenchmarkPreserve is what the state of copies costs for each event of a Work, by two
// rules: where nothing changed, and where one of the copies reports another state.
func BenchmarkPreserve(b *testing.B) {
	for _, clusters := range []int{1, 100} {
		bound := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
		bound.Generation = 1
		bound.Spec.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{
			StatePreservation: &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{
				{AliasLabelName: "job", JSONPath: "{ .jobStatus.jobId }"}, {AliasLabelName: "start", JSONPath: "{ .jobStatus.startTime }"},
			}},
		}}
		meta.SetStatusCondition(&bound.Status.Conditions, metav1.Condition{Type: workv1alpha2.FullyApplied, ObservedGeneration: 1})
		for i := range clusters {
			name := fmt.Sprintf("member%d", i)
			bound.Spec.Clusters = append(bound.Spec.Clusters, workv1alpha2.TargetCluster{Name: name})
			bound.Status.AggregatedStatus = append(bound.Status.AggregatedStatus, item(name, 17))
		}
		changed := bound.DeepCopy()
		changed.Status.AggregatedStatus[0] = item("member0", 18)
		c := New[*workv1alpha2.ResourceBinding](base.Deps{Interpreter: engine.NewInterpreter(engine.Options{}), Gates: features.New(), Clock: clock.RealClock{}})
		for name, next := range map[string]*workv1alpha2.ResourceBinding{"same": bound, "changed": changed} {
			b.Run(fmt.Sprintf("%s/%d clusters", name, clusters), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					kept, err := status.Decide(next, c.view(b.Context(), next, bound, next.Status.AggregatedStatus, nil), time.Time{})
					if err != nil || kept.Changes(bound) {
						b.Fatal(kept, err)
					}
				}
			})
		}
	}
}

// item is what a healthy Flink job reports.
func item(cluster string, job int) workv1alpha2.AggregatedStatusItem {
	return workv1alpha2.AggregatedStatusItem{ClusterName: cluster, Applied: true, Health: workv1alpha2.ResourceHealthy, Status: &runtime.RawExtension{Raw: fmt.Appendf(nil,
		`{"jobManagerDeploymentStatus":"READY","jobStatus":{"jobId":"%d","jobName":"wordcount","startTime":"1734462491693","state":"RUNNING"},"lifecycleState":"STABLE"}`, job)}}
}
