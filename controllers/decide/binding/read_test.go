// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// A status that is written again from its beginning does not have the job yet: it is that of the report
// before, and not what the copy was made with.
func TestReadHealthyKeepsWhatIsNotReportedAgain(t *testing.T) {
	rules := &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{{AliasLabelName: "job", JSONPath: "{ .job }"}}}
	type item = workv1alpha2.AggregatedStatusItem
	for name, tc := range map[string]struct {
		reason string
		stored item
		// status is that of the newer report.
		status, want string
		carried      []Carried
	}{
		"Label":   {reason: "the newer report has no job", stored: item{Status: &runtime.RawExtension{Raw: []byte(`{"job":"4"}`)}}, status: `{}`, want: "job=4"},
		"Newer":   {reason: "it has another", stored: item{Status: &runtime.RawExtension{Raw: []byte(`{"job":"4"}`)}}, status: `{"job":"5"}`, want: "job=5"},
		"Values":  {reason: "a script named it, and the label is that which was taken over", stored: item{State: map[string]string{"job": "4"}}, status: `{}`, want: "job:4 job=2"},
		"Another": {reason: "what was reported is of another copy", stored: item{Copy: "two", Status: &runtime.RawExtension{Raw: []byte(`{"job":"4"}`)}}, status: `{}`, want: "job=2"},
		"Pending": {
			reason: "the copy has not taken over what it was made with", stored: item{Status: &runtime.RawExtension{Raw: []byte(`{"job":"4"}`)}}, status: `{}`, want: "job=3",
			carried: []Carried{{From: "a", To: "b", Made: "b", Labels: map[string]string{"job": "3"}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := &workv1alpha2.ResourceBinding{}
			b.Spec.Clusters = fixture.Targets("b")
			b.Spec.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{StatePreservation: rules}}
			if _, err := SetKeptStates(b, []Kept{{Cluster: "b", Labels: []KeptLabel{{Key: "job", Value: "2"}}}}); err != nil {
				t.Fatal(err)
			}
			if err := SetCarriedStates(b, tc.carried); err != nil {
				t.Fatal(err)
			}
			tc.stored.ClusterName, tc.stored.Applied, tc.stored.Health = "b", true, workv1alpha2.ResourceUnhealthy
			if tc.stored.Copy == "" {
				tc.stored.Copy = "one"
			}
			b.Status.AggregatedStatus = []item{tc.stored}
			w := workv1alpha1.Work{}
			w.Namespace, w.UID = names.ExecutionSpace("b"), "one"
			w.Annotations = map[string]string{workv1alpha2.FailoverAnnotation: workv1alpha2.FailoverState}
			w.Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue}}
			w.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{{Health: workv1alpha2.ResourceHealthy, Status: &runtime.RawExtension{Raw: []byte(tc.status)}}}
			if !ReadHealthy(b, []workv1alpha1.Work{w}, now) {
				t.Fatal("nothing was read")
			}
			if _, err := TakeOver(b, "b"); err != nil {
				t.Fatal(err)
			}
			state, err := ReportedState(b, rules, "b")
			if err != nil {
				t.Fatal(err)
			}
			if got := formatState(state); got != tc.want {
				t.Errorf("%s: the copy leaves %q behind, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// formatState returns labels with "=" and values with ":".
func formatState(s State) string {
	var all []string
	for key, value := range s.Labels {
		all = append(all, key+"="+value)
	}
	for key, value := range s.Values {
		all = append(all, key+":"+value)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestReadHealthy(t *testing.T) {
	const healthy, unhealthy, unknown = workv1alpha2.ResourceHealthy, workv1alpha2.ResourceUnhealthy, workv1alpha2.ResourceUnknown
	work := func(health workv1alpha2.ResourceHealth, job string) workv1alpha1.Work {
		w := workv1alpha1.Work{}
		w.Namespace, w.UID = names.ExecutionSpace("b"), "one"
		w.Annotations = map[string]string{workv1alpha2.FailoverAnnotation: workv1alpha2.FailoverState}
		w.Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue}}
		w.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{{Health: health, State: map[string]string{"job": job}}}
		return w
	}
	item := func(cluster string, uid types.UID, health workv1alpha2.ResourceHealth, job string) workv1alpha2.AggregatedStatusItem {
		return workv1alpha2.AggregatedStatusItem{ClusterName: cluster, Copy: uid, Applied: true, Health: health, State: map[string]string{"job": job}}
	}
	cut := statusItem(item("b", "one", unhealthy, "5"))
	cut.setUnreachable()
	told := statusItem(item("b", "one", unhealthy, "9"))
	told.setUnreachable()
	leaving, outdated := work(healthy, "9"), work(healthy, "9")
	leaving.DeletionTimestamp = &metav1.Time{}
	outdated.Generation, outdated.Status.Conditions[0].ObservedGeneration = 2, 1
	refused := work(healthy, "9")
	refused.Status.Conditions[0].Status = metav1.ConditionFalse
	plain, plainRefused := work(healthy, "9"), work(healthy, "9")
	plain.Annotations, plainRefused.Annotations = nil, nil
	plainRefused.Status.Conditions[0].Status = metav1.ConditionFalse
	other := item("c", "three", healthy, "1")
	type items = []workv1alpha2.AggregatedStatusItem
	// Nobody looks again for what the status never has: it is read, and known.
	for name, b := range map[string]struct {
		work workv1alpha1.Work
		item statusItem
	}{"told": {work(healthy, "9"), told}, "refused": {refused, itemOf(&refused, "b")}} {
		b.item.Copy = "one"
		bound := &workv1alpha2.ResourceBinding{}
		bound.Status.AggregatedStatus = items{workv1alpha2.AggregatedStatusItem(b.item)}
		if read := ReadHealthy(bound, []workv1alpha1.Work{b.work}, now); read || !isHealthy(&bound.Status.AggregatedStatus[0]) {
			t.Errorf("%s: read is %t, the item %v", name, read, bound.Status.AggregatedStatus[0])
		}
	}
	for name, tc := range map[string]struct {
		reason string
		work   workv1alpha1.Work
		stored items
		want   items // nil is what was stored
	}{
		"Healthy":     {"it was healthy since", work(healthy, "9"), items{item("b", "one", unhealthy, "5"), other}, items{item("b", "one", healthy, "9"), other}},
		"Unreachable": {"it was healthy before its cluster could not be reached", work(healthy, "9"), items{workv1alpha2.AggregatedStatusItem(cut)}, items{item("b", "one", healthy, "9")}},
		"New":         {"nothing was reported of it before", work(healthy, "9"), items{other}, items{item("b", "one", healthy, "9"), other}},
		"Another":     {"what was reported is of a copy before", work(healthy, "9"), items{item("b", "two", healthy, "9")}, items{item("b", "one", healthy, "9")}},
		"Newer":       {"its state is newer", work(healthy, "9"), items{item("b", "one", healthy, "5")}, items{item("b", "one", healthy, "9")}},
		"Plain":       {"health alone counts where no state must survive", plain, items{{ClusterName: "b", Applied: true, Health: unhealthy}}, items{{ClusterName: "b", Applied: true, Health: healthy, State: map[string]string{"job": "9"}}}},
		"Known":       {"it is stored", work(healthy, "9"), items{item("b", "one", healthy, "9")}, nil},
		"Unhealthy":   {"the report that it is not comes by its own controller", work(unhealthy, "9"), items{item("b", "one", healthy, "5")}, nil},
		"Unknown":     {"nobody knows", work(unknown, "9"), items{item("b", "one", unhealthy, "5")}, nil},
		"Leaving":     {"it was asked to go", leaving, items{item("b", "one", unhealthy, "5")}, nil},
		"Outdated":    {"it was healthy with an earlier manifest", outdated, items{item("b", "one", unhealthy, "5")}, items{item("b", "one", healthy, "9")}},
		"Refused":     {"it is healthy, and its cluster refuses the newest manifest", refused, items{item("b", "one", unhealthy, "5")}, items{item("b", "one", healthy, "9")}},
		"RefusedToo":  {"its state must not survive", plainRefused, items{{ClusterName: "b", Applied: true, Health: unhealthy}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := &workv1alpha2.ResourceBinding{}
			b.Status.AggregatedStatus = tc.stored
			want := tc.want
			if want == nil {
				want = b.DeepCopy().Status.AggregatedStatus
			}
			if read := ReadHealthy(b, []workv1alpha1.Work{tc.work}, now); read != (tc.want != nil) {
				t.Errorf("%s: read is %t", tc.reason, read)
			}
			if diff := cmp.Diff(want, b.Status.AggregatedStatus); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
