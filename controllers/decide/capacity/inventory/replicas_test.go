// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"math"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

func in(key string, values ...string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}
}

func TestReplicas(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	cordoned := newNode("cordoned", "cpu", "4")
	cordoned.Spec.Unschedulable = true
	zones := []*corev1.Node{
		labelled(newNode("a1", "cpu", "2"), "zone", "a"), labelled(newNode("a2", "cpu", "3"), "zone", "a"),
		labelled(newNode("b1", "cpu", "5"), "zone", "b"), newNode("none", "cpu", "7"),
	}
	named := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"a2"}}},
	}}}
	cpu := func(c *Claim) Requirements { return Requirements{Claim: c, Requests: list("cpu", "1")} }
	for name, c := range map[string]struct {
		nodes   []*corev1.Node
		pods    []*corev1.Pod
		assumed []Workload
		of      Requirements
		want    int32
	}{
		"a member that nearly has no room": {
			nodes: nodes(3, "n", "cpu", "2", "memory", "4Gi"),
			pods: []*corev1.Pod{
				newPod("p0", "n-0", "cpu", "1900m", "memory", "1Gi"), newPod("p1", "n-1", "cpu", "1", "memory", "3500Mi"), newPod("p2", "n-2", "cpu", "2"),
			},
			// n-0 has 100m, n-1 1 CPU and 596Mi, n-2 nothing.
			of: Requirements{Requests: list("cpu", "100m", "memory", "256Mi")}, want: 1 + 2,
		},
		"decimal and binary units are the same": {nodes: nodes(1, "n", "memory", "256Gi"), of: Requirements{Requests: list("memory", "1G")}, want: 110},
		"an amount in a fraction of the unit is rounded up": {
			nodes: nodes(1, "n", "example.com/gpu", "3"), of: Requirements{Requests: list("example.com/gpu", "1500m")}, want: 1,
		},
		"what a node has is rounded down":  {nodes: nodes(1, "n", "example.com/gpu", "3500m"), of: Requirements{Requests: list("example.com/gpu", "1")}, want: 3},
		"pods are bounded by their number": {nodes: nodes(2, "n", "cpu", "100", "pods", "3"), pods: []*corev1.Pod{newPod("p", "n-0")}, of: cpu(nil), want: 5},
		"requested pods are one each":      {nodes: nodes(1, "n", "pods", "6"), of: Requirements{Requests: list("pods", "3")}, want: 6},
		"init containers, sidecars and overhead count": {
			nodes: nodes(1, "n", "cpu", "10"),
			pods: func() []*corev1.Pod {
				p := newPod("p", "n-0", "cpu", "1")
				p.Spec.InitContainers = []corev1.Container{
					{Name: "sidecar", RestartPolicy: &always, Resources: corev1.ResourceRequirements{Requests: list("cpu", "2")}},
					{Name: "init", Resources: corev1.ResourceRequirements{Requests: list("cpu", "4")}},
				}
				p.Spec.Overhead = list("cpu", "500m")
				return []*corev1.Pod{p} // max(1+2, 4+2) + 0.5
			}(),
			of: cpu(nil), want: 3,
		},
		"an ended pod takes nothing": {
			nodes: nodes(1, "n", "cpu", "2"),
			pods: func() []*corev1.Pod {
				p := newPod("p", "n-0", "cpu", "2")
				p.Status.Phase = corev1.PodFailed
				return []*corev1.Pod{p}
			}(),
			of: cpu(nil), want: 2,
		},
		"a pod without a node takes nothing": {nodes: nodes(1, "n", "cpu", "2"), pods: []*corev1.Pod{newPod("p", "", "cpu", "2")}, of: cpu(nil), want: 2},
		"a node with too many requests does not take from others": {
			nodes: nodes(2, "n", "cpu", "2"), pods: []*corev1.Pod{newPod("p", "n-0", "cpu", "9")}, of: cpu(nil), want: 2,
		},
		"a cordoned node takes none":                 {nodes: []*corev1.Node{cordoned}, of: cpu(nil)},
		"a pod that tolerates being cordoned":        {nodes: []*corev1.Node{cordoned}, of: cpu(claim(t, nil, nil, corev1.Toleration{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists})), want: 4},
		"taints keep pods away":                      {nodes: []*corev1.Node{tainted(newNode("n", "cpu", "2"), "k", corev1.TaintEffectNoExecute)}, of: cpu(nil)},
		"taints that prefer do not":                  {nodes: []*corev1.Node{tainted(newNode("n", "cpu", "2"), "k", corev1.TaintEffectPreferNoSchedule)}, of: cpu(nil), want: 2},
		"a toleration of the other effect is none":   {nodes: []*corev1.Node{tainted(newNode("n", "cpu", "2"), "k", corev1.TaintEffectNoExecute)}, of: cpu(claim(t, nil, nil, corev1.Toleration{Key: "k", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}))},
		"a node selector":                            {nodes: zones, of: cpu(claim(t, map[string]string{"zone": "a"}, nil)), want: 5},
		"a node selector of the host name":           {nodes: zones, of: cpu(claim(t, map[string]string{"kubernetes.io/hostname": "b1"}, nil)), want: 5},
		"a label that no node has":                   {nodes: zones, of: cpu(claim(t, map[string]string{"rack": "1"}, nil))},
		"an affinity to two zones":                   {nodes: zones, of: cpu(claim(t, nil, affinity(in("zone", "a", "b")))), want: 10},
		"an affinity to no zone":                     {nodes: zones, of: cpu(claim(t, nil, affinity(corev1.NodeSelectorRequirement{Key: "zone", Operator: corev1.NodeSelectorOpDoesNotExist}))), want: 7},
		"an affinity away from a label nobody has":   {nodes: zones, of: cpu(claim(t, nil, affinity(corev1.NodeSelectorRequirement{Key: "rack", Operator: corev1.NodeSelectorOpNotIn, Values: []string{"1"}}))), want: 17},
		"an affinity to a name":                      {nodes: zones, of: cpu(claim(t, nil, named)), want: 3},
		"an affinity without terms allows nothing":   {nodes: zones, of: cpu(claim(t, nil, &corev1.NodeSelector{}))},
		"a selector and an affinity must both allow": {nodes: zones, of: cpu(claim(t, map[string]string{"zone": "a"}, affinity(in("zone", "b"))))},
		"assumed replicas go first":                  {nodes: zones, assumed: []Workload{{"team", []Component{component("a", 4, "cpu", "2")}}}, of: cpu(nil), want: 17 - 8},
		"sums beyond 64 bits": {
			nodes: nodes(1, "n", "memory", "9e18"),
			pods: []*corev1.Pod{
				newPod("p0", "n-0", "memory", "9e18"), newPod("p1", "n-0", "memory", "9e18"), newPod("p2", "n-0", "memory", "9e18"),
			},
			of: Requirements{Requests: list("memory", "1")},
		},
		"a request beyond 64 bits": {nodes: nodes(1, "n", "cpu", "64"), of: Requirements{Requests: list("cpu", "9e18")}},
	} {
		t.Run(name, func(t *testing.T) {
			i := setNodes(New(), c.nodes...)
			setPods(i, c.pods...)
			if got := i.Assume(c.assumed...).Replicas("team", c.of, 0); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

// TestReplicasFollowChanges changes one inventory step by step.
func TestReplicasFollowChanges(t *testing.T) {
	i := New()
	of := Requirements{Requests: list("cpu", "1")}
	key := func(name string) types.NamespacedName { return types.NamespacedName{Namespace: "team", Name: name} }
	for _, step := range []struct {
		does   string
		change func()
		want   int32
	}{
		{"nothing", func() {}, 0},
		{"a pod before its node", func() { setPods(i, newPod("p", "n", "cpu", "1")) }, 0},
		{"its node", func() { i.SetNode(newNode("n", "cpu", "4")) }, 3},
		{"the same again", func() { i.SetNode(newNode("n", "cpu", "4")); setPods(i, newPod("p", "n", "cpu", "1")) }, 3},
		{"a second node of the same form", func() { i.SetNode(newNode("m", "cpu", "3")) }, 6},
		{"a resized pod", func() { setPods(i, newPod("p", "n", "cpu", "2")) }, 5},
		{"a pod of the same name on another node", func() { setPods(i, newPod("p", "m", "cpu", "3")) }, 4},
		{"a cordoned node", func() { n := newNode("n", "cpu", "4"); n.Spec.Unschedulable = true; i.SetNode(n) }, 0},
		{"an uncordoned node", func() { i.SetNode(newNode("n", "cpu", "4")) }, 4},
		{"a pod that is gone", func() { i.DeletePod(key("p")) }, 7},
		{"a pod that never was", func() { i.DeletePod(key("q")) }, 7},
		{"a node that is gone", func() { i.DeleteNode("m") }, 4},
		{"a pod of a node that is gone", func() { setPods(i, newPod("p", "m", "cpu", "3")) }, 4},
		{"that node again", func() { i.SetNode(newNode("m", "cpu", "5")) }, 6},
		{"all gone", func() { i.DeleteNode("m"); i.DeleteNode("n"); i.DeletePod(key("p")); i.DeleteNode("o") }, 0},
	} {
		step.change()
		if got := i.Assume().Replicas("team", of, 0); got != step.want {
			t.Fatalf("after %s: got %d, want %d", step.does, got, step.want)
		}
	}
	if len(i.nodes)+len(i.pods)+len(i.shapes)+len(i.classes)+len(i.values) != 0 {
		t.Errorf("something is kept: %d nodes, %d pods, %d shapes, %d classes, %d labels", len(i.nodes), len(i.pods), len(i.shapes), len(i.classes), len(i.values))
	}
}

// TestShapes counts the shapes that nodes fall into before and after questions about
// their labels.
func TestShapes(t *testing.T) {
	i := New()
	for index, n := range nodes(1000, "n", "cpu", "4") {
		i.SetNode(labelled(n, "zone", string(rune('a'+index%3))))
	}
	shapes := func(want int) {
		t.Helper()
		if n, got := i.Nodes(); n != 1000 || got != want {
			t.Errorf("got %d nodes of %d shapes, want 1000 of %d", n, got, want)
		}
	}
	ask := func(key, value string, want int32) {
		t.Helper()
		if got := i.Assume().Replicas("team", Requirements{Claim: claim(t, map[string]string{key: value}, nil), Requests: list("cpu", "1")}, 0); got != want {
			t.Errorf("%s=%s: got %d, want %d", key, value, got, want)
		}
	}
	shapes(1)
	ask("zone", "a", 334*4)
	shapes(3)
	ask("kubernetes.io/hostname", "n-7", 4) // is not worth a shape for each node
	shapes(3)
	setPods(i, newPod("p", "n-7", "cpu", "1"))
	shapes(4)
	for index := range maxKeys {
		key := string(rune('A' + index))
		i.SetNode(labelled(labelled(newNode("n-0", "cpu", "4"), "zone", "a"), key, "x"))
		ask(key, "x", 4)
	}
	if len(i.keys) > maxKeys {
		t.Errorf("nodes are told apart by %d labels, want at most %d", len(i.keys), maxKeys)
	}
	ask("zone", "b", 333*4-1)
}

func TestLimit(t *testing.T) {
	i := setNodes(New(), nodes(10, "n", "cpu", "10")...)
	for limit, want := range map[int32]int32{-1: 100, 0: 100, 7: 7, 100: 100, math.MaxInt32: 100} {
		if got := i.Assume().Replicas("team", Requirements{Requests: list("cpu", "1")}, limit); got != want {
			t.Errorf("limit %d: got %d, want %d", limit, got, want)
		}
	}
}

func TestNewClaimRefusesWrongAffinity(t *testing.T) {
	if _, err := NewClaim(nil, affinity(corev1.NodeSelectorRequirement{Key: "zone", Operator: "Sometimes"}), nil); err == nil {
		t.Error("got no error")
	}
}
