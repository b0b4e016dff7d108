// SPDX-License-Identifier: Apache-2.0

package rebalancer

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	appsv1alpha1 "github.com/dragoman-io/dragoman/api/apps/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
)

// deployment refers to a Deployment in the namespace default.
func deployment(name string) appsv1alpha1.ObjectReference {
	return appsv1alpha1.ObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: name}
}

func with(w appsv1alpha1.ObjectReference, result appsv1alpha1.RebalanceResult) appsv1alpha1.ObservedWorkload {
	return appsv1alpha1.ObservedWorkload{Workload: w, Result: result}
}

func TestObserved(t *testing.T) {
	a, b, c := deployment("a"), deployment("b"), deployment("c")
	wide := appsv1alpha1.ObjectReference{APIVersion: "apps/v1", Kind: "ClusterRole", Name: "z"}
	elsewhere := deployment("a")
	elsewhere.Namespace = "another"
	cases := map[string]struct {
		reason string
		list   []appsv1alpha1.ObjectReference
		before []appsv1alpha1.ObservedWorkload
		want   []appsv1alpha1.ObservedWorkload
	}{
		"New": {
			reason: "all are to be tried, sorted by API version, kind, namespace and name",
			list:   []appsv1alpha1.ObjectReference{b, a, elsewhere, wide},
			want:   []appsv1alpha1.ObservedWorkload{with(wide, ""), with(elsewhere, ""), with(a, ""), with(b, "")},
		},
		"Twice": {
			reason: "one that is named twice counts once",
			list:   []appsv1alpha1.ObjectReference{a, b, a},
			want:   []appsv1alpha1.ObservedWorkload{with(a, ""), with(b, "")},
		},
		"Results": {
			reason: "what succeeded is done, what failed is tried again",
			list:   []appsv1alpha1.ObjectReference{c, b, a},
			before: []appsv1alpha1.ObservedWorkload{with(a, "Successful"), {Workload: b, Result: "Failed", Reason: "ReferencedBindingNotFound"}},
			want:   []appsv1alpha1.ObservedWorkload{with(a, "Successful"), with(b, ""), with(c, "")},
		},
		"Dropped": {
			reason: "what is not in the list any more stays if it succeeded, and goes if it did not",
			list:   []appsv1alpha1.ObjectReference{b, elsewhere},
			before: []appsv1alpha1.ObservedWorkload{with(a, "Successful"), with(b, "Successful"), {Workload: c, Result: "Failed", Reason: "ReferencedBindingNotFound"}},
			want:   []appsv1alpha1.ObservedWorkload{with(elsewhere, ""), with(a, "Successful"), with(b, "Successful")},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := &appsv1alpha1.WorkloadRebalancer{}
			r.Spec.Workloads, r.Status.ObservedWorkloads = tc.list, tc.before
			list := append([]appsv1alpha1.ObjectReference{}, tc.list...)
			if diff := cmp.Diff(tc.want, Observed(r)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(list, r.Spec.Workloads); diff != "" {
				t.Errorf("the list is the user's (-before +after):\n%s", diff)
			}
		})
	}
}

func TestTrigger(t *testing.T) {
	at := func(seconds int64) *metav1.Time { return &metav1.Time{Time: time.Unix(seconds, 0)} }
	cases := map[string]struct {
		reason string
		// created is when the rebalancer was, scheduled when the binding was last, both in
		// seconds; asked is the request that the binding has. 0 is never.
		created, scheduled, asked int64
		// annotation is that of the binding; the rebalancer is "me", of generation 3, and
		// generation 2 has its results.
		annotation string
		// want is the request then; 0 means that the binding is not changed.
		want int64
	}{
		"Published":   {reason: "the time is that of the creation", created: 100, scheduled: 50, want: 100},
		"New":         {reason: "also for one that was never scheduled", created: 100, want: 100},
		"Again":       {reason: "an earlier request was fulfilled", created: 100, scheduled: 60, asked: 60, want: 100},
		"SameSecond":  {reason: "the scheduler knows whole seconds: an equal time would not count", created: 100, scheduled: 100, want: 101},
		"Later":       {reason: "a workload that was added to an old rebalancer, and scheduled since", created: 100, scheduled: 500, asked: 50, want: 501},
		"Pending":     {reason: "a request that is open is not made earlier", created: 100, scheduled: 50, asked: 120, want: 120},
		"Ahead":       {reason: "nor is a request of a clock that is ahead in the way", created: 100, scheduled: 900, asked: 900, want: 901},
		"Asked":       {reason: "it asked, and could not write its status", created: 100, scheduled: 500, asked: 100, annotation: "me/3"},
		"AskedBefore": {reason: "what it asked before its status was written was for an earlier list", created: 100, scheduled: 500, asked: 100, annotation: "me/2", want: 501},
		"Another":     {reason: "another rebalancer asked", created: 100, scheduled: 500, asked: 100, annotation: "you/3", want: 501},
		"Garbage":     {reason: "an annotation that nobody wrote counts as none", created: 100, scheduled: 50, annotation: "me", want: 100},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := &appsv1alpha1.WorkloadRebalancer{}
			r.UID, r.Generation, r.CreationTimestamp, r.Status.ObservedGeneration = "me", 3, *at(tc.created), 2
			b := &workv1alpha2.ResourceBinding{}
			b.Annotations = map[string]string{"other": "kept"}
			if tc.annotation != "" {
				b.Annotations[TriggeredByAnnotation] = tc.annotation
			}
			if tc.scheduled != 0 {
				b.Status.LastScheduledTime = at(tc.scheduled)
			}
			if tc.asked != 0 {
				b.Spec.RescheduleTriggeredAt = at(tc.asked)
			}
			before := b.DeepCopy()
			if changed := Trigger(r, b); changed != (tc.want != 0) {
				t.Fatalf("%s: changed %t", tc.reason, changed)
			}
			if tc.want == 0 {
				if diff := cmp.Diff(before, b); diff != "" {
					t.Errorf("%s: it is changed all the same:\n%s", tc.reason, diff)
				}
				return
			}
			if got := b.Spec.RescheduleTriggeredAt.Unix(); got != tc.want {
				t.Errorf("%s: the request is of second %d, want %d", tc.reason, got, tc.want)
			}
			if diff := cmp.Diff(map[string]string{"other": "kept", TriggeredByAnnotation: "me/3"}, b.Annotations); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if tc.scheduled != 0 && !placement.RescheduleAsked(&b.Spec, &b.Status) {
				t.Errorf("%s: the scheduler does not follow a request of second %d", tc.reason, tc.want)
			}
			if Trigger(r, b) {
				t.Errorf("%s: it asks twice", tc.reason)
			}
		})
	}
}
