// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// byLabel propagates a Deployment with what it needs to the clusters that have a label.
const byLabel = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: web
spec:
  propagateDeps: true
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: nginx}]
  placement: {clusterAffinity: {labelSelector: {matchLabels: {use: %s}}}}
`

// setUse sets the label that byLabel selects clusters by; "" takes it away.
func setUse(ctx context.Context, member, use string) {
	GinkgoHelper()
	fixture.Change(ctx, env.Hub, &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: member}}, func(c *clusterv1alpha1.Cluster) {
		delete(c.Labels, "use")
		if use != "" {
			metav1.SetMetaDataLabel(&c.ObjectMeta, "use", use)
		}
	})
}

var _ = Describe("clusters that are withdrawn by their labels", func() {
	It("are left with what goes along, the last one too, with an event each, and come back by their labels", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		for _, member := range []string{"member1", "member2"} {
			setUse(ctx, member, space)
			DeferCleanup(func(ctx SpecContext) { setUse(ctx, member, "") })
		}
		seen := env.Versions(ctx, appsv1.SchemeGroupVersion.WithKind("Deployment"), space, func(member string, is watch.EventType, _ *unstructured.Unstructured) string {
			return fmt.Sprintf("%s %s", is, member)
		})
		config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "config"}}
		web := fixture.Nginx(space, 1)
		web.Spec.Template.Spec.Volumes = []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{
			ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: config.Name}},
		}}}
		Expect(env.Hub.Create(ctx, config)).To(Succeed())
		env.Apply(ctx, space, fmt.Sprintf(byLabel, space))
		env.Apply(ctx, space, suspendedOnMember2) // an innocent one, which the labels say nothing about
		Expect(env.Hub.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "settings"}, Data: map[string]string{"k": "v"}})).To(Succeed())
		Expect(env.Hub.Create(ctx, web)).To(Succeed())
		where := func(ctx context.Context) ([]string, error) {
			var found []string
			for _, m := range env.Members {
				for _, o := range []client.Object{web, config} {
					there, err := env.Present(ctx, m.Name, o)
					if err != nil {
						return nil, err
					}
					if there {
						found = append(found, m.Name+" "+o.GetName())
					}
				}
			}
			return found, nil
		}
		Eventually(where).WithContext(ctx).Should(ConsistOf("member1 nginx", "member1 config", "member2 nginx", "member2 config"))
		Eventually(settingsAt(ctx, "member1", space)).ShouldNot(BeNil())

		left := func(member string) string {
			return "ClusterLeft: " + member + " is left: the placement of the policy does not match it any more"
		}
		aboutTemplate, aboutBinding := env.Events(ctx, space, "Deployment", "nginx"), env.Events(ctx, space, "ResourceBinding", "nginx-deployment")
		By("withdrawing one")
		setUse(ctx, "member1", "")
		Eventually(where).WithContext(ctx).Should(ConsistOf("member2 nginx", "member2 config"))
		Eventually(aboutTemplate).Should(ContainElement(left("member1")))
		Eventually(aboutBinding).Should(ContainElement(left("member1")))
		Expect(aboutTemplate()).NotTo(ContainElement(left("member2")))
		By("withdrawing the last")
		setUse(ctx, "member2", "")
		Eventually(where).WithContext(ctx).Should(BeEmpty())
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Spec.Clusters).To(BeEmpty())
			g.Expect(b.Spec.GracefulEvictionTasks).To(BeEmpty(), "it ends with the Work")
			g.Expect(b.Status.AggregatedStatus).To(BeEmpty())
		}).Should(Succeed())

		Eventually(aboutTemplate).Should(ContainElement(left("member2")))
		Eventually(aboutBinding).Should(ContainElement(left("member2")))

		By("using it again")
		setUse(ctx, "member2", space)
		Eventually(where).WithContext(ctx).Should(ConsistOf("member2 nginx", "member2 config"))
		Expect(settingsAt(ctx, "member1", space)()).NotTo(BeNil())
		Eventually(func() []string {
			return slices.DeleteFunc(seen(), func(version string) bool { return strings.HasPrefix(version, "MODIFIED ") })
		}).Should(ConsistOf("ADDED member1", "DELETED member1", "ADDED member2", "DELETED member2", "ADDED member2"))
	})
})
