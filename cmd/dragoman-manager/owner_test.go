// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/test/suite"
)

// plane starts a control plane whose member gets the ConfigMap shop/which from it, with the name
// of the control plane in it, and shop/only-<name>.
func plane(t *testing.T, name string, members ...string) *suite.Suite {
	t.Helper()
	s, err := suite.Start(t.Context(), members...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	selectors := []policyv1alpha1.ResourceSelector{{APIVersion: "v1", Kind: "ConfigMap"}}
	for _, o := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "which"}, Data: map[string]string{"of": name}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "only-" + name}},
		&policyv1alpha1.PropagationPolicy{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "all"}, Spec: policyv1alpha1.PropagationSpec{ResourceSelectors: selectors},
		},
	} {
		if err := s.Client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestTwoControlPlanesOfOneOwner runs the managers of two control planes that have one name, as a
// control plane that was made again while the former one runs.
func TestTwoControlPlanesOfOneOwner(t *testing.T) {
	first, second := plane(t, "first", "shared"), plane(t, "second")
	shared := first.Fleet.Members[0]
	for _, s := range []*suite.Suite{first, second} {
		if _, err := s.Cluster(t.Context(), shared); err != nil {
			t.Fatal(err)
		}
	}
	member, err := client.New(shared.RESTConfig(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// of returns whose ConfigMap is in the member.
	of := func(ctx context.Context) string {
		c := &corev1.ConfigMap{}
		if err := member.Get(ctx, types.NamespacedName{Namespace: "shop", Name: "which"}, c); err != nil {
			return err.Error()
		}
		return c.Data["of"]
	}
	isOf := func(want string) func(context.Context) string {
		return func(ctx context.Context) string { return strings.TrimPrefix(of(ctx), want) }
	}
	conflict := func(ctx context.Context) string {
		c := &clusterv1alpha1.Cluster{}
		if err := second.Client.Get(ctx, types.NamespacedName{Name: shared.Name}, c); err != nil {
			return err.Error()
		}
		if condition := meta.FindStatusCondition(c.Status.Conditions, clusterv1alpha1.ClusterConditionOwnerConflict); condition != nil {
			return condition.Reason
		}
		return "no condition"
	}
	flags := []string{"--cluster-owner=both", "--cluster-status-update-frequency=1s"}

	writer := start(t, first.Fleet.ControlPlane.Kubeconfig, flags...)
	until(t, "the ConfigMap of the first", isOf("first"))
	other := start(t, second.Fleet.ControlPlane.Kubeconfig, flags...)
	until(t, "the condition in the second", func(ctx context.Context) string {
		if got := of(ctx); got != "first" {
			t.Fatalf("the member has the ConfigMap of %q while the first lives", got)
		}
		return strings.TrimPrefix(conflict(ctx), clusterv1alpha1.ReasonOtherControlPlane)
	})
	if got := of(t.Context()); got != "first" {
		t.Errorf("the member has the ConfigMap of %q while the first lives", got)
	}
	err = member.Get(t.Context(), types.NamespacedName{Namespace: "shop", Name: "only-second"}, &corev1.ConfigMap{})
	if client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("what the second alone has is in the member while the first lives: %v", err)
	}

	// The next manager of the first control plane goes on at once: nobody takes its place meanwhile.
	writer.stop(t)
	writer = start(t, first.Fleet.ControlPlane.Kubeconfig, flags...)
	change := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "which"}}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"data":{"of":"first, started again"}}`))
	if err := first.Client.Patch(t.Context(), change, patch); err != nil {
		t.Fatal(err)
	}
	until(t, "the ConfigMap of the first, which was started again", isOf("first, started again"))
	if got := conflict(t.Context()); got != clusterv1alpha1.ReasonOtherControlPlane {
		t.Errorf("the condition in the second is %s after the first was started again", got)
	}

	writer.stop(t)
	until(t, "the ConfigMap of the second after the first has stopped", isOf("second"))
	until(t, "the end of the condition", func(ctx context.Context) string { return strings.TrimPrefix(conflict(ctx), "no condition") })
	other.stop(t)
}
