// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// class is what the claim of a workload sees of a node. It does not change.
type class struct {
	key    string
	taints []corev1.Taint
	// node has the labels and, in the class of one node alone, the name.
	node *corev1.Node
	// nodes counts the nodes of the class.
	nodes int
}

func newClass(name string, labels map[string]string, taints []corev1.Taint) *class {
	return &class{key: name, taints: taints, node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}}
}

// schedulingTaints returns the taints that keep pods away, sorted. A cordoned node has
// that of its own, which a pod may tolerate, as kube-scheduler has it.
func schedulingTaints(n *corev1.Node) []corev1.Taint {
	var taints []corev1.Taint
	for _, t := range n.Spec.Taints {
		if t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute {
			taints = append(taints, corev1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect})
		}
	}
	if n.Spec.Unschedulable {
		taints = append(taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	slices.SortFunc(taints, func(a, b corev1.Taint) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Value, b.Value), strings.Compare(string(a.Effect), string(b.Effect)))
	})
	return slices.Compact(taints)
}

// amounts are the free amounts of a node by the index of the resource. Those of the
// missing indexes are 0. They do not change once they are in a group.
type amounts []int64

// shape is the nodes of one class with the same free amounts.
type shape struct {
	key   string
	class *class
	free  amounts
	nodes int64
}

// classify puts a known node into its class.
func (i *Inventory) classify(n *node) {
	b := i.buffer[:0]
	for _, t := range n.own.taints {
		b = appendText(b, t.Key, t.Value, string(t.Effect))
	}
	b = append(b, 0)
	for _, key := range i.keys {
		if value, ok := n.labels[key]; ok {
			b = appendText(b, key, value)
		}
	}
	i.buffer = b
	if n.class != nil && n.class.key == string(b) {
		return
	}
	i.leaveShape(n)
	i.leaveClass(n)
	c := i.classes[string(b)]
	if c == nil {
		labels := map[string]string{}
		for _, key := range i.keys {
			if value, ok := n.labels[key]; ok {
				labels[key] = value
			}
		}
		c = newClass("", labels, n.own.taints)
		c.key = string(b)
		i.classes[c.key] = c
	}
	c.nodes++
	n.class = c
}

// appendText appends texts so that no two lists of them make the same bytes.
func appendText(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = strconv.AppendInt(b, int64(len(s)), 10)
		b = append(b, ':')
		b = append(b, s...)
	}
	return b
}

// reshape puts a known node into the shape that it has now.
func (i *Inventory) reshape(n *node) {
	b := i.buffer[:0]
	free := make(amounts, 0, 8)
	for name, allocatable := range n.allocatable {
		index := i.indexes[name]
		for len(free) <= index {
			free = append(free, 0)
		}
		free[index] = n.requested[name].below(allocatable)
	}
	for len(free) > 0 && free[len(free)-1] == 0 {
		free = free[:len(free)-1]
	}
	for _, a := range free {
		b = binary.AppendUvarint(b, uint64(a))
	}
	b = append(append(b, '/'), n.class.key...)
	b = binary.BigEndian.AppendUint16(b, uint16(len(free)))
	i.buffer = b
	if n.shape != nil && n.shape.key == string(b) {
		return
	}
	i.leaveShape(n)
	s := i.shapes[string(b)]
	if s == nil {
		s = &shape{key: string(b), class: n.class, free: free}
		i.shapes[s.key] = s
	}
	s.nodes++
	n.shape, i.single = s, nil
	i.sort(s)
}

func (i *Inventory) leaveShape(n *node) {
	if n.shape == nil {
		return
	}
	s := n.shape
	if s.nodes--; s.nodes == 0 {
		delete(i.shapes, s.key)
	}
	n.shape, i.single = nil, nil
	i.sort(s)
}

// sort updates the group of a shape whose number of nodes has changed.
func (i *Inventory) sort(s *shape) {
	if i.sorted == nil {
		return
	}
	if i.shared {
		i.sorted, i.shared = slices.Clone(i.sorted), false
	}
	g := group{s.class, s.free, s.nodes}
	at, found := slices.BinarySearchFunc(i.sorted, g, compareGroups)
	switch {
	case !found:
		i.sorted = slices.Insert(i.sorted, at, g)
	case s.nodes == 0:
		i.sorted = slices.Delete(i.sorted, at, at+1)
	default:
		i.sorted[at] = g
	}
}

func (i *Inventory) leaveClass(n *node) {
	if n.class == nil {
		return
	}
	if n.class.nodes--; n.class.nodes == 0 {
		delete(i.classes, n.class.key)
	}
	n.class = nil
}

const (
	// maxKeys is by how many labels nodes are told apart at a time.
	maxKeys = 32
	// fewValues is how many values a label may have in any case.
	fewValues = 16
	// nodesPerValue is how many nodes a value of a label must have on average, so that
	// telling nodes apart by the label is of use.
	nodesPerValue = 4
)

// learn tells nodes apart by further labels. It reports false if one of them is nearly
// another for each node, such as the host name.
func (i *Inventory) learn(keys []string) bool {
	var added []string
	for _, key := range keys {
		values := i.values[key]
		if len(values) == 0 || slices.Contains(i.keys, key) {
			continue // no node has it, or it is known
		}
		if len(values) > fewValues && len(values)*nodesPerValue > len(i.nodes) {
			return false
		}
		added = append(added, key)
	}
	if len(added) == 0 {
		return true
	}
	if len(i.keys)+len(added) > maxKeys {
		i.keys, added = nil, keys
	}
	if len(added) > maxKeys {
		return false
	}
	i.keys = append(slices.Clone(i.keys), added...)
	slices.Sort(i.keys)
	i.keys = slices.Compact(i.keys)
	i.sorted = nil
	for _, n := range i.nodes {
		if n.known {
			i.classify(n)
			i.reshape(n)
		}
	}
	return true
}

// group is a number of nodes of one class with the same free amounts.
type group struct {
	class *class
	free  amounts
	nodes int64
}

// groups returns the nodes by shape, those with the least free first: by the amounts in the
// order in which their resources were first seen, then by class. It must not be changed.
func (i *Inventory) groups() []group {
	if i.sorted == nil {
		i.sorted = make([]group, 0, len(i.shapes))
		for _, s := range i.shapes {
			i.sorted = append(i.sorted, group{s.class, s.free, s.nodes})
		}
		slices.SortFunc(i.sorted, compareGroups)
	}
	i.shared = true
	return i.sorted
}

// eachNode returns a group for each node, in the order of groups. It must not be changed.
func (i *Inventory) eachNode() []group {
	if i.single == nil {
		i.single = make([]group, 0, len(i.nodes))
		for _, n := range i.nodes {
			if n.known {
				i.single = append(i.single, group{n.own, n.shape.free, 1})
			}
		}
		slices.SortFunc(i.single, compareGroups)
	}
	return i.single
}

func compareGroups(a, b group) int {
	return cmp.Or(slices.Compare(a.free, b.free), strings.Compare(a.class.key, b.class.key))
}
