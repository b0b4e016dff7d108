// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// names returns the names of the Deployments: those that a policy is named like, then
// the others, which the same policies select.
func (s *site) names() []string {
	half := s.o.templates / 2
	all := make([]string, 0, 2*half)
	for _, kind := range []string{"a", "b"} {
		for i := range half {
			all = append(all, fmt.Sprintf("bench-%05d-%s", i, kind))
		}
	}
	return all
}

// newPolicy returns the policy for the two Deployments whose names differ in the last
// letter.
func newPolicy(name string) *policyv1alpha1.PropagationPolicy {
	stem := strings.TrimSuffix(name, "a")
	p := &policyv1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	for _, letter := range []string{"a", "b"} {
		p.Spec.ResourceSelectors = append(p.Spec.ResourceSelectors, policyv1alpha1.ResourceSelector{APIVersion: "apps/v1", Kind: "Deployment", Name: stem + letter})
	}
	return p
}

// newDeployment returns a Deployment of the usual size.
func newDeployment(name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels, Annotations: map[string]string{roundAnnotation: "0"}},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(2)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{
				Name: "app", Image: "nginx:1.27", Args: []string{"--verbose"}, Env: []corev1.EnvVar{{Name: "MODE", Value: "bench"}},
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("128Mi"),
				}},
			}}}},
		},
	}
}

// bindingOf returns the key of a Deployment's binding.
func bindingOf(name string) *workv1alpha2.ResourceBinding {
	return &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: names.Binding("Deployment", name)}}
}
