// SPDX-License-Identifier: Apache-2.0

package modeling

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// Ledger counts the nodes of one cluster by grade. Each change costs the same, however many
// nodes and pods there are, and a count costs the nodes that changed since the last one. It
// is safe for many goroutines; the zero value is empty.
type Ledger struct {
	mu     sync.Mutex
	nodes  map[string]*node
	dirty  map[string]struct{}
	grades Grades
	counts []int
}

// node is a node or, before it is known, the pods that name it.
type node struct {
	// allocatable is what it offers to pods.
	allocatable corev1.ResourceList
	// used is what its pods request; a resource may be there with zero.
	used corev1.ResourceList
	// pods is their number.
	pods int
	// schedulable means that it is known and takes pods.
	schedulable bool
	// known means that it was set and not removed.
	known bool
	// grade is the place of the grade that it is counted in, or none.
	grade int
}

// SetNode adds a node or replaces it: what it offers to pods, and whether it takes them. The
// list must not change afterwards.
func (l *Ledger) SetNode(name string, allocatable corev1.ResourceList, schedulable bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.touch(name)
	n.allocatable, n.schedulable, n.known = allocatable, schedulable, true
}

// RemoveNode removes a node. Its pods stay until they are removed too.
func (l *Ledger) RemoveNode(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.touch(name)
	n.allocatable, n.schedulable, n.known = nil, false, false
}

// Pod is a pod on a node: the node's name, and what the pod requests.
type Pod struct {
	Node     string
	Requests corev1.ResourceList
}

// ReplacePod replaces a pod that was added before by another; nil is none. The nodes need not
// be known yet. No count sees one without the other.
func (l *Ledger) ReplacePod(before, after *Pod) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if before != nil {
		n := l.touch(before.Node)
		n.pods--
		n.use(before.Requests, (*resource.Quantity).Sub)
	}
	if after != nil {
		n := l.touch(after.Node)
		n.pods++
		n.use(after.Requests, (*resource.Quantity).Add)
	}
}

// use changes what the pods of a node request.
func (n *node) use(requests corev1.ResourceList, change func(sum *resource.Quantity, q resource.Quantity)) {
	for name, q := range requests {
		sum := n.used[name]
		change(&sum, q)
		n.used[name] = sum
	}
}

// touch returns a node that is about to change, for the next count to look at.
func (l *Ledger) touch(name string) *node {
	n := l.nodes[name]
	if n == nil {
		n = &node{used: corev1.ResourceList{}, grade: none}
		if l.nodes == nil {
			l.nodes, l.dirty = map[string]*node{}, map[string]struct{}{}
		}
		l.nodes[name] = n
	}
	l.dirty[name] = struct{}{}
	return n
}

// Count returns how many nodes that take pods are in each grade of the models, by what they
// have free: one item for each grade, the smallest first. A node that does not even have
// the minimum of the smallest grade is in none. No models mean the default ones.
func (l *Ledger) Count(models []clusterv1alpha1.ResourceModel) []clusterv1alpha1.AllocatableModeling {
	l.mu.Lock()
	defer l.mu.Unlock()
	if grades := Of(models); l.grades == nil || !l.grades.Equal(grades) {
		l.reset(grades)
	}
	for name := range l.dirty {
		l.recount(name)
	}
	l.dirty = map[string]struct{}{} // clearing a map costs as much as it ever held
	out := make([]clusterv1alpha1.AllocatableModeling, len(l.grades))
	for i := range l.grades {
		out[i] = clusterv1alpha1.AllocatableModeling{Grade: l.grades[i].Grade, Count: l.counts[i]}
	}
	return out
}

// reset begins to count by other grades.
func (l *Ledger) reset(grades Grades) {
	l.grades, l.counts = grades, make([]int, len(grades))
	for name, n := range l.nodes {
		n.grade = none
		l.dirty[name] = struct{}{}
	}
}

// recount counts a node that changed in its grade of now.
func (l *Ledger) recount(name string) {
	n := l.nodes[name]
	if n.grade != none {
		l.counts[n.grade]--
	}
	n.grade = none
	if n.schedulable {
		n.grade = l.grades.index(n.free())
	}
	if n.grade != none {
		l.counts[n.grade]++
	}
	if !n.known && n.pods == 0 {
		delete(l.nodes, name)
	}
}

// free returns what the node offers and its pods do not request; it may be negative.
func (n *node) free() corev1.ResourceList {
	free := make(corev1.ResourceList, len(n.allocatable))
	for name, q := range n.allocatable {
		q = q.DeepCopy() // big quantities are pointers inside
		q.Sub(n.used[name])
		free[name] = q
	}
	return free
}
