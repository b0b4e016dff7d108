// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// now is the time of the tests.
var now = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// list makes amounts of pairs of a name and a quantity.
func list(pairs ...string) corev1.ResourceList {
	l := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		l[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return l
}

// newNode makes a node with 110 pods, unless the pairs say another number.
func newNode(name string, pairs ...string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}}}
	n.Status.Allocatable = list(append([]string{"pods", "110"}, pairs...)...)
	return n
}

func labelled(n *corev1.Node, key, value string) *corev1.Node {
	n.Labels[key] = value
	return n
}

func tainted(n *corev1.Node, key string, effect corev1.TaintEffect) *corev1.Node {
	n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: effect})
	return n
}

// newPod makes a pod with one container.
func newPod(name, node string, pairs ...string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
	p.Spec.NodeName = node
	p.Spec.Containers = []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Requests: list(pairs...)}}}
	return p
}

func setPods(i *Inventory, pods ...*corev1.Pod) {
	for _, p := range pods {
		i.SetPod(types.NamespacedName{Namespace: p.Namespace, Name: p.Name}, PodOf(p))
	}
}

func setNodes(i *Inventory, nodes ...*corev1.Node) *Inventory {
	for _, n := range nodes {
		i.SetNode(n)
	}
	return i
}

// nodes makes count nodes of the same form.
func nodes(count int, prefix string, pairs ...string) []*corev1.Node {
	var all []*corev1.Node
	for i := range count {
		all = append(all, newNode(fmt.Sprintf("%s-%d", prefix, i), pairs...))
	}
	return all
}

func component(name string, replicas int32, pairs ...string) Component {
	return Component{Name: name, Replicas: replicas, Requirements: Requirements{Requests: list(pairs...)}}
}

func claim(t testing.TB, selector map[string]string, affinity *corev1.NodeSelector, tolerations ...corev1.Toleration) *Claim {
	t.Helper()
	c, err := NewClaim(selector, affinity, tolerations)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func affinity(expressions ...corev1.NodeSelectorRequirement) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: expressions}}}
}
