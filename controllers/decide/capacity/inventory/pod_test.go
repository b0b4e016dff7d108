// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// pending makes a pod that found no node a while before now.
func pending(name, ownerAPI, ownerKind, owner, hash string, ago time.Duration) *corev1.Pod {
	p := newPod(name, "", "cpu", "1")
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: ownerAPI, Kind: ownerKind, Name: owner, Controller: ptr.To(true)}}
	if hash != "" {
		p.Labels = map[string]string{"pod-template-hash": hash}
	}
	p.Status.Phase = corev1.PodPending
	p.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, LastTransitionTime: metav1.NewTime(now.Add(-ago)),
	}}
	return p
}

func TestUnschedulable(t *testing.T) {
	deployment := Owner{"team", "apps", "Deployment", "web"}
	changed := func(change func(*corev1.Pod)) *corev1.Pod {
		p := pending("p", "apps/v1", "ReplicaSet", "web-5d8f", "5d8f", time.Hour)
		change(p)
		return p
	}
	for name, c := range map[string]struct {
		pod   *corev1.Pod
		owner Owner
		want  int32
	}{
		"of a Deployment":                 {changed(func(*corev1.Pod) {}), deployment, 1},
		"of its ReplicaSet":               {changed(func(*corev1.Pod) {}), Owner{"team", "apps", "ReplicaSet", "web-5d8f"}, 1},
		"of another namespace":            {changed(func(*corev1.Pod) {}), Owner{"other", "apps", "Deployment", "web"}, 0},
		"of a longer name":                {changed(func(p *corev1.Pod) { p.OwnerReferences[0].Name = "web-x-5d8f" }), deployment, 0},
		"of a ReplicaSet by itself":       {changed(func(p *corev1.Pod) { p.Labels = nil }), deployment, 0},
		"of a ReplicaSet of others":       {changed(func(p *corev1.Pod) { p.OwnerReferences[0].APIVersion = "example.com/v1" }), deployment, 0},
		"of a StatefulSet":                {pending("p", "apps/v1", "StatefulSet", "db", "", time.Hour), Owner{"team", "apps", "StatefulSet", "db"}, 1},
		"of a custom kind":                {pending("p", "kubeflow.org/v1", "PyTorchJob", "train", "", time.Hour), Owner{"team", "kubeflow.org", "PyTorchJob", "train"}, 1},
		"of a kind of another group":      {pending("p", "kubeflow.org/v1", "PyTorchJob", "train", "", time.Hour), Owner{"team", "example.com", "PyTorchJob", "train"}, 0},
		"of nothing":                      {changed(func(p *corev1.Pod) { p.OwnerReferences = nil }), deployment, 0},
		"owned, not controlled":           {changed(func(p *corev1.Pod) { p.OwnerReferences[0].Controller = nil }), deployment, 0},
		"exactly as long as the least":    {pending("p", "apps/v1", "ReplicaSet", "web-5d8f", "5d8f", time.Minute), deployment, 0},
		"just longer":                     {pending("p", "apps/v1", "ReplicaSet", "web-5d8f", "5d8f", time.Minute+time.Nanosecond), deployment, 1},
		"scheduled":                       {changed(func(p *corev1.Pod) { p.Spec.NodeName = "n" }), deployment, 0},
		"held by a gate":                  {changed(func(p *corev1.Pod) { p.Status.Conditions[0].Reason = corev1.PodReasonSchedulingGated }), deployment, 0},
		"not looked at yet":               {changed(func(p *corev1.Pod) { p.Status.Conditions = nil }), deployment, 0},
		"being deleted":                   {changed(func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: now} }), deployment, 0},
		"ended before it was ever placed": {changed(func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }), deployment, 0},
	} {
		i := New()
		setPods(i, pending("other", "apps/v1", "ReplicaSet", "api-77", "77", time.Hour), c.pod)
		if got := i.Unschedulable(c.owner, time.Minute, now); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

// TestUnschedulableFollowsChanges counts many pods, one of which finds a node.
func TestUnschedulableFollowsChanges(t *testing.T) {
	i := New()
	of := Owner{"team", "apps", "Deployment", "web"}
	count := func(want int32, threshold time.Duration) {
		t.Helper()
		if got := i.Unschedulable(of, threshold, now); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
	a, b := pending("a", "apps/v1", "ReplicaSet", "web-1", "1", time.Hour), pending("b", "apps/v1", "ReplicaSet", "web-2", "2", time.Minute)
	setPods(i, a, b)
	count(2, 0)
	count(2, -time.Hour)
	count(1, 10*time.Minute)
	a.Spec.NodeName = "n"
	setPods(i, a)
	count(1, 0)
	b.Status.Phase = corev1.PodSucceeded
	setPods(i, b)
	count(0, 0)
	if len(i.pending) > 0 {
		t.Errorf("%d workloads are kept", len(i.pending))
	}
}
