// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/admission"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

var _ = Describe("fencing", func() {
	It("needs a verb of its own, also to take it back", func(ctx SpecContext) {
		cluster := &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "fenced"}, Spec: clusterv1alpha1.ClusterSpec{SyncMode: clusterv1alpha1.Pull}}
		Expect(user.Create(ctx, cluster)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(user.Delete(ctx, cluster)).To(Succeed()) })
		allow(ctx, "operator", "get", "patch", "create", "delete")
		operator := as("operator")

		try := func(taints []corev1.Taint, options ...client.PatchOption) error {
			to := &clusterv1alpha1.Cluster{}
			Expect(user.Get(ctx, client.ObjectKeyFromObject(cluster), to)).To(Succeed())
			before := to.DeepCopy()
			to.Spec.Taints = taints
			return operator.Patch(ctx, to, client.MergeFrom(before), options...)
		}
		change := func(taints ...corev1.Taint) error { return try(taints) }
		mark := corev1.Taint{Key: binding.FencedTaint, Effect: corev1.TaintEffectNoSchedule}
		other := corev1.Taint{Key: "other", Effect: corev1.TaintEffectNoSchedule}

		// Authorization and admission policies are read by the API server a moment later.
		Eventually(func() error { return change(other) }).Should(Succeed())
		refused := SatisfyAll(Satisfy(apierrors.IsForbidden),
			MatchError(ContainSubstring("spec.taints: to add or remove the taint "+binding.FencedTaint+", a user needs the verb fence on the cluster fenced")))
		// Written for good before that, the taint would be there, and stay without a question.
		Eventually(func() error { return try([]corev1.Taint{other, mark}, client.DryRunAll) }).Should(refused)
		Expect(change(other, mark)).To(refused)
		Expect(operator.Create(ctx, &clusterv1alpha1.Cluster{
			ObjectMeta: metav1.ObjectMeta{Name: "fenced"},
			Spec:       clusterv1alpha1.ClusterSpec{SyncMode: clusterv1alpha1.Pull, Taints: []corev1.Taint{mark}},
		}, client.DryRunAll)).To(refused)

		allow(ctx, "operator", "get", "patch", admission.FenceVerb)
		Eventually(func() error { return change(other, mark) }).Should(Succeed())

		allow(ctx, "operator", "get", "patch")
		Eventually(func() error { return try([]corev1.Taint{other}, client.DryRunAll) }).Should(refused, "the fence is taken back")
		Expect(change(other)).To(refused)
		Expect(change(mark)).To(Succeed(), "the fence stays")
	})
})

// allow sets what a user may do with clusters.
func allow(ctx SpecContext, user string, verbs ...string) {
	GinkgoHelper()
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{clusterv1alpha1.GroupVersion.Group}, Resources: []string{"clusters"}, Verbs: verbs}},
	}
	grant := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: user},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
	Expect(client.IgnoreAlreadyExists(hub.Client.Create(ctx, grant))).To(Succeed())
	if err := hub.Client.Create(ctx, role); apierrors.IsAlreadyExists(err) {
		Expect(hub.Client.Update(ctx, role)).To(Succeed())
	} else {
		Expect(err).NotTo(HaveOccurred())
	}
}
