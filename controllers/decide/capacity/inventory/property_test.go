// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// world is a random cluster, as objects and as an inventory that was told of each change.
type world struct {
	r     *rand.Rand
	nodes map[string]*corev1.Node
	pods  map[string]*corev1.Pod
	of    *Inventory
}

func newWorld(seed uint64) *world {
	return &world{rand.New(rand.NewPCG(seed, 1)), map[string]*corev1.Node{}, map[string]*corev1.Pod{}, New()}
}

func (w *world) pick(texts ...string) string { return texts[w.r.IntN(len(texts))] }

// step makes one change.
func (w *world) step(nodes int) {
	node := fmt.Sprintf("n-%d", w.r.IntN(nodes))
	pod := fmt.Sprintf("p-%d", w.r.IntN(2*nodes))
	switch w.r.IntN(12) {
	case 0:
		delete(w.nodes, node)
		w.of.DeleteNode(node)
	case 1, 2:
		delete(w.pods, pod)
		w.of.DeletePod(types.NamespacedName{Namespace: "team", Name: pod})
	case 3, 4, 5, 6:
		p := newPod(pod, node, "cpu", w.pick("0", "250m", "1", "1500m"), "memory", w.pick("0", "1Gi", "3Gi"))
		if w.r.IntN(4) == 0 {
			p.Status.Phase = corev1.PodSucceeded
		}
		w.pods[pod] = p
		setPods(w.of, p)
	default:
		n := newNode(node, "cpu", w.pick("2", "4"), "memory", w.pick("4Gi", "8Gi"), "pods", w.pick("3", "110"))
		if w.r.IntN(3) == 0 {
			n.Status.Allocatable["gpu.example.com/a"] = list("x", w.pick("1", "4"))["x"]
		}
		if w.r.IntN(2) == 0 {
			labelled(n, "zone", w.pick("a", "b"))
		}
		if w.r.IntN(5) == 0 {
			tainted(n, w.pick("k", "l"), corev1.TaintEffect(w.pick("NoSchedule", "NoExecute", "PreferNoSchedule")))
		}
		n.Spec.Unschedulable = w.r.IntN(10) == 0
		w.nodes[node] = n
		w.of.SetNode(n)
	}
}

// component makes a random component.
func (w *world) component(t *testing.T) Component {
	c := component("c", 1+int32(w.r.IntN(3)), "cpu", w.pick("0", "300m", "1", "2"), "memory", w.pick("0", "1G", "2Gi"))
	if w.r.IntN(4) == 0 {
		c.Requirements.Requests["gpu.example.com/a"] = list("x", "1")["x"]
	}
	var selector map[string]string
	var a *corev1.NodeSelector
	var tolerations []corev1.Toleration
	switch w.r.IntN(6) {
	case 0:
		selector = map[string]string{"zone": w.pick("a", "b")}
	case 1:
		a = affinity(corev1.NodeSelectorRequirement{Key: "zone", Operator: corev1.NodeSelectorOpNotIn, Values: []string{"a"}})
	case 2:
		a = affinity(in("kubernetes.io/hostname", "n-0", "n-1", "n-2"))
	}
	if w.r.IntN(3) == 0 {
		tolerations = []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpExists}}
	}
	if selector != nil || a != nil || tolerations != nil {
		c.Requirements.Claim = claim(t, selector, a, tolerations...)
	}
	return c
}

// naiveFree returns what each schedulable node has free for a component, from the objects
// alone; a node that its claim does not allow is left out.
func (w *world) naiveFree(c Component) map[string]corev1.ResourceList {
	free := map[string]corev1.ResourceList{}
	for name, n := range w.nodes {
		allowed := c.Requirements.Claim.allows(newClass(name, n.Labels, schedulingTaints(n)))
		if !allowed {
			continue
		}
		left := n.Status.Allocatable.DeepCopy()
		for _, p := range w.pods {
			if p.Spec.NodeName != name || p.Status.Phase == corev1.PodSucceeded {
				continue
			}
			for resource, q := range p.Spec.Containers[0].Resources.Requests {
				have := left[resource]
				have.Sub(q)
				left[resource] = have
			}
			have := left["pods"]
			have.Sub(list("x", "1")["x"])
			left["pods"] = have
		}
		free[name] = left
	}
	return free
}

// naiveReplicas takes replica after replica from each node.
func (w *world) naiveReplicas(c Component) int32 {
	var count int32
	requests := c.Requirements.Requests.DeepCopy()
	requests["pods"] = list("x", "1")["x"]
	for _, left := range w.naiveFree(c) {
		for takeFrom(left, requests) {
			count++
		}
	}
	return count
}

// takeFrom takes requests, if all are there.
func takeFrom(left, requests corev1.ResourceList) bool {
	for name, q := range requests {
		if have := left[name]; !q.IsZero() && have.Cmp(q) < 0 {
			return false
		}
	}
	for name, q := range requests {
		if !q.IsZero() {
			have := left[name]
			have.Sub(q)
			left[name] = have
		}
	}
	return true
}

// TestAnswerByShapeIsAnswerByNode compares the answers over random clusters, after each
// few of their changes, with those of a count node by node over the objects, and the sets
// with those of the same nodes each by itself.
func TestAnswerByShapeIsAnswerByNode(t *testing.T) {
	asked := 0
	for seed := range uint64(200) {
		w := newWorld(seed)
		for range 30 {
			for range 5 {
				w.step(12 + 24*int(seed%2)) // so that host names are few values, or too many
			}
			c := w.component(t)
			if got, want := w.of.Assume().Replicas("team", c.Requirements, 0), w.naiveReplicas(c); got != want {
				t.Fatalf("seed %d: got %d replicas, want %d of %v", seed, got, want, c)
			}
			set := []Component{c, w.component(t)}
			if got, want := w.of.Assume().Sets("team", set, 0), w.setsByNode(set); got != want {
				t.Fatalf("seed %d: got %d sets, want %d of %v", seed, got, want, set)
			}
			if w.setsByNode(set) > 0 {
				asked++
			}
		}
	}
	if asked < 1000 {
		t.Errorf("only %d questions had another answer than 0", asked)
	}
}

// setsByNode answers for a group of each node.
func (w *world) setsByNode(set []Component) int32 {
	fresh := New()
	// The order of the groups depends on the labels by which nodes are told apart, and on
	// which resource was seen first.
	fresh.keys, fresh.indexes = w.of.keys, maps.Clone(w.of.indexes)
	for _, name := range slices.Sorted(maps.Keys(w.nodes)) {
		fresh.SetNode(w.nodes[name])
	}
	for _, name := range slices.Sorted(maps.Keys(w.pods)) {
		setPods(fresh, w.pods[name])
	}
	groups, all := fresh.Assume().groups(set)
	return asInt32(maxSets(single(groups), all, bounded(0)))
}

// TestSetsBetweenFirstFitAndOptimum compares the answers over small random clusters with
// those of placing set after set first fit, and with the best of all placements.
func TestSetsBetweenFirstFitAndOptimum(t *testing.T) {
	best, better, total := 0, 0, 0
	for seed := range uint64(400) {
		w := newWorld(1000 + seed)
		for range 8 {
			w.step(3)
		}
		set := []Component{w.component(t), w.component(t)}
		got := int64(w.of.Assume().Sets("team", set, 6))
		groups, all := w.of.Assume().groups(set)
		first, optimum := firstFit(groups, all, 6), exhaustive(groups, all, 6)
		if got < first || got > optimum {
			t.Fatalf("seed %d: got %d sets, first fit has %d, the best placement %d", seed, got, first, optimum)
		}
		if optimum == 0 {
			continue
		}
		total++
		if got == optimum {
			best++
		}
		if got > first {
			better++
		}
	}
	t.Logf("of %d clusters with room: %d have the best answer, %d more sets than first fit", total, best, better)
	if total < 50 {
		t.Errorf("only %d clusters have room", total)
	}
	if best*100 < total*95 {
		t.Errorf("only %d of %d answers are those of the best placement", best, total)
	}
}

// single returns a copy with a group for each node.
func single(groups []group) []group {
	var all []group
	for _, g := range groups {
		for range g.nodes {
			all = append(all, group{g.class, slices.Clone(g.free), 1})
		}
	}
	return all
}

// firstFit places each replica on the first node that takes it.
func firstFit(groups []group, components []*needs, limit int64) int64 {
	nodes := single(groups)
	for sets := range limit {
		for _, c := range components {
			for range c.replicas {
				index := slices.IndexFunc(nodes, func(g group) bool { return c.fits(&g) > 0 })
				if index < 0 {
					return sets
				}
				nodes[index].free = c.taken(nodes[index].free, 1)
			}
		}
	}
	return limit
}

// exhaustive tries all placements of more and more sets.
func exhaustive(groups []group, components []*needs, limit int64) int64 {
	for sets := int64(1); sets <= limit; sets++ {
		var replicas []*needs
		for _, c := range components {
			for range c.replicas * sets {
				replicas = append(replicas, c)
			}
		}
		if !placeable(single(groups), replicas, map[string]bool{}) {
			return sets - 1
		}
	}
	return limit
}

// placeable reports whether all replicas can be placed; tried has what could not be.
func placeable(nodes []group, replicas []*needs, tried map[string]bool) bool {
	if len(replicas) == 0 {
		return true
	}
	key := fmt.Sprint(len(replicas))
	for _, n := range nodes {
		key += fmt.Sprint(n.free)
	}
	if tried[key] {
		return false
	}
	for index := range nodes {
		if replicas[0].fits(&nodes[index]) == 0 {
			continue
		}
		before := nodes[index].free
		nodes[index].free = replicas[0].taken(before, 1)
		if placeable(nodes, replicas[1:], tried) {
			return true
		}
		nodes[index].free = before
	}
	tried[key] = true
	return false
}
