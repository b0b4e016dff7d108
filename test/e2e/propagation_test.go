// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// weighted is a placement that divides replicas one to three.
const weighted = `{replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {staticWeightList: [
  {targetCluster: {clusterNames: [member1]}, weight: 1}, {targetCluster: {clusterNames: [member2]}, weight: 3}]}}}`

var _ = Describe("propagation", func() {
	It("brings a Deployment to all members, and its status back", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		env.Apply(ctx, space, duplicated)
		Expect(env.Hub.Create(ctx, fixture.Nginx(space, 2))).To(Succeed())
		Eventually(func(g Gomega) {
			d := &appsv1.Deployment{}
			g.Expect(env.Hub.Get(ctx, client.ObjectKey{Namespace: space, Name: "nginx"}, d)).To(Succeed())
			g.Expect(d.Status.AvailableReplicas).To(BeEquivalentTo(6))
			g.Expect(d.Status.ObservedGeneration).To(Equal(d.Generation))
		}).Should(Succeed())
	}, NodeTimeout(10*time.Minute))

	It("divides replicas by static weight", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		env.Apply(ctx, space, placing("apps/v1", "Deployment", "nginx", weighted))
		Expect(env.Hub.Create(ctx, fixture.Nginx(space, 8))).To(Succeed())
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(fixture.TargetsOf(b)).To(Equal([]string{"member1:2", "member2:6"}))
			d := &appsv1.Deployment{}
			g.Expect(env.At("member2").Get(ctx, client.ObjectKey{Namespace: space, Name: "nginx"}, d)).To(Succeed())
			g.Expect(*d.Spec.Replicas).To(BeEquivalentTo(6))
		}).Should(Succeed())
	}, NodeTimeout(10*time.Minute))

	It("takes binding, works and member objects away with the template", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		env.Apply(ctx, space, duplicated)
		d := fixture.Nginx(space, 1)
		Expect(env.Hub.Create(ctx, d)).To(Succeed())
		Eventually(env.Deployments(ctx, space)).Should(Equal(3))

		Expect(env.Hub.Delete(ctx, d)).To(Succeed())
		Eventually(env.Deployments(ctx, space)).Should(BeZero())
		env.NoWorks(ctx, space)
		Eventually(func() bool {
			_, err := env.Binding(ctx, space, "nginx-deployment")()
			return apierrors.IsNotFound(err)
		}).Should(BeTrue())
	}, NodeTimeout(10*time.Minute))

	It("leaves all in place when the policy is deleted", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		env.Apply(ctx, space, duplicated)
		Expect(env.Hub.Create(ctx, fixture.Nginx(space, 1))).To(Succeed())
		Eventually(env.Deployments(ctx, space)).Should(Equal(3))

		policy := &policyv1alpha1.PropagationPolicy{}
		policy.Namespace, policy.Name = space, "nginx"
		Expect(env.Hub.Delete(ctx, policy)).To(Succeed())
		Eventually(func() bool {
			return apierrors.IsNotFound(env.Hub.Get(ctx, client.ObjectKeyFromObject(policy), policy))
		}).Should(BeTrue())
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Labels).NotTo(HaveKey(policyv1alpha1.PropagationPolicyPermanentIDLabel))
		}).Should(Succeed())
		Expect(env.Works(ctx, space)).To(HaveLen(3))
		Expect(env.Deployments(ctx, space)()).To(Equal(3))
	}, NodeTimeout(10*time.Minute))
})
