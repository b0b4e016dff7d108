// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/test/fixture"
)

// gracefully moves a Deployment with all that it depends on, once a new copy is healthy.
const gracefully = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: nginx
spec:
  failover:
    application:
      decisionConditions:
        tolerationSeconds: 15
      purgeMode: Gracefully
      gracePeriodSeconds: 120
  propagateDeps: true
  resourceSelectors:
    - apiVersion: apps/v1
      kind: Deployment
      name: nginx
  placement:
    clusterAffinity:
      clusterNames:
        - member1
        - member2
    spreadConstraints:
      - maxGroups: 1
        minGroups: 1
        spreadByField: cluster
`

var _ = Describe("what a Deployment depends on", func() {
	It("moves with it, and stays in the old member until it left", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		for _, o := range fixture.Needed(space) {
			Expect(env.Hub.Create(ctx, o)).To(Succeed())
		}
		env.Apply(ctx, space, gracefully)
		d := fixture.WithNeeds(fixture.Nginx(space, 1))
		Expect(env.Hub.Create(ctx, d)).To(Succeed())
		var first string
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Spec.Clusters).To(HaveLen(1))
			first = b.Spec.Clusters[0].Name
			in := &appsv1.Deployment{}
			g.Expect(env.At(first).Get(ctx, client.ObjectKeyFromObject(d), in)).To(Succeed())
			g.Expect(in.Status.AvailableReplicas).To(BeEquivalentTo(1))
			for _, o := range fixture.Needed(space) {
				g.Expect(env.Present(ctx, first, o)).To(BeTrue(), fmt.Sprintf("%T", o))
			}
		}).Should(Succeed())

		env.LosePods(ctx, first, space)
		Eventually(func(g Gomega) {
			// What is missing is read before the Deployment: if that is there still, it was
			// there without what it needs.
			var missing []string
			for _, o := range fixture.Needed(space) {
				has, err := env.Present(ctx, first, o)
				g.Expect(err).NotTo(HaveOccurred())
				if !has {
					missing = append(missing, fmt.Sprintf("%T", o))
				}
			}
			has, err := env.Present(ctx, first, d)
			g.Expect(err).NotTo(HaveOccurred())
			if has && len(missing) > 0 {
				StopTrying(fmt.Sprintf("the Deployment is in %s without %v", first, missing)).Now()
			}
			g.Expect(has).To(BeFalse(), "the Deployment is in the old member")
			g.Expect(missing).To(HaveLen(3), "what it depended on leaves after it")
		}).WithPolling(20 * time.Millisecond).Should(Succeed())

		second := map[string]string{"member1": "member2", "member2": "member1"}[first]
		for _, o := range append(fixture.Needed(space), d) {
			Eventually(func() (bool, error) { return env.Present(ctx, second, o) }).Should(BeTrue(), fmt.Sprintf("%T", o))
		}

		By("deleting the Deployment")
		Expect(env.Hub.Delete(ctx, d)).To(Succeed())
		Eventually(func(g Gomega) {
			for _, o := range append(fixture.Needed(space), d) {
				g.Expect(env.Present(ctx, second, o)).To(BeFalse(), fmt.Sprintf("%T", o))
			}
			for _, name := range []string{"nginx-deployment", "needed-configmap", "needed-secret", "needed-serviceaccount"} {
				_, err := env.Binding(ctx, space, name)()
				g.Expect(apierrors.IsNotFound(err)).To(BeTrue(), name)
			}
		}).Should(Succeed())
	}, NodeTimeout(10*time.Minute))
})
