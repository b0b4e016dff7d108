// SPDX-License-Identifier: Apache-2.0

package modeling

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// counted returns the counts of the grades alone.
func counted(l *Ledger, m []clusterv1alpha1.ResourceModel) []int {
	var out []int
	for _, c := range l.Count(m) {
		out = append(out, c.Count)
	}
	return out
}

func TestLedger(t *testing.T) {
	m := models("cpu=0", "cpu=2", "cpu=4")
	l := &Ledger{}
	steps := []struct {
		name string
		do   func()
		want []int
	}{
		{"nothing", func() {}, []int{0, 0, 0}},
		{"a pod before its node", func() { l.ReplacePod(nil, &Pod{"a", resources("cpu=1 pods=1")}) }, []int{0, 0, 0}},
		{"its node", func() { l.SetNode("a", resources("cpu=4 pods=110"), true) }, []int{0, 1, 0}},
		{"a full node, which hides no other", func() {
			l.SetNode("b", resources("cpu=4"), true)
			l.ReplacePod(nil, &Pod{"b", resources("cpu=4")})
		}, []int{1, 1, 0}},
		{"the pod ends", func() { l.ReplacePod(&Pod{"a", resources("cpu=1 pods=1")}, nil) }, []int{1, 0, 1}},
		{"a pod moves", func() { l.ReplacePod(&Pod{"b", resources("cpu=4")}, &Pod{"a", resources("cpu=1")}) }, []int{0, 1, 1}},
		{"and back", func() { l.ReplacePod(&Pod{"a", resources("cpu=1")}, &Pod{"b", resources("cpu=4")}) }, []int{1, 0, 1}},
		{"a node is cordoned", func() { l.SetNode("b", resources("cpu=4"), false) }, []int{0, 0, 1}},
		{"and free again, with its pod", func() { l.SetNode("b", resources("cpu=6"), true) }, []int{0, 1, 1}},
		{"a node goes before its pods", func() { l.RemoveNode("b") }, []int{0, 0, 1}},
		{"and they after it", func() { l.ReplacePod(&Pod{"b", resources("cpu=4")}, nil) }, []int{0, 0, 1}},
		{"the last node goes", func() { l.RemoveNode("a") }, []int{0, 0, 0}},
	}
	for _, s := range steps {
		s.do()
		if diff := cmp.Diff(s.want, counted(l, m)); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", s.name, diff)
		}
	}
	if len(l.nodes) > 0 || len(l.dirty) > 0 {
		t.Errorf("%d nodes and %d changes are kept of an empty cluster", len(l.nodes), len(l.dirty))
	}
}

func TestLedgerFollowsTheModels(t *testing.T) {
	l := &Ledger{}
	l.SetNode("a", resources("cpu=4 memory=8Gi"), true)
	if diff := cmp.Diff([]int{0, 1}, counted(l, models("cpu=0", "cpu=4"))); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff([]int{1, 0, 0}, counted(l, models("cpu=0 memory=0", "cpu=1 memory=16Gi", "cpu=8 memory=32Gi"))); diff != "" {
		t.Errorf("other models count all nodes again (-want +got):\n%s", diff)
	}
	got := l.Count(nil)
	if len(got) != 9 || got[1] != (clusterv1alpha1.AllocatableModeling{Grade: 1, Count: 1}) {
		t.Errorf("no models count by the default grades, got %v", got)
	}
}

// TestLedgerLooksAtWhatChanged counts how many nodes a count looks at.
func TestLedgerLooksAtWhatChanged(t *testing.T) {
	m, l := models("cpu=0", "cpu=2"), &Ledger{}
	for i := range 1000 {
		l.SetNode(fmt.Sprint(i), resources("cpu=4"), true)
	}
	l.Count(m)
	l.ReplacePod(nil, &Pod{"7", resources("cpu=3")})
	l.ReplacePod(nil, &Pod{"7", resources("cpu=1")})
	l.SetNode("8", resources("cpu=1"), true)
	if len(l.dirty) != 2 {
		t.Errorf("the next count looks at %d nodes, want the 2 that changed", len(l.dirty))
	}
	if diff := cmp.Diff([]int{2, 998}, counted(l, m)); diff != "" {
		t.Error(diff)
	}
}

// TestLedgerAgreesWithACountFromScratch changes nodes and pods at random, and compares each
// count with one that goes over all of them.
func TestLedgerAgreesWithACountFromScratch(t *testing.T) {
	type offer struct {
		allocatable corev1.ResourceList
		schedulable bool
	}
	own := [][]clusterv1alpha1.ResourceModel{models("cpu=0 memory=0", "cpu=1 memory=1Gi", "cpu=4 memory=4Gi"), models("cpu=0", "cpu=3"), nil}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		l, nodes, pods := &Ledger{}, map[string]offer{}, []Pod{}
		amount := func() corev1.ResourceList {
			return corev1.ResourceList{
				corev1.ResourceCPU:    *resource.NewMilliQuantity(r.Int64N(9000), resource.DecimalSI),
				corev1.ResourceMemory: *resource.NewQuantity(r.Int64N(9<<30), resource.BinarySI),
			}
		}
		for range 60 {
			name := fmt.Sprint(r.IntN(5))
			switch r.IntN(5) {
			case 0, 1:
				nodes[name] = offer{amount(), r.IntN(4) > 0}
				l.SetNode(name, nodes[name].allocatable, nodes[name].schedulable)
			case 2:
				if _, ok := nodes[name]; ok {
					delete(nodes, name)
					l.RemoveNode(name)
				}
			case 3:
				p := Pod{name, amount()}
				pods = append(pods, p)
				l.ReplacePod(nil, &p)
			case 4:
				if len(pods) > 0 && r.IntN(2) > 0 {
					i, p := r.IntN(len(pods)), Pod{name, amount()}
					l.ReplacePod(&pods[i], &p)
					pods[i] = p
					continue
				}
				if len(pods) > 0 {
					i := r.IntN(len(pods))
					l.ReplacePod(&pods[i], nil)
					pods[i] = pods[len(pods)-1]
					pods = pods[:len(pods)-1]
				}
			}
			if r.IntN(3) > 0 {
				continue
			}
			m := own[r.IntN(len(own))]
			grades := Of(m)
			want := make([]int, len(grades))
			for name, n := range nodes {
				free := corev1.ResourceList{}
				for resource, q := range n.allocatable {
					q = q.DeepCopy()
					for _, p := range pods {
						if p.Node == name {
							q.Sub(p.Requests[resource])
						}
					}
					free[resource] = q
				}
				if n.schedulable {
					want[grades.index(free)]++
				}
			}
			if diff := cmp.Diff(want, counted(l, m)); diff != "" {
				t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
			}
		}
	}
}

// BenchmarkLedger counts after one pod in a cluster of that many nodes came and went.
func BenchmarkLedger(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			l, requests := &Ledger{}, resources("cpu=3 memory=4Gi pods=1")
			for i := range n {
				l.SetNode(fmt.Sprint(i), resources("cpu=16 memory=64Gi pods=110"), true)
			}
			l.Count(nil)
			b.ReportAllocs()
			for b.Loop() {
				l.ReplacePod(nil, &Pod{"7", requests})
				l.Count(nil)
				l.ReplacePod(&Pod{"7", requests}, nil)
				l.Count(nil)
			}
		})
	}
}
