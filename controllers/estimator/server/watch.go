// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/controllers/decide/capacity/inventory"
)

// CacheOptions returns the options of a cache that keeps of nodes, pods and quotas only
// what an inventory reads. Pods that have ended are not even watched.
func CacheOptions() cache.Options {
	running := fields.AndSelectors(
		fields.OneTermNotEqualSelector("status.phase", string(corev1.PodSucceeded)),
		fields.OneTermNotEqualSelector("status.phase", string(corev1.PodFailed)),
	)
	return cache.Options{DefaultTransform: trim, ByObject: map[client.Object]cache.ByObject{&corev1.Pod{}: {Field: running}}}
}

// Watch tells an inventory of each node, pod and quota in a cache, and of their changes.
// The result reports whether all that were there at the start have been told.
func Watch(ctx context.Context, c cache.Cache, i *inventory.Inventory) (synced func() bool, err error) {
	var each []toolscache.ResourceEventHandlerRegistration
	for _, w := range []struct {
		object      client.Object
		set, remove func(any)
	}{
		{&corev1.Node{}, func(o any) { setNode(i, o) }, func(o any) { deleteNode(i, o) }},
		{&corev1.Pod{}, func(o any) { setPod(i, o) }, func(o any) { deletePod(i, o) }},
		{&corev1.ResourceQuota{}, func(o any) { setQuota(i, o) }, func(o any) { deleteQuota(i, o) }},
	} {
		informer, err := c.GetInformer(ctx, w.object, cache.BlockUntilSynced(false))
		if err != nil {
			return nil, fmt.Errorf("watch %T: %w", w.object, err)
		}
		registration, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc:    w.set,
			UpdateFunc: func(_, o any) { w.set(o) },
			DeleteFunc: w.remove,
		})
		if err != nil {
			return nil, fmt.Errorf("watch %T: %w", w.object, err)
		}
		each = append(each, registration)
	}
	return func() bool {
		for _, registration := range each {
			if !registration.HasSynced() {
				return false
			}
		}
		return true
	}, nil
}

func setNode(i *inventory.Inventory, o any) {
	if n, ok := o.(*corev1.Node); ok {
		i.SetNode(n)
	}
}

func deleteNode(i *inventory.Inventory, o any) {
	if m, ok := deleted(o); ok {
		i.DeleteNode(m.GetName())
	}
}

func setPod(i *inventory.Inventory, o any) {
	if p, ok := o.(*corev1.Pod); ok {
		i.SetPod(types.NamespacedName{Namespace: p.Namespace, Name: p.Name}, inventory.PodOf(p))
	}
}

func deletePod(i *inventory.Inventory, o any) {
	if m, ok := deleted(o); ok {
		i.DeletePod(types.NamespacedName{Namespace: m.GetNamespace(), Name: m.GetName()})
	}
}

func setQuota(i *inventory.Inventory, o any) {
	if q, ok := o.(*corev1.ResourceQuota); ok {
		i.SetQuota(q)
	}
}

func deleteQuota(i *inventory.Inventory, o any) {
	if m, ok := deleted(o); ok {
		i.DeleteQuota(m.GetNamespace(), m.GetName())
	}
}

// deleted returns the metadata of an object whose deletion was seen or missed.
func deleted(o any) (metav1.Object, bool) {
	if unknown, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
		o = unknown.Obj
	}
	m, ok := o.(metav1.Object)
	return m, ok
}

// trim drops what an inventory does not read, to hold many pods in little memory.
func trim(o any) (any, error) {
	switch x := o.(type) {
	case *corev1.Pod:
		return trimPod(x), nil
	case *corev1.Node:
		n := &corev1.Node{ObjectMeta: identity(x)}
		n.Labels = x.Labels
		n.Spec.Taints, n.Spec.Unschedulable, n.Status.Allocatable = x.Spec.Taints, x.Spec.Unschedulable, x.Status.Allocatable
		return n, nil
	case *corev1.ResourceQuota:
		return &corev1.ResourceQuota{ObjectMeta: identity(x), Spec: x.Spec, Status: x.Status}, nil
	}
	return o, nil
}

func trimPod(x *corev1.Pod) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: identity(x)}
	p.Spec.NodeName, p.Spec.Overhead, p.Spec.Resources = x.Spec.NodeName, x.Spec.Overhead, x.Spec.Resources
	p.Spec.Containers, p.Spec.InitContainers = requests(x.Spec.Containers), requests(x.Spec.InitContainers)
	s := &x.Status
	p.Status.Phase, p.Status.Resources, p.Status.AllocatedResources = s.Phase, s.Resources, s.AllocatedResources
	p.Status.ContainerStatuses, p.Status.InitContainerStatuses = allocated(s.ContainerStatuses), allocated(s.InitContainerStatuses)
	for _, c := range s.Conditions {
		switch c.Type {
		case corev1.PodScheduled, corev1.PodResizePending, corev1.PodResizeInProgress:
			c.Message = ""
			p.Status.Conditions = append(p.Status.Conditions, c)
		}
	}
	if x.Spec.NodeName == "" { // only a pod that waits for a node is asked for by its owner
		p.DeletionTimestamp = x.DeletionTimestamp
		if ref := metav1.GetControllerOfNoCopy(x); ref != nil {
			p.OwnerReferences = []metav1.OwnerReference{*ref}
		}
		if hash, ok := x.Labels[templateHash]; ok {
			p.Labels = map[string]string{templateHash: hash}
		}
	}
	return p
}

const templateHash = "pod-template-hash"

func identity(o metav1.Object) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: o.GetName(), Namespace: o.GetNamespace(), UID: o.GetUID(), ResourceVersion: o.GetResourceVersion()}
}

func requests(containers []corev1.Container) []corev1.Container {
	kept := make([]corev1.Container, 0, len(containers))
	for i := range containers {
		c := &containers[i]
		kept = append(kept, corev1.Container{Name: c.Name, RestartPolicy: c.RestartPolicy, Resources: corev1.ResourceRequirements{Requests: c.Resources.Requests}})
	}
	return kept
}

// allocated keeps what a resize in place has changed.
func allocated(statuses []corev1.ContainerStatus) []corev1.ContainerStatus {
	kept := make([]corev1.ContainerStatus, 0, len(statuses))
	for i := range statuses {
		s := &statuses[i]
		kept = append(kept, corev1.ContainerStatus{Name: s.Name, Resources: s.Resources, AllocatedResources: s.AllocatedResources})
	}
	return kept
}
