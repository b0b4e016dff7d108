// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

const (
	namespace = "kills"
	// group is how many templates of a kind one policy selects.
	group = 10
	// pace is the time between two steps, so that the kills fall between them.
	pace = 100 * time.Millisecond
)

// work creates n templates with their policies, edits some and deletes others; then it
// edits policies. Each step is one request.
func (s *site) work(ctx context.Context, n int) error {
	for i := range n {
		if i%group == 0 {
			if err := s.step(s.hub.Create(ctx, policyOf(i))); err != nil {
				return err
			}
		}
		if err := s.step(s.hub.Create(ctx, template(i))); err != nil {
			return err
		}
		switch {
		case i%7 == 6: // one that was created a while ago
			patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"labels":{"edited":"%d"}}}`, i))
			if err := s.step(s.hub.Patch(ctx, template(i-5), patch)); err != nil {
				return err
			}
		case i%11 == 10: // one that may not be in any member yet
			if err := s.step(s.hub.Delete(ctx, template(i))); err != nil {
				return err
			}
		case i%13 == 12:
			if err := s.step(client.IgnoreNotFound(s.hub.Delete(ctx, template(i-6)))); err != nil {
				return err
			}
		}
		if i%(4*group) == 4*group-1 {
			if err := s.step(s.narrow(ctx, i-group)); err != nil {
				return err
			}
		}
	}
	return nil
}

// step waits a little after a request that succeeded.
func (s *site) step(err error) error {
	time.Sleep(pace)
	return client.IgnoreNotFound(err)
}

// narrow has the templates of a policy go to one member only.
func (s *site) narrow(ctx context.Context, i int) error {
	p := policyOf(i - i%group)
	patch := []byte(`{"spec":{"placement":{"clusterAffinity":{"clusterNames":["member1"]}}}}`)
	return s.hub.Patch(ctx, p, client.RawPatch(types.MergePatchType, patch))
}

func name(i int) string { return fmt.Sprintf("template-%03d", i) }

// template returns the template of a number: mostly ConfigMaps, some Deployments, some
// that have no namespace.
func template(i int) client.Object {
	m := metav1.ObjectMeta{Namespace: namespace, Name: name(i), Labels: map[string]string{"app": name(i)}}
	switch i / group % 5 {
	case 3:
		labels := map[string]string{"app": name(i)}
		return &appsv1.Deployment{ObjectMeta: m, Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(0)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "nginx"}}}},
		}}
	case 4:
		m.Namespace = ""
		return &rbacv1.ClusterRole{ObjectMeta: m, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}}}
	default:
		return &corev1.ConfigMap{ObjectMeta: m, Data: map[string]string{"number": fmt.Sprint(i)}}
	}
}

// policyOf returns the policy of a template's group.
func policyOf(i int) client.Object {
	spec := policyv1alpha1.PropagationSpec{}
	for j := i - i%group; j < i-i%group+group; j++ {
		selector := policyv1alpha1.ResourceSelector{APIVersion: "v1", Kind: "ConfigMap", Name: name(j)}
		switch i / group % 5 {
		case 3:
			selector.APIVersion, selector.Kind = "apps/v1", "Deployment"
		case 4:
			selector.APIVersion, selector.Kind = "rbac.authorization.k8s.io/v1", "ClusterRole"
		}
		spec.ResourceSelectors = append(spec.ResourceSelectors, selector)
	}
	m := metav1.ObjectMeta{Namespace: namespace, Name: "policy-of-" + name(i-i%group)}
	if i/group%5 == 4 {
		m.Namespace = ""
		return &policyv1alpha1.ClusterPropagationPolicy{ObjectMeta: m, Spec: spec}
	}
	return &policyv1alpha1.PropagationPolicy{ObjectMeta: m, Spec: spec}
}
