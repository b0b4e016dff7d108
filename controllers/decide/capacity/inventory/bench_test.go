// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// cluster makes an inventory of nodes of shapes that differ by what their pods request.
func cluster(count, shapes int) *Inventory {
	i := New()
	for n := range count {
		name := fmt.Sprintf("n-%d", n)
		i.SetNode(labelled(newNode(name, "cpu", "32", "memory", "256Gi"), "zone", string(rune('a'+n%3))))
		setPods(i, newPod("p-"+name, name, "cpu", fmt.Sprintf("%dm", 1+n%shapes), "memory", "2Gi"))
	}
	return i
}

func eachCluster(b *testing.B, run func(b *testing.B, i *Inventory)) {
	for _, c := range []struct{ nodes, shapes int }{{500, 3}, {5000, 3}, {5000, 5000}} {
		b.Run(fmt.Sprintf("nodes=%d/shapes=%d", c.nodes, c.shapes), func(b *testing.B) {
			i := cluster(c.nodes, c.shapes)
			b.ReportAllocs()
			b.ResetTimer()
			run(b, i)
		})
	}
}

func BenchmarkReplicas(b *testing.B) {
	of := Requirements{Requests: list("cpu", "1", "memory", "2Gi")}
	eachCluster(b, func(b *testing.B, i *Inventory) {
		for b.Loop() {
			i.Assume().Replicas("team", of, 0)
		}
	})
}

func BenchmarkReplicasByZone(b *testing.B) {
	of := Requirements{Requests: list("cpu", "1", "memory", "2Gi"), Claim: claim(b, nil, affinity(in("zone", "a", "b")))}
	eachCluster(b, func(b *testing.B, i *Inventory) {
		for b.Loop() {
			i.Assume().Replicas("team", of, 0)
		}
	})
}

func BenchmarkReplicasByHostName(b *testing.B) {
	of := Requirements{Requests: list("cpu", "1", "memory", "2Gi"), Claim: claim(b, map[string]string{"kubernetes.io/hostname": "n-7"}, nil)}
	eachCluster(b, func(b *testing.B, i *Inventory) {
		for b.Loop() {
			i.Assume().Replicas("team", of, 0)
		}
	})
}

func BenchmarkSets(b *testing.B) {
	set := []Component{component("head", 1, "cpu", "2", "memory", "8Gi"), component("worker", 4, "cpu", "1", "memory", "2Gi")}
	for _, limit := range []int32{0, 1} {
		b.Run(fmt.Sprintf("limit=%d", limit), func(b *testing.B) {
			eachCluster(b, func(b *testing.B, i *Inventory) {
				for b.Loop() {
					i.Assume().Sets("team", set, limit)
				}
			})
		})
	}
}

// BenchmarkSetsAssumed has 500 workloads placed first.
func BenchmarkSetsAssumed(b *testing.B) {
	set := []Component{component("head", 1, "cpu", "2", "memory", "8Gi"), component("worker", 4, "cpu", "1", "memory", "2Gi")}
	var assumed []Workload
	for range 500 {
		assumed = append(assumed, Workload{"team", set})
	}
	eachCluster(b, func(b *testing.B, i *Inventory) {
		for b.Loop() {
			i.Assume(assumed...).Sets("team", set, 1)
		}
	})
}

// BenchmarkSetPod is a pod that comes to a node and leaves it.
func BenchmarkSetPod(b *testing.B) {
	eachCluster(b, func(b *testing.B, i *Inventory) {
		here, gone := newPod("p", "n-7", "cpu", "1", "memory", "1Gi"), newPod("p", "n-7", "cpu", "1", "memory", "1Gi")
		gone.Status.Phase = corev1.PodSucceeded
		for b.Loop() {
			setPods(i, here)
			setPods(i, gone)
		}
	})
}

// BenchmarkReplicasAfterChange asks after each change of a node.
func BenchmarkReplicasAfterChange(b *testing.B) {
	of := Requirements{Requests: list("cpu", "1", "memory", "2Gi")}
	eachCluster(b, func(b *testing.B, i *Inventory) {
		here, gone := newPod("p", "n-7", "cpu", "1", "memory", "1Gi"), newPod("p", "n-7", "cpu", "1", "memory", "1Gi")
		gone.Status.Phase = corev1.PodSucceeded
		for n := 0; b.Loop(); n++ {
			setPods(i, []*corev1.Pod{here, gone}[n%2])
			i.Assume().Replicas("team", of, 0)
		}
	})
}
