// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

const suspendedOnMember2 = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: settings
spec:
  resourceSelectors:
    - apiVersion: v1
      kind: ConfigMap
      name: settings
  suspension:
    dispatchingOnClusters:
      clusterNames: [member2]
`

// settingsAt returns the data of the ConfigMap in a member; nil if it is not there.
func settingsAt(ctx context.Context, member, space string) func() (map[string]string, error) {
	return func() (map[string]string, error) {
		c := &corev1.ConfigMap{}
		err := env.At(member).Get(ctx, client.ObjectKey{Namespace: space, Name: "settings"}, c)
		return c.Data, client.IgnoreNotFound(err)
	}
}

// dispatching returns the condition Dispatching of the ConfigMap's Work for a member, for
// the current generation.
func dispatching(ctx context.Context, member, space string) func() metav1.ConditionStatus {
	return func() metav1.ConditionStatus {
		var works workv1alpha1.WorkList
		if env.Hub.List(ctx, &works, client.InNamespace(names.ExecutionSpace(member))) != nil {
			return ""
		}
		for _, w := range works.Items {
			if w.Annotations[workv1alpha2.ResourceBindingNamespaceAnnotation] != space {
				continue
			}
			if c := meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkDispatching); c != nil && c.ObservedGeneration == w.Generation {
				return c.Status
			}
		}
		return ""
	}
}

// suspend changes the suspension of the policy.
func suspend(ctx context.Context, space, suspension string) {
	GinkgoHelper()
	p := &policyv1alpha1.PropagationPolicy{}
	p.Namespace, p.Name = space, "settings"
	Expect(env.Hub.Patch(ctx, p, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"suspension":`+suspension+`}}`)))).To(Succeed())
}

var _ = Describe("suspension", func() {
	It("of dispatching holds on the clusters that it names, then on all, and ends", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		env.Apply(ctx, space, suspendedOnMember2)
		c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "settings"}, Data: map[string]string{"version": "1"}}
		Expect(env.Hub.Create(ctx, c)).To(Succeed())
		one, two := HaveKeyWithValue("version", "1"), HaveKeyWithValue("version", "2")
		for _, member := range []string{"member1", "member3"} {
			Eventually(settingsAt(ctx, member, space)).Should(one, member)
		}
		Eventually(dispatching(ctx, "member2", space)).Should(Equal(metav1.ConditionFalse))
		Expect(settingsAt(ctx, "member2", space)()).To(BeEmpty())

		suspend(ctx, space, "null")
		Eventually(settingsAt(ctx, "member2", space)).Should(one)

		suspend(ctx, space, `{"dispatching":true}`)
		members := []string{"member1", "member2", "member3"}
		for _, member := range members {
			Eventually(dispatching(ctx, member, space)).Should(Equal(metav1.ConditionFalse), member)
		}
		patch(ctx, c, `{"data":{"version":"2"}}`)
		Expect(env.At("member1").Delete(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "settings"}})).To(Succeed())
		for _, member := range members {
			Eventually(func(g Gomega) {
				g.Expect(manifestFor(ctx, member, space)()).To(ContainSubstring(`"version":"2"`))
				g.Expect(dispatching(ctx, member, space)()).To(Equal(metav1.ConditionFalse))
			}).Should(Succeed(), member)
		}
		Expect(settingsAt(ctx, "member1", space)()).To(BeEmpty(), "it is not created again")
		Expect(settingsAt(ctx, "member2", space)()).To(one)

		suspend(ctx, space, "null")
		for _, member := range members {
			Eventually(settingsAt(ctx, member, space)).Should(two, member)
		}
	}, NodeTimeout(10*time.Minute))

	It("of scheduling keeps a binding where it is", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		env.Apply(ctx, space, duplicated)
		Expect(env.Hub.Create(ctx, fixture.Nginx(space, 1))).To(Succeed())
		Eventually(env.Deployments(ctx, space)).Should(Equal(3))
		b, err := env.Binding(ctx, space, "nginx-deployment")()
		Expect(err).NotTo(HaveOccurred())
		patch(ctx, b, `{"spec":{"suspension":{"scheduling":true}}}`)
		policy := &policyv1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "nginx"}}
		patch(ctx, policy, `{"spec":{"placement":{"clusterAffinity":{"clusterNames":["member1"]}}}}`)
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Spec.Placement.ClusterAffinity).NotTo(BeNil(), "the binding has the new placement")
			g.Expect(b.Spec.Suspension).To(HaveField("Scheduling", HaveValue(BeTrue())))
			g.Expect(b.Spec.Clusters).To(HaveLen(3))
		}).Should(Succeed())
		patch(ctx, b, `{"spec":{"suspension":null}}`)
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Spec.Clusters).To(HaveLen(1))
		}).Should(Succeed())
		Eventually(func() bool {
			return apierrors.IsNotFound(env.At("member2").Get(ctx, client.ObjectKey{Namespace: space, Name: "nginx"}, fixture.Nginx(space, 1)))
		}).Should(BeTrue())
	}, NodeTimeout(10*time.Minute))
})

// patch merges a text into an object of the control plane.
func patch(ctx context.Context, o client.Object, text string) {
	GinkgoHelper()
	Expect(env.Hub.Patch(ctx, o, client.RawPatch(types.MergePatchType, []byte(text)))).To(Succeed())
}

// manifestFor returns the manifest of the ConfigMap's Work for a member.
func manifestFor(ctx context.Context, member, space string) func() string {
	return func() string {
		var works workv1alpha1.WorkList
		if env.Hub.List(ctx, &works, client.InNamespace(names.ExecutionSpace(member))) != nil {
			return ""
		}
		for _, w := range works.Items {
			if w.Annotations[workv1alpha2.ResourceBindingNamespaceAnnotation] == space {
				return string(w.Spec.Workload.Manifests[0].Raw)
			}
		}
		return ""
	}
}
