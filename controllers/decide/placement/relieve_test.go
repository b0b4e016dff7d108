// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// victim makes a copy of so many pods, each of which requests resources as in "cpu=1".
func victim(cluster string, priority int32, pods int64, requests string) Victim {
	return Victim{Cluster: cluster, Priority: priority, Pods: []Pods{{Count: pods, Requests: resources(requests)}}}
}

// uses has a cluster with so many CPUs of which none is free.
func uses(cpus string) func(*clusterv1alpha1.Cluster) {
	return func(c *clusterv1alpha1.Cluster) {
		c.Status.ResourceSummary = &clusterv1alpha1.ResourceSummary{
			Allocatable: resources("pods=110 cpu=" + cpus), Allocated: resources("pods=50 cpu=" + cpus),
		}
	}
}

func TestRelieve(t *testing.T) {
	full := clusters(cluster("a", uses("8")), cluster("b", uses("8")))
	nodes := map[string]bool{"a": true, "b": true}
	large := deployment(1, onFew)
	large.ReplicaRequirements.ResourceRequest = resources("cpu=2")
	cases := map[string]struct {
		reason           string
		spec             *workv1alpha2.ResourceBindingSpec
		clusters         []*clusterv1alpha1.Cluster
		byNodes          map[string]bool
		leaving, victims []Victim
		want             []int
		no               bool
	}{
		"Lowest": {
			reason: "the lowest priority leaves first", spec: deployment(2, onFew), clusters: full,
			victims: []Victim{victim("a", 5, 2, "cpu=1"), victim("a", 1, 2, "cpu=1"), victim("a", 3, 2, "cpu=1")}, want: []int{1},
		},
		"LowestOfClusters": {
			reason: "that of all clusters", spec: deployment(2, onFew), clusters: full,
			victims: []Victim{victim("a", 5, 2, "cpu=1"), victim("b", 1, 2, "cpu=1")}, want: []int{1},
		},
		"Fewest": {
			reason: "one that is enough goes alone", spec: deployment(4, onFew), clusters: full,
			victims: []Victim{victim("a", 1, 1, "cpu=1"), victim("a", 1, 2, "cpu=1"), victim("a", 1, 4, "cpu=1")}, want: []int{2},
		},
		"FewestOfClusters": {
			reason: "few of one cluster before many of another", spec: deployment(4, onFew), clusters: full,
			victims: []Victim{victim("a", 1, 2, "cpu=1"), victim("a", 1, 2, "cpu=1"), victim("b", 1, 4, "cpu=1")}, want: []int{2},
		},
		"Several": {
			reason: "of several clusters if none has enough", spec: deployment(8, onFew), clusters: full,
			victims: []Victim{victim("a", 1, 4, "cpu=1"), victim("b", 1, 4, "cpu=1"), victim("b", 2, 1, "cpu=1")}, want: []int{0, 1},
		},
		"NotEnough": {
			reason: "nothing leaves in vain", spec: deployment(9, onFew), clusters: full,
			victims: []Victim{victim("a", 1, 4, "cpu=1"), victim("b", 1, 4, "cpu=1")}, no: true,
		},
		"NotItsCluster": {
			reason: "nothing leaves a cluster that it may not go to", spec: deployment(1, onFew),
			clusters: clusters(cluster("a", uses("8"), taint("no=go:NoSchedule"))), victims: []Victim{victim("a", 1, 4, "cpu=1")}, no: true,
		},
		"Leaving": {
			reason: "what is leaving already is enough", spec: deployment(2, onFew), clusters: full,
			leaving: []Victim{victim("a", 9, 2, "cpu=1")}, victims: []Victim{victim("a", 1, 2, "cpu=1")},
		},
		"LeavingInPart": {
			reason: "or a part of it", spec: deployment(3, onFew), clusters: full,
			leaving: []Victim{victim("a", 9, 2, "cpu=1")}, victims: []Victim{victim("a", 1, 1, "cpu=1"), victim("b", 0, 2, "cpu=1")}, want: []int{1},
		},
		"Set": {
			reason: "a set needs room in one cluster", spec: flink(3, once), clusters: full,
			victims: []Victim{victim("a", 1, 6, "cpu=1"), victim("b", 1, 7, "cpu=1")}, want: []int{1},
		},
		"SetByNodes": {
			reason: "and room for each pod on a node", spec: flink(3, once), clusters: full, byNodes: nodes,
			victims: []Victim{victim("a", 1, 8, "cpu=1"), victim("b", 2, 4, "cpu=2")}, want: []int{1},
		},
		"ByNodes": {
			reason: "small pods do not make room for a large one", spec: large, clusters: full, byNodes: nodes,
			victims: []Victim{victim("a", 1, 8, "cpu=1")}, no: true,
		},
		"BySummary": {
			reason: "unless nothing is known of nodes", spec: large, clusters: full,
			victims: []Victim{victim("a", 1, 8, "cpu=1")}, want: []int{0},
		},
		"LargeByNodes": {
			reason: "a large one makes room for small ones", spec: deployment(4, onFew), clusters: full, byNodes: nodes,
			victims: []Victim{victim("a", 1, 2, "cpu=2")}, want: []int{0},
		},
		"OtherResource": {
			reason: "what frees something else does not leave", spec: deployment(1, onFew), clusters: full,
			victims: []Victim{victim("a", 1, 4, "memory=1Gi")}, no: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := Input{Spec: tc.spec, Clusters: tc.clusters, Capacity: SummaryCapacity(tc.spec, tc.clusters, nil)}
			if _, err := Select(in); err == nil {
				t.Fatal("there is room without anything")
			}
			s := &Shortage{Input: in, ByNodes: tc.byNodes}
			got, ok := s.Relieve(tc.leaving, tc.victims)
			if ok == tc.no {
				t.Errorf("found = %v: %s", ok, tc.reason)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
