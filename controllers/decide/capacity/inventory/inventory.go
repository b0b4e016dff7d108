// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Inventory holds the nodes, pods and quotas of one cluster. It is safe for many
// goroutines. A change of a node costs as much as the node has labels and resources, one
// of a pod as much as the pod and its node have resources.
type Inventory struct {
	mu    sync.Mutex
	nodes map[string]*node
	pods  map[types.NamespacedName]Pod

	// indexes are the places of resources in amounts; a name is known once a node has it.
	indexes map[corev1.ResourceName]int
	// values counts the nodes that have a value of a label, by key and value.
	values map[string]map[string]int
	// keys are the labels by which nodes are told apart, sorted.
	keys    []string
	classes map[string]*class
	shapes  map[string]*shape
	// sorted are the shapes as groups, in their order, or nil; shared is set once a view
	// has them. single are the groups of each node, or nil.
	sorted []group
	shared bool
	single []group
	// buffer is where keys are built.
	buffer []byte

	pending map[Owner]map[types.NamespacedName]time.Time
	quotas  map[string]map[string]*quota
}

// New returns an empty inventory.
func New() *Inventory {
	return &Inventory{
		nodes:   map[string]*node{},
		pods:    map[types.NamespacedName]Pod{},
		indexes: map[corev1.ResourceName]int{},
		values:  map[string]map[string]int{},
		classes: map[string]*class{},
		shapes:  map[string]*shape{},
		pending: map[Owner]map[types.NamespacedName]time.Time{},
		quotas:  map[string]map[string]*quota{},
	}
}

// node is one node, or what the pods request of one that was not seen yet.
type node struct {
	// known is set once the node was seen; pods may be seen before.
	known       bool
	allocatable map[corev1.ResourceName]int64
	requested   map[corev1.ResourceName]total
	pods        int
	labels      map[string]string
	// own is what a question sees of the node that names its name or a rare label.
	own *class
	// class and shape are what other questions see; both are nil for an unknown node.
	class *class
	shape *shape
}

// SetNode adds a node or replaces it.
func (i *Inventory) SetNode(n *corev1.Node) {
	i.mu.Lock()
	defer i.mu.Unlock()
	own := i.node(n.Name)
	taints, allocatable := schedulingTaints(n), allocatableOf(n)
	if own.known && maps.Equal(own.labels, n.Labels) && maps.Equal(own.allocatable, allocatable) && slices.Equal(own.own.taints, taints) {
		return
	}
	i.countLabels(own.labels, -1)
	i.countLabels(n.Labels, 1)
	own.known, own.labels, own.allocatable = true, maps.Clone(n.Labels), allocatable
	own.own, i.single = newClass(n.Name, own.labels, taints), nil
	for _, name := range slices.Sorted(maps.Keys(allocatable)) {
		if _, known := i.indexes[name]; !known {
			i.indexes[name] = len(i.indexes)
		}
	}
	i.classify(own)
	i.reshape(own)
}

func allocatableOf(n *corev1.Node) map[corev1.ResourceName]int64 {
	amounts := make(map[corev1.ResourceName]int64, len(n.Status.Allocatable))
	for name, q := range n.Status.Allocatable {
		amounts[name] = amountDown(name, q)
	}
	return amounts
}

// DeleteNode removes a node. Its pods keep counting, should it come back, until they are
// deleted.
func (i *Inventory) DeleteNode(name string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	n := i.nodes[name]
	if n == nil {
		return
	}
	i.countLabels(n.labels, -1)
	i.leaveShape(n)
	i.leaveClass(n)
	n.known, n.allocatable, n.labels, n.own = false, nil, nil, nil
	i.forgetEmpty(name, n)
}

// Nodes returns how many nodes there are, and of how many shapes.
func (i *Inventory) Nodes() (nodes, shapes int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, n := range i.nodes {
		if n.known {
			nodes++
		}
	}
	return nodes, len(i.shapes)
}

// node returns a node, which is made if there is none.
func (i *Inventory) node(name string) *node {
	n := i.nodes[name]
	if n == nil {
		n = &node{requested: map[corev1.ResourceName]total{}}
		i.nodes[name] = n
	}
	return n
}

func (i *Inventory) forgetEmpty(name string, n *node) {
	if !n.known && n.pods == 0 {
		delete(i.nodes, name)
	}
}

// countLabels adds by to the count of each label.
func (i *Inventory) countLabels(labels map[string]string, by int) {
	for key, value := range labels {
		counts := i.values[key]
		if counts == nil {
			counts = map[string]int{}
			i.values[key] = counts
		}
		if counts[value] += by; counts[value] == 0 {
			delete(counts, value)
		}
		if len(counts) == 0 {
			delete(i.values, key)
		}
	}
}
