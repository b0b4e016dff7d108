// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"maps"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// migrate is the policy of the user's example of a migration that can be rolled back.
const migrate = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: nginx-pp
spec:
  conflictResolution: Overwrite
  preserveResourcesOnDeletion: true
  placement:
    clusterAffinity:
      clusterNames:
        - member1
  resourceSelectors:
    - apiVersion: apps/v1
      kind: Deployment
      name: nginx
    - apiVersion: v1
      kind: Service
      name: nginx-svc
`

// service is the Service of the example.
func service(namespace string) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "nginx-svc"},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "nginx"}, Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(8080)}}},
	}
}

// podsOf returns the UIDs of the pods of a namespace.
func podsOf(ctx context.Context, g Gomega, c client.Client, namespace string) []string {
	pods := &corev1.PodList{}
	g.Expect(c.List(ctx, pods, client.InNamespace(namespace))).To(Succeed())
	var uids []string
	for i := range pods.Items {
		uids = append(uids, string(pods.Items[i].UID))
	}
	return slices.Sorted(slices.Values(uids))
}

// ours returns the keys of labels and annotations that this project put on an object.
func ours(o client.Object) []string {
	var keys []string
	for key := range maps.All(o.GetLabels()) {
		keys = append(keys, key)
	}
	for key := range maps.All(o.GetAnnotations()) {
		keys = append(keys, key)
	}
	return slices.DeleteFunc(keys, func(key string) bool {
		return !strings.Contains(key, "karmada.io/") && !strings.Contains(key, "dragoman.io/")
	})
}

var _ = Describe("a migration from one cluster", func() {
	It("takes over what runs without a restart, and is rolled back by deleting the templates", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		member := env.At("member1")
		key, serviceKey := client.ObjectKey{Namespace: space, Name: "nginx"}, client.ObjectKey{Namespace: space, Name: "nginx-svc"}

		By("running the application on the member")
		restarted := fixture.Nginx(space, 2)
		restarted.Spec.Template.Annotations = map[string]string{"kubectl.kubernetes.io/restartedAt": "2026-03-01T10:00:00+02:00"}
		Expect(member.Create(ctx, restarted)).To(Succeed())
		Expect(member.Create(ctx, service(space))).To(Succeed())
		var pods []string
		Eventually(func(g Gomega) {
			d := fixture.Nginx(space, 0)
			g.Expect(member.Get(ctx, key, d)).To(Succeed())
			g.Expect(d.Status.AvailableReplicas).To(BeEquivalentTo(2))
			pods = podsOf(ctx, g, member, space)
		}).Should(Succeed())
		before, address := fixture.Nginx(space, 0), service(space)
		Expect(member.Get(ctx, key, before)).To(Succeed())
		Expect(member.Get(ctx, serviceKey, address)).To(Succeed())

		By("creating the templates and the policy on the control plane")
		Expect(env.Hub.Create(ctx, fixture.Nginx(space, 2))).To(Succeed())
		Expect(env.Hub.Create(ctx, service(space))).To(Succeed())
		env.Apply(ctx, space, migrate)
		for _, name := range []string{"nginx-deployment", "nginx-svc-service"} {
			Eventually(func(g Gomega) {
				b, err := env.Binding(ctx, space, name)()
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(meta.IsStatusConditionTrue(b.Status.Conditions, workv1alpha2.FullyApplied)).To(BeTrue())
			}).Should(Succeed())
		}
		d, s := fixture.Nginx(space, 0), service(space)
		Expect(member.Get(ctx, key, d)).To(Succeed())
		Expect(d.Labels).To(HaveKeyWithValue(workv1alpha2.ManagedLabel, workv1alpha2.ManagedLabelValue))
		Expect(d.UID).To(Equal(before.UID))
		Expect(d.Spec).To(Equal(before.Spec))
		sets := &appsv1.ReplicaSetList{}
		Expect(member.List(ctx, sets, client.InNamespace(space))).To(Succeed())
		Expect(sets.Items).To(HaveLen(1), "kubectl restarted the pods here, and nothing did since")
		Expect(member.Get(ctx, serviceKey, s)).To(Succeed())
		Expect(s.Spec.ClusterIP).To(Equal(address.Spec.ClusterIP))
		Expect(podsOf(ctx, Default, member, space)).To(Equal(pods))

		By("rolling back: deleting the templates")
		Expect(env.Hub.Delete(ctx, fixture.Nginx(space, 0))).To(Succeed())
		Expect(env.Hub.Delete(ctx, service(space))).To(Succeed())
		for _, name := range []string{"nginx-deployment", "nginx-svc-service"} {
			Eventually(func() error { _, err := env.Binding(ctx, space, name)(); return err }).Should(Satisfy(apierrors.IsNotFound))
		}
		Eventually(func(g Gomega) {
			g.Expect(member.Get(ctx, key, d)).To(Succeed())
			g.Expect(member.Get(ctx, serviceKey, s)).To(Succeed())
			g.Expect(ours(d)).To(BeEmpty())
			g.Expect(ours(s)).To(BeEmpty())
		}).Should(Succeed())
		Expect(d.UID).To(Equal(before.UID))
		Expect(d.Spec).To(Equal(before.Spec))
		Expect(podsOf(ctx, Default, member, space)).To(Equal(pods))
	})
})
