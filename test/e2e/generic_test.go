// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// fleetKind is a kind that no bundle has.
var fleetKind = schema.GroupVersionKind{Group: "agones.dev", Version: "v1", Kind: "Fleet"}

// gameServers is an object of it, whose replicas are in spec.pool.size.
const gameServers = `
apiVersion: agones.dev/v1
kind: Fleet
metadata: {name: simple}
spec:
  pool: {size: 8}
  template:
    spec:
      template:
        spec:
          containers:
            - {name: game, image: game, resources: {requests: {cpu: 20m}}, envFrom: [{configMapRef: {name: rules}}]}
`

// dividedFleet divides it one to three, and takes what it depends on along.
const dividedFleet = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: fleet}
spec:
  propagateDeps: true
  resourceSelectors: [{apiVersion: agones.dev/v1, kind: Fleet, name: simple}]
  placement: ` + weighted

var _ = Describe("a kind that nobody wrote a script for", func() {
	It("is divided by its scale subresource, with its health and its ConfigMap", func(ctx SpecContext) {
		crd := fixture.Definition(fleetKind, apiextensionsv1.NamespaceScoped)
		crd.Spec.Versions[0].Subresources.Scale = &apiextensionsv1.CustomResourceSubresourceScale{
			SpecReplicasPath: ".spec.pool.size", StatusReplicasPath: ".status.replicas",
		}
		env.Serve(ctx, crd)
		space := env.Namespace(ctx)
		rules := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "rules"}, Data: map[string]string{"a": "b"}}
		Expect(env.Hub.Create(ctx, rules)).To(Succeed())
		env.Apply(ctx, space, dividedFleet)
		env.Apply(ctx, space, gameServers)

		sizes := map[string]int64{"member1": 2, "member2": 6}
		for member, want := range sizes {
			copied := &unstructured.Unstructured{}
			copied.SetGroupVersionKind(fleetKind)
			Eventually(func(g Gomega) {
				g.Expect(env.At(member).Get(ctx, client.ObjectKey{Namespace: space, Name: "simple"}, copied)).To(Succeed())
				size, _, _ := unstructured.NestedInt64(copied.Object, "spec", "pool", "size")
				g.Expect(size).To(Equal(want), member)
				g.Expect(env.At(member).Get(ctx, client.ObjectKeyFromObject(rules), &corev1.ConfigMap{})).To(Succeed())
			}).Should(Succeed())
		}

		By("reporting what the objects' own conditions say")
		for member, status := range map[string]string{"member1": "True", "member2": "False"} {
			copied := &unstructured.Unstructured{}
			copied.SetGroupVersionKind(fleetKind)
			Eventually(func(g Gomega) { // the control plane may write the object meanwhile
				g.Expect(env.At(member).Get(ctx, client.ObjectKey{Namespace: space, Name: "simple"}, copied)).To(Succeed())
				copied.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": status}}}
				g.Expect(env.At(member).Status().Update(ctx, copied)).To(Succeed())
			}).Should(Succeed())
		}
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, space, "simple-fleet")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(fixture.TargetsOf(b)).To(Equal([]string{"member1:2", "member2:6"}))
			g.Expect(b.Spec.ReplicaRequirements.ResourceRequest.Cpu().String()).To(Equal("20m"))
			health := map[string]workv1alpha2.ResourceHealth{}
			for _, item := range b.Status.AggregatedStatus {
				health[item.ClusterName] = item.Health
			}
			g.Expect(health).To(Equal(map[string]workv1alpha2.ResourceHealth{
				"member1": workv1alpha2.ResourceHealthy, "member2": workv1alpha2.ResourceUnhealthy,
			}))
		}).Should(Succeed())

		By("explaining that the generic rules answered")
		Expect(explain(ctx, "fleets.agones.dev/simple", "-n", space)()).To(
			says(1, "scripts   ok        the generic rules: no script of this program is about agones.dev/v1 Fleet"))
	}, NodeTimeout(10*time.Minute))
})
