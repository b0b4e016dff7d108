// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/scenario"
)

var _ = Describe("a member that leaves", func() {
	It("takes back what it was given, also where nothing else fits, and can join again", func(ctx SpecContext) {
		everywhere, alone := env.Namespace(ctx), env.Namespace(ctx)
		env.Apply(ctx, everywhere, duplicated)
		env.Apply(ctx, alone, placing("apps/v1", "Deployment", "nginx", "{clusterAffinity: {clusterNames: [member3]}}"))
		Expect(env.Hub.Create(ctx, fixture.Nginx(everywhere, 1))).To(Succeed())
		Expect(env.Hub.Create(ctx, fixture.Nginx(alone, 1))).To(Succeed())
		Eventually(env.Deployments(ctx, everywhere)).Should(Equal(3))
		Eventually(env.Deployments(ctx, alone)).Should(Equal(1))

		cluster := &clusterv1alpha1.Cluster{}
		cluster.Name = "member3"
		Expect(env.Hub.Delete(ctx, cluster)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) {
			Expect(scenario.Join(ctx, env.Fleet)).To(Succeed())
			env.AwaitReady(ctx, cluster.Name)
			Eventually(env.Deployments(ctx, alone)).Should(Equal(1))
		})
		Eventually(func() bool {
			return apierrors.IsNotFound(env.Hub.Get(ctx, client.ObjectKeyFromObject(cluster), cluster))
		}).Should(BeTrue())
		Expect(env.Deployments(ctx, everywhere)()).To(Equal(2))
		Expect(env.Deployments(ctx, alone)()).To(BeZero())
	}, NodeTimeout(4*time.Minute))
})
