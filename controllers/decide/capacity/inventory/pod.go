// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	podresources "k8s.io/component-helpers/resource"
)

// Owner is the workload that controls pods.
type Owner struct {
	Namespace, Group, Kind, Name string
}

// Pod is what counts of a pod.
type Pod struct {
	// Node is where the pod runs or is to run; it is empty for one that has no node, or
	// that has ended.
	Node     string
	Requests []Request
	// Unschedulable is since when the scheduler finds no node, or zero.
	Unschedulable time.Time
	// Owners are the workload that controls the pod and the Deployment above it; they
	// are set for an unschedulable pod only.
	Owners []Owner
}

func (p Pod) equal(o Pod) bool {
	return p.Node == o.Node && p.Unschedulable.Equal(o.Unschedulable) && slices.Equal(p.Requests, o.Requests) && slices.Equal(p.Owners, o.Owners)
}

// PodOf returns what counts of a pod. What a pod requests is what Kubernetes computes,
// with init containers, sidecars and overhead, and with what a resize has allocated.
func PodOf(p *corev1.Pod) Pod {
	if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
		return Pod{}
	}
	if p.Spec.NodeName != "" {
		return Pod{Node: p.Spec.NodeName, Requests: requestsOf(podresources.PodRequests(p, podresources.PodResourcesOptions{
			UseStatusResources: true, InPlacePodLevelResourcesVerticalScalingEnabled: true,
		}))}
	}
	if p.DeletionTimestamp != nil {
		return Pod{}
	}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable {
			return Pod{Unschedulable: c.LastTransitionTime.Time, Owners: owners(p)}
		}
	}
	return Pod{}
}

// owners returns the workloads of a pod. The Deployment of a ReplicaSet is known without
// reading the ReplicaSet: its controller names that after itself and the hash that is a
// label of the pods.
func owners(p *corev1.Pod) []Owner {
	ref := metav1.GetControllerOfNoCopy(p)
	if ref == nil {
		return nil
	}
	group := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind).Group
	found := []Owner{{p.Namespace, group, ref.Kind, ref.Name}}
	hash := p.Labels["pod-template-hash"]
	if name, ok := strings.CutSuffix(ref.Name, "-"+hash); ok && hash != "" && group == "apps" && ref.Kind == "ReplicaSet" {
		found = append(found, Owner{p.Namespace, group, "Deployment", name})
	}
	return found
}

// SetPod adds a pod or replaces it.
func (i *Inventory) SetPod(key types.NamespacedName, p Pod) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if before, ok := i.pods[key]; ok && before.equal(p) {
		return
	}
	i.dropPod(key)
	if p.Node == "" && len(p.Owners) == 0 {
		return
	}
	i.pods[key] = p
	for _, o := range p.Owners {
		if i.pending[o] == nil {
			i.pending[o] = map[types.NamespacedName]time.Time{}
		}
		i.pending[o][key] = p.Unschedulable
	}
	if p.Node == "" {
		return
	}
	n := i.node(p.Node)
	n.pods++
	for _, r := range p.Requests {
		n.requested[r.Name] = n.requested[r.Name].plus(r.Amount)
	}
	if n.known {
		i.reshape(n)
	}
}

// DeletePod removes a pod.
func (i *Inventory) DeletePod(key types.NamespacedName) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.dropPod(key)
}

func (i *Inventory) dropPod(key types.NamespacedName) {
	p, ok := i.pods[key]
	if !ok {
		return
	}
	delete(i.pods, key)
	for _, o := range p.Owners {
		if delete(i.pending[o], key); len(i.pending[o]) == 0 {
			delete(i.pending, o)
		}
	}
	n := i.nodes[p.Node]
	if n == nil {
		return
	}
	n.pods--
	for _, r := range p.Requests {
		if left := n.requested[r.Name].minus(r.Amount); left == (total{}) {
			delete(n.requested, r.Name)
		} else {
			n.requested[r.Name] = left
		}
	}
	if n.known {
		i.reshape(n)
	}
	i.forgetEmpty(p.Node, n)
}

// Unschedulable returns how many pods of a workload the scheduler has found no node for,
// for longer than a threshold. A negative threshold is 0.
func (i *Inventory) Unschedulable(o Owner, threshold time.Duration, now time.Time) int32 {
	i.mu.Lock()
	defer i.mu.Unlock()
	var count int32
	for _, since := range i.pending[o] {
		if now.Sub(since) > max(threshold, 0) {
			count++
		}
	}
	return count
}
