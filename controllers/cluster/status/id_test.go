// SPDX-License-Identifier: Apache-2.0

package status

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

const (
	idA = "aaaaaaaa-0000-4000-8000-000000000000"
	idB = "bbbbbbbb-0000-4000-8000-000000000000"
)

func TestCompareID(t *testing.T) {
	replaced := []metav1.Condition{{Type: "IDConflict", Status: "True", Reason: "OtherCluster", Message: "seen before"}}
	for name, test := range map[string]struct {
		spec, status string
		conditions   []metav1.Condition
		observed     string
		want         string
		other        bool
	}{
		"a first id is taken":                          {observed: idA, want: idA},
		"the recorded one stays":                       {status: idA, observed: idA, want: idA},
		"another one is not taken":                     {status: idA, observed: idB, want: idA, other: true},
		"unless spec.id confirms it":                   {spec: idB, status: idA, observed: idB, want: idB},
		"spec.id is wanted from the start":             {spec: idA, observed: idB, other: true},
		"and against what was observed":                {spec: idA, status: idB, observed: idB, want: idB, other: true},
		"a spec.id that is no UID is not compared":     {spec: "west", observed: idB, want: idB},
		"and does not hide another cluster":            {spec: "west", status: idA, observed: idB, want: idA, other: true},
		"what cannot be read changes nothing":          {status: idA, want: idA},
		"nor does spec.id stand for it":                {spec: idA},
		"nor does it end a conflict":                   {status: idA, conditions: replaced, want: idA, other: true},
		"but for one against an id that nobody wants":  {conditions: replaced},
		"which ends when the recorded one is observed": {status: idA, conditions: replaced, observed: idA, want: idA},
	} {
		t.Run(name, func(t *testing.T) {
			c := &clusterv1alpha1.Cluster{
				Spec:   clusterv1alpha1.ClusterSpec{ID: test.spec},
				Status: clusterv1alpha1.ClusterStatus{ID: test.status, Conditions: test.conditions},
			}
			got, conflict := compareID(c, test.observed)
			if got != test.want || (conflict != nil) != test.other {
				t.Errorf("compareID(spec.id %q, status.id %q, observed %q) = %q, %v; want %q and a conflict: %v",
					test.spec, test.status, test.observed, got, conflict, test.want, test.other)
			}
			if conflict != nil && conflict.Reason != clusterv1alpha1.ReasonOtherCluster {
				t.Errorf("reason %q, want OtherCluster", conflict.Reason)
			}
		})
	}
}

func TestSameAs(t *testing.T) {
	at := func(name string, second int64, leaving bool) *clusterv1alpha1.Cluster {
		c := &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.Unix(second, 0)}}
		if leaving {
			c.DeletionTimestamp = &metav1.Time{Time: time.Unix(9, 0)}
		}
		return c
	}
	for name, test := range map[string]struct {
		of        *clusterv1alpha1.Cluster
		namesakes []*clusterv1alpha1.Cluster
		first     string
	}{
		"it is alone":                    {of: at("m", 2, false), namesakes: []*clusterv1alpha1.Cluster{at("m", 2, false)}},
		"it is alone and not cached yet": {of: at("m", 2, false)},
		"it is the older one":            {of: at("m", 2, false), namesakes: []*clusterv1alpha1.Cluster{at("a", 3, false)}},
		"it is the younger one":          {of: at("a", 2, false), namesakes: []*clusterv1alpha1.Cluster{at("m", 1, false)}, first: "m"},
		"of one second, by name":         {of: at("m", 2, false), namesakes: []*clusterv1alpha1.Cluster{at("a", 2, false)}, first: "a"},
		"and the other way":              {of: at("a", 2, false), namesakes: []*clusterv1alpha1.Cluster{at("m", 2, false)}},
		"the first of several is named":  {of: at("c", 3, false), namesakes: []*clusterv1alpha1.Cluster{at("b", 2, false), at("a", 1, false)}, first: "a"},
		"one that leaves does not count": {of: at("b", 2, false), namesakes: []*clusterv1alpha1.Cluster{at("a", 1, true)}},
		"the next one after it does":     {of: at("c", 3, false), namesakes: []*clusterv1alpha1.Cluster{at("a", 1, true), at("b", 2, false)}, first: "b"},
	} {
		t.Run(name, func(t *testing.T) {
			got := sameAs(test.of, idA, test.namesakes)
			if (got != nil) != (test.first != "") {
				t.Fatalf("sameAs(%s) = %v, want one that names %q", test.of.Name, got, test.first)
			}
			want := "this is the cluster that has the name " + test.first + " already: both have the id " + idA + "; nothing new is scheduled here. " +
				"Delete this Cluster, or delete " + test.first + " to go on under this name"
			if got != nil && (got.Reason != clusterv1alpha1.ReasonSameCluster || got.Message != want) {
				t.Errorf("sameAs(%s) = %s: %s, want SameCluster: %s", test.of.Name, got.Reason, got.Message, want)
			}
		})
	}
}
