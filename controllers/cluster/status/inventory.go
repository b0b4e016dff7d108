// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

// inventories watch the nodes and pods of the members.
type inventories struct {
	// graded has the nodes counted by grade.
	graded bool

	mu  sync.Mutex
	all map[string]*inventory
}

// inventory is the watch on one connection; it ends with it. Pods and nodes are kept
// only as far as their resources need.
type inventory struct {
	of    *member.Member
	cache cache.Cache
	since time.Time
	// grades count the nodes; nil until nodes and pods are read, and if nobody wants it.
	grades *grades
	// denied are the refusals of the member.
	denied *denials
}

// syncTimeout is how long the first read of nodes and pods may take. After that they
// count as not readable.
const syncTimeout = 30 * time.Second

// read sums up the nodes and pods of a member, and counts its nodes by the grades of the
// models. The sums are nil until nodes and pods were read for the first time; done is false
// as long as that is under way.
func (i *inventories) read(ctx context.Context, m *member.Member, models []clusterv1alpha1.ResourceModel, now time.Time) (s *sums, done bool, err error) {
	inv, err := i.open(m, now)
	if err != nil {
		return nil, true, fmt.Errorf("watch nodes and pods of cluster %s: %w", m.Name, err)
	}
	done = now.Sub(inv.since) >= syncTimeout
	synced, err := inv.sync(ctx, i.graded)
	if err != nil || !synced {
		return nil, done, err
	}
	var (
		nodes corev1.NodeList
		pods  corev1.PodList
	)
	if err := inv.cache.List(ctx, &nodes, client.UnsafeDisableDeepCopy); err != nil {
		return nil, done, err
	}
	if err := inv.cache.List(ctx, &pods, client.UnsafeDisableDeepCopy); err != nil {
		return nil, done, err
	}
	s = summarize(nodes.Items, pods.Items)
	if inv.grades != nil {
		s.resources.AllocatableModelings = inv.grades.ledger.Count(models)
	}
	return s, true, nil
}

// sync reports whether nodes and pods have been read; it starts to read them.
func (inv *inventory) sync(ctx context.Context, graded bool) (bool, error) {
	nodes, err := inv.cache.GetInformer(ctx, &corev1.Node{}, cache.BlockUntilSynced(false))
	if err != nil {
		return false, err
	}
	pods, err := inv.cache.GetInformer(ctx, &corev1.Pod{}, cache.BlockUntilSynced(false))
	if err != nil {
		return false, err
	}
	if graded && inv.grades == nil {
		if inv.grades, err = follow(nodes, pods); err != nil {
			return false, err
		}
	}
	return nodes.HasSynced() && pods.HasSynced() && (inv.grades == nil || inv.grades.hasSynced()), nil
}

func (i *inventories) open(m *member.Member, now time.Time) (*inventory, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if inv := i.all[m.Name]; inv != nil && inv.of == m {
		return inv, nil
	}
	denied := &denials{}
	c, err := m.Watching(cache.Options{DefaultTransform: trim, DefaultWatchErrorHandler: denied.observe})
	if err != nil {
		return nil, err
	}
	if i.all == nil {
		i.all = map[string]*inventory{}
	}
	inv := &inventory{of: m, cache: c, since: now, denied: denied}
	i.all[m.Name] = inv
	return inv, nil
}

// denied returns what a member does not allow to be summed up, sorted.
func (i *inventories) denied(cluster string) []string {
	i.mu.Lock()
	inv := i.all[cluster]
	i.mu.Unlock()
	if inv == nil {
		return nil
	}
	return inv.denied.now(time.Now()) // the watches have no clock
}

func (i *inventories) forget(cluster string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.all, cluster)
}

// trim drops what the summary does not need, to hold many pods in little memory.
func trim(o any) (any, error) {
	switch x := o.(type) {
	case *corev1.Pod:
		p := &corev1.Pod{ObjectMeta: identity(x.ObjectMeta)}
		p.Spec.NodeName, p.Spec.Overhead, p.Spec.Resources, p.Status.Phase = x.Spec.NodeName, x.Spec.Overhead, x.Spec.Resources, x.Status.Phase
		p.Spec.Containers, p.Spec.InitContainers = requests(x.Spec.Containers), requests(x.Spec.InitContainers)
		return p, nil
	case *corev1.Node:
		n := &corev1.Node{ObjectMeta: identity(x.ObjectMeta)}
		n.Spec.Unschedulable = x.Spec.Unschedulable
		n.Status.Allocatable, n.Status.Conditions = x.Status.Allocatable, x.Status.Conditions
		return n, nil
	}
	return o, nil
}

func identity(m metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: m.Name, Namespace: m.Namespace, UID: m.UID, ResourceVersion: m.ResourceVersion}
}

func requests(containers []corev1.Container) []corev1.Container {
	kept := make([]corev1.Container, 0, len(containers))
	for i := range containers {
		c := &containers[i]
		kept = append(kept, corev1.Container{Name: c.Name, RestartPolicy: c.RestartPolicy, Resources: c.Resources})
	}
	return kept
}

// sums are what the nodes and pods of a member add up to.
type sums struct {
	nodes     *clusterv1alpha1.NodeSummary
	resources *clusterv1alpha1.ResourceSummary
}

// summarize returns what the nodes offer, what bound pods have and what pending pods
// request. Pods that have ended do not count. A node that takes no pods offers what its
// pods have and no more, so that nothing of it is free.
func summarize(nodes []corev1.Node, pods []corev1.Pod) *sums {
	n := &clusterv1alpha1.NodeSummary{TotalNum: int32(len(nodes))}
	allocatable, allocating, allocated := corev1.ResourceList{}, corev1.ResourceList{}, corev1.ResourceList{}
	closed := map[string]bool{}
	for i := range nodes {
		if isReady(&nodes[i]) {
			n.ReadyNum++
		}
		if takesPods(&nodes[i]) {
			add(allocatable, nodes[i].Status.Allocatable)
			continue
		}
		closed[nodes[i].Name] = true
		mention(allocatable, nodes[i].Status.Allocatable)
	}
	for i := range pods {
		p := &pods[i]
		if hasEnded(p) {
			continue
		}
		requests := requestsOf(p)
		switch {
		case p.Spec.NodeName == "":
			add(allocating, requests)
			continue
		case closed[p.Spec.NodeName]:
			add(allocatable, requests)
		}
		add(allocated, requests)
	}
	return &sums{n, &clusterv1alpha1.ResourceSummary{Allocatable: allocatable, Allocating: allocating, Allocated: allocated}}
}

// takesPods reports whether new pods may be bound to a node.
func takesPods(n *corev1.Node) bool { return isReady(n) && !n.Spec.Unschedulable }

func isReady(n *corev1.Node) bool {
	return slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

func hasEnded(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// requestsOf returns what a pod requests, and one pod.
func requestsOf(p *corev1.Pod) corev1.ResourceList {
	list := resourcehelper.PodRequests(p, resourcehelper.PodResourcesOptions{})
	list[corev1.ResourcePods] = *resource.NewQuantity(1, resource.DecimalSI)
	return list
}

func add(sum, list corev1.ResourceList) {
	for name, q := range list {
		s := sum[name]
		s.Add(q)
		sum[name] = s
	}
}

// mention has a sum name the resources of a list: with 0 what it does not name.
func mention(sum, list corev1.ResourceList) {
	for name, q := range list {
		if _, known := sum[name]; !known {
			sum[name] = resource.Quantity{Format: q.Format}
		}
	}
}
