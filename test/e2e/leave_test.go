// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/test/scenario"
)

// only is a policy for one member: when that leaves, nothing else fits.
const only = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: nginx
spec:
  resourceSelectors:
    - apiVersion: apps/v1
      kind: Deployment
      name: nginx
  placement:
    clusterAffinity:
      clusterNames: [member3]
`

var _ = Describe("a member that leaves", func() {
	It("takes back what it was given, also where nothing else fits, and can join again", func(ctx SpecContext) {
		everywhere, alone := namespace(ctx), namespace(ctx)
		apply(ctx, everywhere, duplicated)
		apply(ctx, alone, only)
		Expect(hub.Create(ctx, nginx(everywhere, 1))).To(Succeed())
		Expect(hub.Create(ctx, nginx(alone, 1))).To(Succeed())
		Eventually(deployments(ctx, everywhere)).Should(Equal(3))
		Eventually(deployments(ctx, alone)).Should(Equal(1))

		cluster := &clusterv1alpha1.Cluster{}
		cluster.Name = "member3"
		Expect(hub.Delete(ctx, cluster)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) {
			Expect(scenario.Join(ctx, running)).To(Succeed())
			awaitReady(ctx, cluster.Name)
			Eventually(deployments(ctx, alone)).Should(Equal(1))
		})
		Eventually(func() bool {
			return apierrors.IsNotFound(hub.Get(ctx, client.ObjectKeyFromObject(cluster), cluster))
		}).Should(BeTrue())
		Expect(deployments(ctx, everywhere)()).To(Equal(2))
		Expect(deployments(ctx, alone)()).To(BeZero())
	}, NodeTimeout(3*time.Minute))
})
