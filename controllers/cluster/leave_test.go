// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"context"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/cluster/status"
	"github.com/dragoman-io/dragoman/test/suite"
)

// delete deletes the cluster, which its finalizer keeps.
func (b *setup) delete(ctx context.Context) {
	GinkgoHelper()
	Expect(hub.Manager.GetClient().Delete(ctx, b.get(ctx))).To(Succeed())
}

// space reads the execution namespace.
func (b *setup) space(ctx context.Context) *corev1.Namespace {
	GinkgoHelper()
	space := &corev1.Namespace{}
	Expect(hub.Manager.GetClient().Get(ctx, types.NamespacedName{Name: names.ExecutionSpace(b.name)}, space)).To(Succeed())
	return space
}

// endSpace ends the execution namespace, which on a bare server nobody else does.
func (b *setup) endSpace(ctx context.Context) {
	GinkgoHelper()
	space := b.space(ctx)
	space.Spec.Finalizers = nil
	Expect(hub.Client.SubResource("finalize").Update(ctx, space)).To(Succeed())
	Eventually(func() bool {
		return apierrors.IsNotFound(hub.Manager.GetCache().Get(ctx, client.ObjectKeyFromObject(space), space))
	}).Should(BeTrue())
}

// gone reports whether the cluster is not there any more.
func (b *setup) gone(ctx context.Context) bool {
	return apierrors.IsNotFound(hub.Client.Get(ctx, types.NamespacedName{Name: b.name}, &clusterv1alpha1.Cluster{}))
}

// bindingIn makes a binding with a copy in a cluster.
func bindingIn(ctx context.Context, cluster string) *workv1alpha2.ResourceBinding {
	GinkgoHelper()
	namespace, err := hub.Namespace(ctx)
	Expect(err).NotTo(HaveOccurred())
	rb := &workv1alpha2.ResourceBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "b"},
		Spec: workv1alpha2.ResourceBindingSpec{
			Resource: workv1alpha2.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Namespace: namespace, Name: "b"},
			Clusters: []workv1alpha2.TargetCluster{{Name: cluster}},
		},
	}
	Expect(hub.Manager.GetClient().Create(ctx, rb)).To(Succeed())
	return rb
}

var _ = Describe("A cluster that leaves", func() {
	It("leaves its bindings, and goes when its namespace has ended", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.reconcile(ctx)
		rb := bindingIn(ctx, b.name)
		b.delete(ctx)

		Expect(b.reconcile(ctx).Finalizers).To(HaveLen(1))
		Expect(b.space(ctx).DeletionTimestamp).NotTo(BeNil(), "the execution namespace is being deleted")
		result, err := b.lifecycle.Reconcile(ctx, b.get(ctx))
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).NotTo(BeZero(), "the namespace is still there")
		Eventually(func(g Gomega) {
			g.Expect(hub.Manager.GetCache().Get(ctx, client.ObjectKeyFromObject(rb), rb)).To(Succeed())
			g.Expect(rb.Spec.Clusters).To(BeEmpty())
		}).Should(Succeed())
		Expect(b.gone(ctx)).To(BeFalse())
		_, connected := b.members.Get(b.name)
		Expect(connected).To(BeTrue(), "until all has ended, the connection may be needed")

		b.endSpace(ctx)
		result, err = b.lifecycle.Reconcile(ctx, b.get(ctx))
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(BeZero())
		Expect(b.gone(ctx)).To(BeTrue())
		Eventually(func(g Gomega) { // the cache follows the deletion
			result, err = b.reconcileStatus(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(result.RequeueAfter).To(BeZero())
		}).Should(Succeed())
		_, connected = b.members.Get(b.name)
		Expect(connected).To(BeFalse())
	})

	It("stays connected while its Works end, also after a restart", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.reconcile(ctx)
		b.delete(ctx)
		b.restart(status.Options{})
		b.reconcile(ctx)
		_, connected := b.members.Get(b.name)
		Expect(connected).To(BeTrue(), "without it nothing could be taken back from the member")
	})

	It("is known to be lost when it is lost while it leaves", func(ctx SpecContext) {
		g := newProxy()
		b := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		b.reconcile(ctx)
		b.delete(ctx)
		Expect(readiness(b.reconcile(ctx))).To(Equal(metav1.ConditionTrue))
		g.Answer(fail(http.StatusInternalServerError))
		b.reconcile(ctx)
		b.clock.SetTime(b.clock.Now().Add(30 * time.Second))
		Expect(readiness(b.reconcile(ctx))).To(Equal(metav1.ConditionFalse), "its Works wait for this, to end without it")
	})

	It("ends its Works where nothing can be reached with its Secret gone", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.reconcile(ctx)
		b.delete(ctx)
		Expect(hub.Manager.GetClient().Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: names.ClusterNamespace, Name: b.name}})).To(Succeed())
		b.reconcile(ctx)
		b.clock.SetTime(b.clock.Now().Add(30 * time.Second))
		s, reason, _ := ready(b.reconcile(ctx))
		Expect(s).To(Equal(metav1.ConditionFalse))
		Expect(reason).To(Equal("StatusCollectionFailed"))
	})
})
