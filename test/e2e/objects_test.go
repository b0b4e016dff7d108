// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// namespace makes one for a spec, in the control plane and all members.
func namespace(ctx context.Context) string {
	GinkgoHelper()
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"}}
	Expect(hub.Create(ctx, n)).To(Succeed())
	for _, m := range running.Members {
		Expect(at(m.Name).Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n.Name}})).To(Succeed())
	}
	return n.Name
}

// at returns a client of a member.
func at(member string) client.Client {
	GinkgoHelper()
	for _, m := range running.Members {
		if m.Name == member {
			c, err := client.New(m.RESTConfig(), client.Options{})
			Expect(err).NotTo(HaveOccurred())
			return c
		}
	}
	Fail("there is no member " + member)
	return nil
}

// awaitReady waits until a member can be given objects.
func awaitReady(ctx context.Context, member string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		cluster := &clusterv1alpha1.Cluster{}
		g.Expect(hub.Get(ctx, client.ObjectKey{Name: member}, cluster)).To(Succeed())
		g.Expect(meta.IsStatusConditionTrue(cluster.Status.Conditions, clusterv1alpha1.ClusterConditionReady)).To(BeTrue())
	}).Should(Succeed())
}

// apply creates the objects of a YAML text, as written but for the namespace.
func apply(ctx context.Context, namespace, text string) {
	GinkgoHelper()
	o := &unstructured.Unstructured{}
	Expect(yaml.UnmarshalStrict([]byte(text), &o.Object)).To(Succeed())
	o.SetNamespace(namespace)
	Expect(hub.Create(ctx, o)).To(Succeed())
}

// nginx is a Deployment as users write it.
func nginx(namespace string, replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": "nginx"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "nginx", Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "nginx", Image: "nginx"}}},
			},
		},
	}
}

// binding reads a binding.
func binding(ctx context.Context, namespace, name string) func() (*workv1alpha2.ResourceBinding, error) {
	return func() (*workv1alpha2.ResourceBinding, error) {
		b := &workv1alpha2.ResourceBinding{}
		err := hub.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, b)
		return b, err
	}
}

// works counts the Works of a namespace's templates.
func works(ctx context.Context, namespace string) func() (int, error) {
	return func() (int, error) {
		var list workv1alpha1.WorkList
		if err := hub.List(ctx, &list); err != nil {
			return 0, err
		}
		n := 0
		for i := range list.Items {
			if list.Items[i].Annotations[workv1alpha2.ResourceBindingNamespaceAnnotation] == namespace {
				n++
			}
		}
		return n, nil
	}
}

// deployments counts the Deployments of a namespace in all members.
func deployments(ctx context.Context, namespace string) func() (int, error) {
	return func() (int, error) {
		n := 0
		for _, m := range running.Members {
			var list appsv1.DeploymentList
			if err := at(m.Name).List(ctx, &list, client.InNamespace(namespace)); err != nil {
				return 0, err
			}
			n += len(list.Items)
		}
		return n, nil
	}
}

// clustersOf returns the targets of a binding as name:replicas.
func clustersOf(b *workv1alpha2.ResourceBinding) []string {
	var all []string
	for _, t := range b.Spec.Clusters {
		all = append(all, fmt.Sprintf("%s:%d", t.Name, t.Replicas))
	}
	return all
}
