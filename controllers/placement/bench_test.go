// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"fmt"
	"testing"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// BenchmarkSelect decides about a new binding among 10, 100 and 1,000 clusters
// that serve 30 API groups of 5 kinds and have room; replicas are 10 of 100m and
// 128Mi, components 1+4 of them.
func BenchmarkSelect(b *testing.B) {
	small := func(spec *workv1alpha2.ResourceBindingSpec) {
		spec.Replicas, spec.ReplicaRequirements = 10, &workv1alpha2.ReplicaRequirements{ResourceRequest: resources("cpu=100m memory=128Mi")}
	}
	parts := func(spec *workv1alpha2.ResourceBindingSpec) {
		spec.Components = []workv1alpha2.Component{component("jobmanager", 1, "cpu=100m memory=128Mi"), component("taskmanager", 4, "cpu=100m memory=128Mi")}
	}
	benches := []struct {
		name string
		with []specOption
	}{
		{"ConfigMap", nil},
		{"Duplicated", []specOption{small, copiedAll}},
		{"StaticWeight", []specOption{small, equally}},
		{"DynamicWeight", []specOption{small, byFreeRoom}},
		{"Aggregated", []specOption{small, onFew}},
		{"Components", []specOption{parts, onFew, spread("cluster", 1, 1)}},
	}
	for _, bench := range benches {
		for _, n := range []int{10, 100, 1000} {
			b.Run(fmt.Sprintf("%s/clusters=%d", bench.name, n), func(b *testing.B) {
				in := Input{Spec: spec("group29.example.com/v1", "Kind4", bench.with), Clusters: manyClusters(n)}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := selectMeasured(in); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkSteady decides again about a binding that is placed.
func BenchmarkSteady(b *testing.B) {
	in := Input{Spec: spec("group29.example.com/v1", "Kind4", []specOption{byFreeRoom}), Clusters: manyClusters(1000)}
	in.Spec.Replicas = 10
	in.Spec.Clusters = []workv1alpha2.TargetCluster{to("member0001", 10)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := selectMeasured(in); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDivide divides replicas over 100 clusters of different weights.
func BenchmarkDivide(b *testing.B) {
	for _, replicas := range []int64{10, 1000, 1_000_000} {
		b.Run(fmt.Sprintf("replicas=%d", replicas), func(b *testing.B) {
			parties := make([]*party, 100)
			for i := range parties {
				parties[i] = &party{name: fmt.Sprint(i), weight: int64(i + 1)}
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, p := range parties {
					p.seats = 0
				}
				divide(replicas, parties, false)
			}
		})
	}
}

func manyClusters(n int) []*clusterv1alpha1.Cluster {
	out := make([]*clusterv1alpha1.Cluster, n)
	for i := range out {
		c := cluster(fmt.Sprintf("member%04d", i), has(fmt.Sprintf("cpu=%dm memory=%dKi", 20_000+i*100, 64_000_000)))
		c.Status.ResourceSummary.Allocated = resources("cpu=1500m memory=4Gi pods=11")
		c.Status.ResourceSummary.Allocating = resources("cpu=100m memory=128Mi pods=1")
		c.Status.APIEnablements = nil
		for g := range 30 {
			api := clusterv1alpha1.APIEnablement{GroupVersion: fmt.Sprintf("group%d.example.com/v1", g)}
			for k := range 5 {
				api.Resources = append(api.Resources, clusterv1alpha1.APIResource{Name: fmt.Sprintf("kind%ds", k), Kind: fmt.Sprintf("Kind%d", k)})
			}
			c.Status.APIEnablements = append(c.Status.APIEnablements, api)
		}
		out[i] = c
	}
	return out
}
