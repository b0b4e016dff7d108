// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/status"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// The state of a copy is the newest with which it was healthy, whether its cluster takes updates or not.
func TestKeepsNewestHealthy(t *testing.T) {
	type values = map[string]string
	type report struct {
		health  workv1alpha2.ResourceHealth
		applied metav1.ConditionStatus
		state   values
	}
	const (
		healthy, unhealthy = workv1alpha2.ResourceHealthy, workv1alpha2.ResourceUnhealthy
		taken, refused     = metav1.ConditionTrue, metav1.ConditionFalse
	)
	for name, tc := range map[string]struct {
		reason  string
		reports []report
		want    values
	}{
		"Fewer": {
			"a healthy copy that names fewer values means it",
			[]report{{healthy, taken, values{"job": "1", "savepoint": "2"}}, {healthy, taken, values{"job": "3"}}, {unhealthy, taken, values{"job": "3"}}},
			values{"job": "3"},
		},
		"FewerRefused": {
			"also where its cluster refused an update before",
			[]report{{healthy, taken, values{"job": "1", "savepoint": "2"}}, {healthy, refused, values{"job": "3"}}, {unhealthy, refused, values{"job": "3"}}},
			values{"job": "3"},
		},
		"SilentRefused": {
			"and reports nothing any more",
			[]report{{healthy, taken, values{"job": "1"}}, {healthy, refused, values{"job": "2"}}, {unhealthy, refused, nil}},
			values{"job": "2"},
		},
		"UnhealthyRefused": {
			"one that is not healthy does not take away what was kept",
			[]report{{healthy, taken, values{"job": "1", "savepoint": "2"}}, {unhealthy, refused, values{"job": "3"}}},
			values{"job": "1", "savepoint": "2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
			b.Generation = 1
			b.Spec.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{}}
			b.Spec.Clusters = fixture.Targets("a")
			w := fixture.Work("a", "one", fixture.Gadget("space", "one", nil))
			w.UID, w.Annotations = "a", map[string]string{workv1alpha2.FailoverAnnotation: workv1alpha2.FailoverState}
			for i, r := range tc.reports {
				fixture.SetApplied(w, r.applied)
				w.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{{Health: r.health, State: r.state}}
				works := []workv1alpha1.Work{*w.DeepCopy()}
				before := b.DeepCopy()
				kept, err := status.Decide(b, status.View{
					Before: before, Items: binding.Aggregate(works, nil), Works: works, Carries: true,
					Observe: func(item *workv1alpha2.AggregatedStatusItem) (binding.Report, []binding.Problem, error) {
						return binding.NewReport(item.ClusterName, item.Health == healthy, maps.Clone(item.State)), nil, nil
					},
				}, time.Unix(int64(i*60), 0))
				if err != nil {
					t.Fatal(err)
				}
				if kept.Changes(b) {
					metav1.SetMetaDataAnnotation(&b.ObjectMeta, binding.KeptStateAnnotation, kept.Annotation)
				}
			}
			state, err := binding.ReportedState(b, nil, "a")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, state.Values); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
