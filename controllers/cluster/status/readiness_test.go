// SPDX-License-Identifier: Apache-2.0

package status

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

func TestDebounced(t *testing.T) {
	const yes, no, unknown = metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown
	// look is an observation at a time, and whether it is written.
	type look struct {
		second int
		seen   metav1.ConditionStatus
		want   bool
	}
	cases := map[string]struct {
		reason string
		old    metav1.ConditionStatus
		looks  []look
	}{
		"First":     {reason: "there is nothing to keep from flapping", looks: []look{{0, no, true}}},
		"Same":      {reason: "the message may change at any time", old: yes, looks: []look{{0, yes, true}, {1, yes, true}}},
		"NotReady":  {reason: "False and Unknown are both not ready", old: no, looks: []look{{0, unknown, true}}},
		"Failing":   {reason: "believed after ten seconds", old: yes, looks: []look{{0, no, false}, {9, no, false}, {10, no, true}}},
		"Returning": {reason: "believed after twenty seconds", old: no, looks: []look{{0, yes, false}, {19, yes, false}, {20, yes, true}}},
		"Blip":      {reason: "one good look begins the time again", old: yes, looks: []look{{0, no, false}, {9, yes, true}, {10, no, false}, {19, no, false}, {20, no, true}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var r readiness
			var old *metav1.Condition
			if tc.old != "" {
				old = &metav1.Condition{Status: tc.old}
			}
			for _, l := range tc.looks {
				got := r.debounced("one", old, l.seen, time.Unix(int64(l.second), 0), Options{FailureThreshold: 10 * time.Second, SuccessThreshold: 20 * time.Second})
				if got != l.want {
					t.Errorf("%s: at second %d, having seen %s: believe() = %t, want %t", tc.reason, l.second, l.seen, got, l.want)
				}
			}
		})
	}
}

func TestDebouncedOfEachClusterApart(t *testing.T) {
	var r readiness
	options := Options{FailureThreshold: 10 * time.Second}
	ready := &metav1.Condition{Status: metav1.ConditionTrue}
	at := func(cluster string, second int64) bool {
		return r.debounced(cluster, ready, metav1.ConditionFalse, time.Unix(second, 0), options)
	}
	if at("one", 0) || at("two", 5) || !at("one", 10) || at("two", 10) {
		t.Error("two clusters share a time")
	}
	r.forget("two")
	if at("two", 20) {
		t.Error("a cluster that was forgotten still has its time")
	}
}

func TestNextLook(t *testing.T) {
	o := Options{Period: 10 * time.Second, FailureThreshold: 25 * time.Second, SuccessThreshold: 25 * time.Second}
	var r readiness
	at := func(second int64) time.Duration {
		r.debounced("one", &metav1.Condition{Status: metav1.ConditionFalse}, metav1.ConditionTrue, time.Unix(second, 0), o)
		return r.next("one", time.Unix(second, 0), o)
	}
	if got := r.next("one", time.Unix(0, 0), o); got != o.Period {
		t.Errorf("nothing changes: next() = %s, want the period", got)
	}
	got := []time.Duration{at(0), at(10), at(20), at(25)}
	if diff := cmp.Diff([]time.Duration{10e9, 10e9, 5e9, 10e9}, got); diff != "" {
		t.Errorf("a cluster that is back is ready as soon as it may be (-want +got):\n%s", diff)
	}
}

func TestLeaving(t *testing.T) {
	got := Options{Period: 10 * time.Second, FailureThreshold: 30 * time.Second, ProbeTimeout: time.Second}.leaving()
	if diff := cmp.Diff(Options{Period: 10 * time.Second, FailureThreshold: 3 * time.Second, ProbeTimeout: time.Second}, got); diff != "" {
		t.Errorf("a cluster that leaves is lost within seconds (-want +got):\n%s", diff)
	}
}

func TestSorted(t *testing.T) {
	got := sorted([]*metav1.APIResourceList{
		{GroupVersion: "v1", APIResources: []metav1.APIResource{
			{Name: "pods", Kind: "Pod"}, {Name: "pods/log", Kind: "Pod"}, {Name: "configmaps", Kind: "ConfigMap"},
		}},
		{GroupVersion: "apps/v1", APIResources: []metav1.APIResource{{Name: "deployments/scale", Kind: "Scale"}, {Name: "deployments", Kind: "Deployment"}}},
	})
	want := []clusterv1alpha1.APIEnablement{
		{GroupVersion: "apps/v1", Resources: []clusterv1alpha1.APIResource{{Name: "deployments", Kind: "Deployment"}}},
		{GroupVersion: "v1", Resources: []clusterv1alpha1.APIResource{{Name: "configmaps", Kind: "ConfigMap"}, {Name: "pods", Kind: "Pod"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sorted by group and version, then by name, without subresources (-want +got):\n%s", diff)
	}
}
