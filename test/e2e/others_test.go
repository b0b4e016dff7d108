// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/crds"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// unprotect removes the label that protects an object from deletion, and deletes it.
func unprotect(ctx context.Context, o client.Object) error {
	if err := env.Hub.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
		return err
	}
	before := o.DeepCopyObject().(client.Object)
	labels := o.GetLabels()
	delete(labels, policyv1alpha1.DeletionProtectedLabel)
	o.SetLabels(labels)
	if err := env.Hub.Patch(ctx, o, client.MergeFrom(before)); err != nil {
		return err
	}
	return env.Hub.Delete(ctx, o)
}

var _ = Describe("what others write", func() {
	// arrived expects a ConfigMap of the control plane in every member, by a Work that is not
	// being deleted.
	arrived := func(ctx context.Context, o *corev1.ConfigMap) {
		GinkgoHelper()
		for _, m := range env.Members {
			Eventually(func(g Gomega, ctx context.Context) {
				w := &workv1alpha1.Work{}
				g.Expect(env.Hub.Get(ctx, client.ObjectKey{Namespace: names.ExecutionSpace(m.Name), Name: names.Work("ConfigMap", o.Namespace, o.Name)}, w)).To(Succeed())
				g.Expect(w.DeletionTimestamp).To(BeNil())
				g.Expect(meta.IsStatusConditionTrue(w.Status.Conditions, workv1alpha1.WorkApplied)).To(BeTrue())
				copied := &corev1.ConfigMap{}
				g.Expect(env.At(m.Name).Get(ctx, client.ObjectKeyFromObject(o), copied)).To(Succeed())
				g.Expect(copied.DeletionTimestamp).To(BeNil())
			}).WithContext(ctx).Should(Succeed(), "the copy in %s", m.Name)
		}
	}

	// protected expects that nobody may delete an object, once the API server has the policy.
	protected := func(ctx context.Context, o client.Object) {
		GinkgoHelper()
		Eventually(func(ctx context.Context) error {
			return env.Hub.Delete(ctx, o.DeepCopyObject().(client.Object), client.DryRunAll)
		}).WithContext(ctx).Should(MatchError(ContainSubstring("please make sure to remove the label")))
	}

	It("is refused where it deletes an execution namespace, which comes back where that is forced", func(ctx SpecContext) {
		n := space(ctx, nil)
		fill(ctx, n.Name, 1)
		arrived(ctx, settings(n.Name, 0))
		e := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace(env.Members[0].Name)}}
		protected(ctx, e)
		Expect(env.Hub.Get(ctx, client.ObjectKeyFromObject(e), e)).To(Succeed())
		before := e.UID
		Eventually(func(ctx context.Context) error { return unprotect(ctx, e) }).WithContext(ctx).Should(Succeed())
		Eventually(func(g Gomega, ctx context.Context) {
			g.Expect(env.Hub.Get(ctx, client.ObjectKeyFromObject(e), e)).To(Succeed())
			g.Expect(e.UID).NotTo(Equal(before))
			g.Expect(e.Labels).To(HaveKeyWithValue(policyv1alpha1.DeletionProtectedLabel, policyv1alpha1.DeletionProtectedAlways))
		}).WithContext(ctx).Should(Succeed())
		arrived(ctx, settings(n.Name, 0))
	})

	It("is refused where it deletes a CRD; one that is applied again brings back what went", func(ctx SpecContext) {
		n := space(ctx, nil)
		fill(ctx, n.Name, 2)
		arrived(ctx, settings(n.Name, 1))
		definitions, err := crds.All()
		Expect(err).NotTo(HaveOccurred())
		for _, d := range definitions {
			Expect(d.Labels).To(HaveKeyWithValue(policyv1alpha1.DeletionProtectedLabel, policyv1alpha1.DeletionProtectedAlways), d.Name)
			if d.Name != "works.work.karmada.io" {
				continue
			}
			served := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: d.Name}}
			protected(ctx, served)
			Expect(unprotect(ctx, served)).To(Succeed())
			Eventually(func(ctx context.Context) bool {
				return apierrors.IsNotFound(env.Hub.Get(ctx, client.ObjectKeyFromObject(served), served))
			}).WithContext(ctx).Should(BeTrue())
			Expect(env.Hub.Create(ctx, d)).To(Succeed())
		}
		for i := range 2 {
			arrived(ctx, settings(n.Name, i))
		}
		fill1 := settings(n.Name, 2)
		Expect(env.Hub.Create(ctx, fill1)).To(Succeed())
		arrived(ctx, fill1)
	})

	It("is refused where it has a binding refer to an object of another namespace", func(ctx SpecContext) {
		n := space(ctx, nil)
		b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: n.Name, Name: "gold-secret"}}
		b.Spec.Resource = workv1alpha2.ObjectReference{APIVersion: "v1", Kind: "Secret", Namespace: "victim", Name: "gold"}
		b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: env.Members[0].Name}}
		for _, namespace := range []string{"victim", ""} {
			b.Spec.Resource.Namespace = namespace
			Eventually(func(ctx context.Context) error {
				return env.Hub.Create(ctx, b.DeepCopy(), client.DryRunAll)
			}).WithContext(ctx).Should(MatchError(ContainSubstring("spec.resource.namespace")))
			Expect(apierrors.IsForbidden(env.Hub.Create(ctx, b.DeepCopy()))).To(BeTrue())
		}
		w := &workv1alpha2.ClusterResourceBinding{ObjectMeta: metav1.ObjectMeta{Name: n.Name + "-gold-secret"}}
		w.Spec.Resource = workv1alpha2.ObjectReference{APIVersion: "v1", Kind: "Secret", Namespace: "victim", Name: "gold"}
		Expect(apierrors.IsForbidden(env.Hub.Create(ctx, w))).To(BeTrue())
	})
})
