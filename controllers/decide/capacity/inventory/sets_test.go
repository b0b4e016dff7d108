// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"math"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// The shapes of workloads that are placed whole.
func pytorchJob() []Component {
	return []Component{
		component("master", 1, "cpu", "1", "memory", "2Gi", "nvidia.com/gpu", "1"),
		component("worker", 3, "cpu", "2", "memory", "4Gi", "nvidia.com/gpu", "1"),
	}
}

func rayJob() []Component {
	return []Component{
		component("head", 1, "cpu", "2", "memory", "8Gi"),
		component("workers", 4, "cpu", "1", "memory", "2Gi"),
		component("submitter", 1, "cpu", "500m", "memory", "200Mi"),
	}
}

func flink() []Component {
	return []Component{
		component("jobmanager", 1, "cpu", "500m", "memory", "1Gi"),
		component("taskmanager", 2, "cpu", "1", "memory", "2Gi"),
	}
}

func TestSets(t *testing.T) {
	gpus := claim(t, map[string]string{"pool": "gpu"}, nil)
	for name, c := range map[string]struct {
		nodes      []*corev1.Node
		pods       []*corev1.Pod
		assumed    []Workload
		components []Component
		limit      int32
		want       int32
	}{
		"a PyTorchJob fits once where each node has a GPU too few for two": {
			// 4 GPUs for one job on each pair of nodes; 7 in all.
			nodes:      append(nodes(3, "two", "cpu", "8", "memory", "32Gi", "nvidia.com/gpu", "2"), newNode("one", "cpu", "8", "memory", "32Gi", "nvidia.com/gpu", "1")),
			components: pytorchJob(), want: 1,
		},
		"a PyTorchJob does not fit by one GPU that a pod has": {
			nodes:      nodes(2, "n", "cpu", "8", "memory", "32Gi", "nvidia.com/gpu", "2"),
			pods:       []*corev1.Pod{newPod("busy", "n-0", "nvidia.com/gpu", "1")},
			components: pytorchJob(), want: 0,
		},
		"a PyTorchJob fits after that pod has ended": {
			nodes: nodes(2, "n", "cpu", "8", "memory", "32Gi", "nvidia.com/gpu", "2"),
			pods: func() []*corev1.Pod {
				p := newPod("busy", "n-0", "nvidia.com/gpu", "1")
				p.Status.Phase = corev1.PodSucceeded
				return []*corev1.Pod{p}
			}(),
			components: pytorchJob(), want: 1,
		},
		"a RayJob needs one node for its head": {
			// In sum there is room for 2 sets, yet no node has 8Gi.
			nodes:      nodes(6, "small", "cpu", "4", "memory", "7Gi"),
			components: rayJob(), want: 0,
		},
		"a RayJob has its head on the large node and its workers on the small ones": {
			nodes:      append(nodes(4, "small", "cpu", "1", "memory", "2Gi"), newNode("large", "cpu", "2500m", "memory", "8392Mi")),
			components: rayJob(), want: 1,
		},
		"the workers of a RayJob leave the room of the head": {
			// If the workers went to the first node with room, one would take that of the head.
			nodes:      append([]*corev1.Node{newNode("large", "cpu", "2500m", "memory", "8392Mi")}, nodes(4, "small", "cpu", "1", "memory", "2Gi")...),
			components: []Component{rayJob()[1], rayJob()[2], rayJob()[0]}, want: 1,
		},
		"a set that fits in part takes nothing from the answer": {
			// One jobmanager more fits, its taskmanagers do not.
			nodes:      []*corev1.Node{newNode("n", "cpu", "3", "memory", "6Gi")},
			components: flink(), want: 1,
		},
		"components of different resources fill a node together": {
			nodes:      nodes(10, "n", "cpu", "4", "memory", "4Gi"),
			components: []Component{component("cpu", 1, "cpu", "3", "memory", "1Gi"), component("memory", 1, "cpu", "1", "memory", "3Gi")}, want: 10,
		},
		"a Deployment as a single component is as many sets as replicas fit": {
			nodes:      nodes(3, "n", "cpu", "1", "memory", "1Gi"),
			components: []Component{component("web", 1, "cpu", "400m")}, want: 6,
		},
		"assumed jobs are placed first": {
			nodes:      nodes(2, "n", "cpu", "5", "memory", "10Gi"),
			assumed:    []Workload{{"team", flink()}, {"other", flink()}, {"team", flink()}},
			components: flink(), want: 1,
		},
		"an assumed replica without room takes none": {
			nodes:      nodes(1, "n", "cpu", "5", "memory", "10Gi"),
			assumed:    []Workload{{"team", []Component{component("huge", 2, "cpu", "6")}}},
			components: flink(), want: 2,
		},
		"only one component may go to the tainted pool": {
			nodes: []*corev1.Node{
				tainted(labelled(newNode("g", "cpu", "8", "nvidia.com/gpu", "4"), "pool", "gpu"), "gpu", corev1.TaintEffectNoSchedule),
				newNode("c", "cpu", "3"),
			},
			components: []Component{
				{Name: "trainer", Replicas: 1, Requirements: Requirements{Requests: list("nvidia.com/gpu", "1"), Claim: claim(t, map[string]string{"pool": "gpu"}, nil, corev1.Toleration{Operator: corev1.TolerationOpExists})}},
				component("driver", 1, "cpu", "1"),
			},
			want: 3,
		},
		"a component that no node may hold": {
			nodes:      nodes(3, "n", "cpu", "8"),
			components: []Component{{Name: "trainer", Replicas: 1, Requirements: Requirements{Claim: gpus}}, component("driver", 1, "cpu", "1")},
		},
		"pods are counted where nothing is requested": {
			nodes:      nodes(2, "n", "pods", "5"),
			components: []Component{component("a", 1), component("b", 2)}, want: 3,
		},
		"no replicas need nothing":   {components: []Component{component("a", 0, "cpu", "1"), component("b", 0)}, want: math.MaxInt32},
		"no components need nothing": {want: math.MaxInt32},
		"a component without replicas is not placed": {
			nodes:      nodes(1, "n", "cpu", "1"),
			components: []Component{component("none", 0, "cpu", "64"), component("one", 1, "cpu", "500m")}, want: 2,
		},
		"the answer ends at the limit": {nodes: nodes(100, "n", "cpu", "100", "memory", "1Ti"), components: flink(), limit: 7, want: 7},
		"the answer ends at the largest int32": {
			nodes:      []*corev1.Node{newNode("n", "pods", "9e18")},
			components: []Component{component("a", 1)}, want: math.MaxInt32,
		},
		"as many replicas as there can be": {
			nodes:      nodes(2, "n", "cpu", "9e15", "pods", "9e18"),
			components: []Component{component("a", math.MaxInt32, "cpu", "1m"), component("b", math.MaxInt32)}, want: math.MaxInt32,
		},
		"a resource that no node has":            {nodes: nodes(2, "n"), components: []Component{component("a", 1, "example.com/fpga", "1")}},
		"nothing of a resource that no node has": {nodes: nodes(2, "n"), components: []Component{component("a", 110, "example.com/fpga", "0")}, want: 2},
	} {
		t.Run(name, func(t *testing.T) {
			i := setNodes(New(), c.nodes...)
			setPods(i, c.pods...)
			if got := i.Assume(c.assumed...).Sets("team", c.components, c.limit); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
