// SPDX-License-Identifier: Apache-2.0

package seeds

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// fragments tests blocks that show some fields of a policy and select nothing: the control
// plane has them as they were written, with defaults, and they claim nothing.
func fragments(ctx context.Context, blocks ...string) {
	GinkgoHelper()
	for _, block := range blocks {
		space := namespace(ctx)
		p := apply(ctx, space, block)[0]
		Expect(env.Hub.Create(ctx, deployment(space))).To(Succeed())
		failover, _, _ := unstructured.NestedMap(p.Object, "spec", "failover", "application")
		if purge := failover["purgeMode"]; purge == "Graciously" || purge == "Gracefully" || purge == nil {
			Expect(failover).To(HaveKeyWithValue("gracePeriodSeconds", int64(600)), block)
		}
		Consistently(func(g Gomega) {
			d := deployment(space)
			g.Expect(env.Hub.Get(ctx, client.ObjectKeyFromObject(d), d)).To(Succeed())
			g.Expect(d.Labels).NotTo(HaveKey(policyv1alpha1.PropagationPolicyPermanentIDLabel))
		}, time.Second).Should(Succeed())
	}
}

// deployment returns the Deployment nginx that the documents speak of, where they do not
// show it.
func deployment(space string) *appsv1.Deployment {
	labels := map[string]string{"app": "nginx"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "nginx"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "nginx", Image: "nginx"}}},
			},
		},
	}
}

// migration is the story of a migration with preserveResourcesOnDeletion.
func migration(ctx context.Context, block string) {
	GinkgoHelper()
	space := namespace(ctx)
	svc := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "nginx-svc"},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "nginx"}, Ports: []corev1.ServicePort{{Port: 80}}},
	}
	d := deployment(space)
	here := env.At("member1")
	Expect(here.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}})).To(Succeed())
	existing := []client.Object{d.DeepCopy(), svc.DeepCopy()}
	for _, o := range existing {
		Expect(here.Create(ctx, o)).To(Succeed())
	}
	for _, o := range []client.Object{d, svc} {
		Expect(env.Hub.Create(ctx, o)).To(Succeed())
	}
	p := apply(ctx, space, block)[0]

	By("taking over what the member has")
	managed := func(want bool) func(g Gomega) {
		mark := HaveKeyWithValue("karmada.io/managed", "true")
		if !want {
			mark = Not(mark)
		}
		return func(g Gomega) {
			for _, o := range existing {
				now := o.DeepCopyObject().(client.Object)
				g.Expect(here.Get(ctx, client.ObjectKeyFromObject(o), now)).To(Succeed())
				g.Expect(now.GetUID()).To(Equal(o.GetUID()))
				g.Expect(now.GetLabels()).To(mark)
			}
		}
	}
	Eventually(managed(true)).Should(Succeed())
	for _, m := range []string{"member2", "member3"} {
		Expect(apierrors.IsNotFound(env.At(m).Get(ctx, client.ObjectKeyFromObject(d), d.DeepCopy()))).To(BeTrue())
	}

	By("deleting the templates: the member keeps its objects, without marks")
	for _, o := range []client.Object{d, svc} {
		Expect(env.Hub.Delete(ctx, o)).To(Succeed())
	}
	Eventually(managed(false)).Should(Succeed())

	By("deleting the policy of other templates: templates and members' objects remain unchanged")
	for _, o := range []client.Object{d, svc} {
		o.SetResourceVersion("")
		o.SetUID("")
		Eventually(func() error { return env.Hub.Create(ctx, o) }).Should(Succeed())
	}
	Eventually(managed(true)).Should(Succeed())
	Expect(env.Hub.Delete(ctx, p)).To(Succeed())
	Eventually(func() bool { return apierrors.IsNotFound(env.Hub.Get(ctx, client.ObjectKeyFromObject(p), p)) }).Should(BeTrue())
	Consistently(managed(true), time.Second).Should(Succeed())
	Expect(env.Hub.Get(ctx, client.ObjectKeyFromObject(d), d)).To(Succeed())
}

// override is the story of a field override; result is what the document says of member1.
func override(ctx context.Context, template, policy, result string) {
	GinkgoHelper()
	space := namespace(ctx)
	o := apply(ctx, space, template)[0]
	apply(ctx, space, policy)
	everywhere := &policyv1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "everywhere"}}
	everywhere.Spec.ResourceSelectors = []policyv1alpha1.ResourceSelector{{APIVersion: "v1", Kind: "ConfigMap", Name: o.GetName()}}
	Expect(env.Hub.Create(ctx, everywhere)).To(Succeed())
	for member, want := range map[string]string{"member1": result, "member2": template, "member3": template} {
		file, _, err := unstructured.NestedString(value(want), "data", "config.yaml")
		Expect(err).NotTo(HaveOccurred())
		Eventually(func(g Gomega) {
			m := &corev1.ConfigMap{}
			g.Expect(env.At(member).Get(ctx, client.ObjectKeyFromObject(o), m)).To(Succeed())
			g.Expect(value(m.Data["config.yaml"])).To(Equal(value(file)), member)
		}).Should(Succeed())
	}
}
