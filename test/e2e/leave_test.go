// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/scenario"
)

// leaveOrphan creates an object in a member with the marks of this control plane, as one that it
// could not take back.
func leaveOrphan(ctx context.Context, cluster string) *corev1.ConfigMap {
	GinkgoHelper()
	system := &corev1.Namespace{}
	Expect(env.Hub.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, system)).To(Succeed())
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: metav1.NamespaceDefault, Name: "left", Labels: map[string]string{workv1alpha2.ManagedLabel: workv1alpha2.ManagedLabelValue},
		Annotations: map[string]string{
			workv1alpha2.OwnerAnnotation: string(system.UID), workv1alpha2.WorkNamespaceAnnotation: names.ExecutionSpace(cluster), workv1alpha2.WorkNameAnnotation: "left",
		},
	}}
	Expect(env.At(cluster).Create(ctx, o)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { _ = env.At(cluster).Delete(ctx, o) })
	return o
}

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

		left := leaveOrphan(ctx, cluster.Name)
		Expect(scenario.Join(ctx, env.Fleet)).To(Succeed())
		env.AwaitReady(ctx, cluster.Name)
		Eventually(env.Deployments(ctx, everywhere)).Should(Equal(3))
		Expect(env.Dragoman(ctx, "clusters", "orphans", cluster.Name)).To(says(0, "ConfigMap", left.Namespace, "left", "no binding", "templates that were not applied"))
		Expect(env.Present(ctx, cluster.Name, left)).To(BeTrue(), "nobody asked for its deletion")

		answer := env.Run(ctx, "clusters", "orphans", cluster.Name, "--delete")
		Expect(answer).To(And(ContainSubstring("deleted ConfigMap "+left.Namespace+"/left"), Not(ContainSubstring("warning"))))
		Expect(env.Present(ctx, cluster.Name, left)).To(BeFalse())
		Expect(env.Deployments(ctx, everywhere)()).To(Equal(3), "nothing else is deleted")
		Eventually(env.Events(ctx, metav1.NamespaceDefault, "Cluster", cluster.Name)).Should(ContainElement(ContainSubstring("OrphanDeleted")))
		Expect(env.Dragoman(ctx, "clusters", "orphans", cluster.Name)).To(says(0, "nothing of an earlier membership is left"))
	}, NodeTimeout(10*time.Minute))
})
