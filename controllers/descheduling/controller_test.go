// SPDX-License-Identifier: Apache-2.0

package descheduling

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	estimator "github.com/dragoman-io/dragoman/controllers/estimator/client"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// settled is a binding whose replicas may be moved.
func settled() *workv1alpha2.ResourceBinding {
	b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Name: "b", Generation: 3}}
	b.Spec.Replicas = 4
	b.Spec.Placement = &policyv1alpha1.Placement{ReplicaScheduling: &policyv1alpha1.ReplicaSchedulingStrategy{
		ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided, ReplicaDivisionPreference: policyv1alpha1.ReplicaDivisionPreferenceAggregated,
	}}
	b.Status.SchedulerObservedGeneration = 3
	b.Status.Conditions = []metav1.Condition{{Type: workv1alpha2.Scheduled, Status: metav1.ConditionTrue}}
	return b
}

func TestIsSettled(t *testing.T) {
	if !isSettled(settled()) {
		t.Error("one that is placed is not settled")
	}
	for name, change := range map[string]func(*workv1alpha2.ResourceBinding){
		"being deleted":         func(b *workv1alpha2.ResourceBinding) { b.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} },
		"without a policy":      func(b *workv1alpha2.ResourceBinding) { b.Spec.Placement = nil },
		"copied":                func(b *workv1alpha2.ResourceBinding) { b.Spec.Placement.ReplicaScheduling = nil },
		"of several components": func(b *workv1alpha2.ResourceBinding) { b.Spec.Components = make([]workv1alpha2.Component, 2) },
		"being evicted": func(b *workv1alpha2.ResourceBinding) {
			b.Spec.GracefulEvictionTasks = make([]workv1alpha2.GracefulEvictionTask, 1)
		},
		"placed nowhere":          func(b *workv1alpha2.ResourceBinding) { b.Status.Conditions[0].Status = metav1.ConditionFalse },
		"about to be placed anew": func(b *workv1alpha2.ResourceBinding) { b.Generation++ },
	} {
		b := settled()
		if change(b); isSettled(b) {
			t.Errorf("a binding %s is settled", name)
		}
	}
}

// What an estimator documents as an input of its answer, a binding hands over.
func TestQuestion(t *testing.T) {
	b := settled()
	b.Spec.Resource = workv1alpha2.ObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "team", Name: "web"}
	if left := fixture.Unset(questionOf(b, time.Minute).GetUnschedulableReplicas()); len(left) > 0 {
		t.Errorf("the question leaves out %v", left)
	}
}

func TestUnschedulable(t *testing.T) {
	one, two := settled(), settled()
	places := map[string][]place{"a": {{one, "a"}, {two, "a"}}, "b": {{one, "b"}, {two, "b"}}, "c": {{two, "c"}}}
	got := unschedulable(map[string][]estimator.Answer{
		"a": {{Count: 2}, {Count: 0}},
		"b": {{Count: 1}, {Count: 3, Age: time.Second}},
		"c": {{Err: errors.New("gone")}},
	}, places)
	if diff := cmp.Diff(map[*workv1alpha2.ResourceBinding]map[string]int32{one: {"a": 2, "b": 1}}, got, cmp.Comparer(func(a, b *workv1alpha2.ResourceBinding) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
}
