// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// A report that only a Work has is not lost with it.
func TestHasReport(t *testing.T) {
	w := &workv1alpha1.Work{}
	w.Namespace, w.UID = names.ExecutionSpace("a"), "one"
	w.Annotations = map[string]string{workv1alpha2.FailoverAnnotation: workv1alpha2.FailoverState}
	w.Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue}}
	w.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{{Health: workv1alpha2.ResourceHealthy, Status: &runtime.RawExtension{Raw: []byte(`{"job":"9"}`)}}}
	item := func(health workv1alpha2.ResourceHealth, job string) workv1alpha2.AggregatedStatusItem {
		return workv1alpha2.AggregatedStatusItem{ClusterName: "a", Applied: true, Copy: "one", Health: health, Status: &runtime.RawExtension{Raw: []byte(`{"job":"` + job + `"}`)}}
	}
	another := item(workv1alpha2.ResourceHealthy, "9")
	another.Copy = "two"
	for name, tc := range map[string]struct {
		items []workv1alpha2.AggregatedStatusItem
		want  bool
	}{
		"Same":        {[]workv1alpha2.AggregatedStatusItem{item(workv1alpha2.ResourceHealthy, "9")}, true},
		"Nothing":     {nil, false},
		"OtherHealth": {[]workv1alpha2.AggregatedStatusItem{item(workv1alpha2.ResourceUnhealthy, "9")}, false},
		"NotApplied":  {[]workv1alpha2.AggregatedStatusItem{item(workv1alpha2.ResourceUnknown, "9")}, false},
		"OtherState":  {[]workv1alpha2.AggregatedStatusItem{item(workv1alpha2.ResourceHealthy, "5")}, false},
		"OtherCopy":   {[]workv1alpha2.AggregatedStatusItem{another}, false},
	} {
		b := &workv1alpha2.ResourceBinding{}
		b.Status.AggregatedStatus = tc.items
		if got := HasReport(b, w); got != tc.want {
			t.Errorf("%s: got %t, want %t", name, got, tc.want)
		}
	}

	// Its newest manifest is not applied yet, so that its health is not known again.
	w.Generation = 2
	w.Status.Conditions[0].ObservedGeneration = 1
	b := &workv1alpha2.ResourceBinding{}
	b.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{item(workv1alpha2.ResourceHealthy, "9")}
	if !HasReport(b, w) {
		t.Error("a Work that is not applied again is said to report another health")
	}
}

// What only a Work has of a healthy copy is not written over before the binding has it, unless it
// is in what is written, too.
func TestUnread(t *testing.T) {
	work := func(health workv1alpha2.ResourceHealth, job string) *workv1alpha1.Work {
		w := &workv1alpha1.Work{}
		w.Namespace, w.UID = names.ExecutionSpace("a"), "one"
		w.Annotations = map[string]string{workv1alpha2.FailoverAnnotation: workv1alpha2.FailoverState}
		w.Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue}}
		s := workv1alpha1.ManifestStatus{Health: health}
		if job != "" {
			s.State = map[string]string{"job": job}
		}
		w.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{s}
		return w
	}
	refused := work(workv1alpha2.ResourceHealthy, "9")
	refused.Status.Conditions[0].Status = metav1.ConditionFalse
	const healthy, unhealthy = workv1alpha2.ResourceHealthy, workv1alpha2.ResourceUnhealthy
	stored := func(health workv1alpha2.ResourceHealth, job string) *workv1alpha2.AggregatedStatusItem {
		item := workv1alpha2.AggregatedStatusItem(itemOf(work(health, job), "a"))
		item.Copy = "one"
		return &item
	}
	carried := []Carried{{From: "gone", To: "a", Labels: map[string]string{"job": "5"}}}
	for name, tc := range map[string]struct {
		before, after *workv1alpha1.Work
		stored        *workv1alpha2.AggregatedStatusItem
		carried       []Carried
		want          bool
	}{
		"Lost":           {before: work(healthy, "9"), after: work(unhealthy, ""), stored: stored(healthy, "5"), want: true},
		"NothingStored":  {before: work(healthy, "9"), after: work(unhealthy, ""), want: true},
		"Read":           {before: work(healthy, "9"), after: work(unhealthy, ""), stored: stored(healthy, "9")},
		"Stored":         {before: work(healthy, "9"), after: work(unhealthy, ""), stored: stored(unhealthy, "9")},
		"Newer":          {before: work(healthy, "9"), after: work(unhealthy, "10"), stored: stored(healthy, "5")},
		"Unhealthy":      {before: work(unhealthy, "9"), after: work(unhealthy, ""), stored: stored(healthy, "5")},
		"NoState":        {before: work(healthy, ""), after: work(unhealthy, ""), stored: stored(healthy, "5")},
		"Refused":        {before: work(healthy, "9"), after: refused, stored: stored(healthy, "5")}, // the status stays
		"RefusedLost":    {before: refused, after: work(unhealthy, ""), stored: stored(healthy, "5"), want: true},
		"RefusedStored":  {before: refused, after: work(unhealthy, ""), stored: stored(unhealthy, "9")},
		"RefusedPending": {before: work(healthy, "9"), after: refused, stored: stored(unhealthy, ""), carried: carried}, // what is refused has the sign
		"RefusedTook":    {before: refused, after: work(unhealthy, "9"), stored: stored(unhealthy, "9"), carried: carried, want: true},
		"TookOver":       {before: work(healthy, "9"), after: work(unhealthy, "9"), stored: stored(unhealthy, ""), carried: carried, want: true},
		"TookOverStill":  {before: work(healthy, "9"), after: work(healthy, "10"), stored: stored(unhealthy, ""), carried: carried},
	} {
		b := &workv1alpha2.ResourceBinding{}
		b.Spec.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{}}
		b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "a"}}
		if tc.stored != nil {
			b.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{*tc.stored}
		}
		if err := SetCarriedStates(b, tc.carried); err != nil {
			t.Fatal(err)
		}
		got, err := Unread(b, tc.before, tc.after, func(i *workv1alpha2.AggregatedStatusItem) (Report, error) {
			return NewReport("a", i.Health == healthy, i.State), nil
		})
		if err != nil || got != tc.want {
			t.Errorf("%s: got %t, error %v, want %t", name, got, err, tc.want)
		}
	}
}
