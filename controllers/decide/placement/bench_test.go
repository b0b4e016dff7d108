// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
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
		{"Regions", []specOption{small, byFreeRoom, spread("cluster", 1, 5), spread("region", 2, 3)}},
		{"RegionsAndZones", []specOption{small, byFreeRoom, spread("cluster", 1, 5), spread("region", 2, 3), spread("zone", 3, 0)}},
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

func manyClusters(n int) []*clusterv1alpha1.Cluster {
	out := make([]*clusterv1alpha1.Cluster, n)
	for i := range out {
		c := cluster(fmt.Sprintf("member%04d", i), has(fmt.Sprintf("cpu=%dm memory=%dKi", 20_000+i*100, 64_000_000)))
		c.Status.ResourceSummary.Allocated = resources("cpu=1500m memory=4Gi pods=11")
		c.Status.ResourceSummary.Allocating = resources("cpu=100m memory=128Mi pods=1")
		label("pool", fmt.Sprint(i/10))(c)
		located("", fmt.Sprint("region", i%7), fmt.Sprint("zone", i%21))(c)
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

// BenchmarkChange finds what a change of one of 100 clusters concerns among bindings of
// which nine in ten go to two clusters that their policy names, divided or copied, and the
// rest to clusters with a label that ten have; two in a hundred wait for room. It reports
// how many bindings are looked at, and how many are concerned.
func BenchmarkChange(b *testing.B) {
	all := manyClusters(100)
	with := func(change func(*clusterv1alpha1.Cluster)) Change {
		after := all[0].DeepCopy()
		change(after)
		return Change{Before: all[0], After: after}
	}
	changes := []struct {
		name   string
		change Change
	}{
		{"Heartbeat", with(func(c *clusterv1alpha1.Cluster) { c.Status.Conditions = nil })},
		{"LessRoom", with(func(c *clusterv1alpha1.Cluster) {
			c.Status.ResourceSummary.Allocated = resources("cpu=9 memory=9Gi pods=20")
		})},
		{"MoreRoom", with(func(c *clusterv1alpha1.Cluster) {
			c.Status.ResourceSummary.Allocated = resources("cpu=1 memory=1Gi pods=2")
		})},
		{"OtherAPI", with(func(c *clusterv1alpha1.Cluster) { c.Status.APIEnablements = c.Status.APIEnablements[1:] })},
		{"Taint", with(taint("k=v:NoSchedule"))},
		{"Gone", Change{Before: all[0]}},
	}
	for _, n := range []int{1000, 5000} {
		index := manyBindings(n)
		for _, c := range changes {
			b.Run(fmt.Sprintf("%s/bindings=%d", c.name, n), func(b *testing.B) {
				looked, concerned := 0, 0
				b.ReportAllocs()
				for b.Loop() {
					looked, concerned = 0, 0
					for _, key := range c.change.Keys() {
						for _, binding := range index[key] {
							looked++
							if c.change.Concerns(&binding.Spec, &binding.Status) {
								concerned++
							}
						}
					}
				}
				b.ReportMetric(float64(looked), "looked-at/op")
				b.ReportMetric(float64(concerned), "concerned/op")
			})
		}
	}
}

// manyBindings returns bindings by their keys.
func manyBindings(n int) map[string][]*workv1alpha2.ResourceBinding {
	index := map[string][]*workv1alpha2.ResourceBinding{}
	for i := range n {
		names := []string{fmt.Sprintf("member%04d", i%100), fmt.Sprintf("member%04d", (i+1)%100)}
		binding := &workv1alpha2.ResourceBinding{Status: *inStatus(i%50 > 0, "")}
		options := []specOption{affinity(named(names...)), on(to(names[0], 5), to(names[1], 5))}
		if i%10 == 9 {
			options[0] = affinity(policyv1alpha1.ClusterAffinity{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"pool": fmt.Sprint(i % 100 / 10)}}})
		}
		switch {
		case i%50 == 0:
			options[1] = onFew
		case i%2 == 0:
			options = append(options, equally)
		}
		binding.Spec = *spec(fmt.Sprintf("group%d.example.com/v1", i%30), "Kind4", options)
		binding.Spec.Replicas = 10
		for _, key := range Keys(&binding.Spec, &binding.Status) {
			index[key] = append(index[key], binding)
		}
	}
	return index
}
