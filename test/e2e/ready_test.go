// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/policy/status"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// readyOf returns a condition Ready as status and reason, with the generation where it is not that of the object.
func readyOf(o metav1.Object, observed int64, conditions []metav1.Condition) string {
	ready := meta.FindStatusCondition(conditions, policyv1alpha1.Ready)
	if ready == nil {
		return "none"
	}
	text := fmt.Sprintf("%s %s", ready.Status, ready.Reason)
	if generation := o.GetGeneration(); generation != observed || generation != ready.ObservedGeneration {
		text += fmt.Sprintf(" of %d and %d of %d", observed, ready.ObservedGeneration, generation)
	}
	return text
}

var _ = Describe("Ready", func() {
	It("reports of policies and bindings whether all is applied, and of which generation", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		policy := &policyv1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "nginx"}}
		current := func() string {
			if err := env.Hub.Get(ctx, client.ObjectKeyFromObject(policy), policy); err != nil {
				return err.Error()
			}
			return fmt.Sprintf("%d of %d, %s", policy.Status.Applied, policy.Status.Templates, readyOf(policy, policy.Status.ObservedGeneration, policy.Status.Conditions))
		}
		env.Apply(ctx, space, duplicated)
		Expect(current()).To(Equal("0 of 0, none"))
		Expect(policy.Status.ObservedGeneration).To(BeEquivalentTo(-1), "it is in progress for who waits for it")
		Eventually(current).Should(Equal("0 of 0, True NoTemplate"))

		Expect(env.Hub.Create(ctx, fixture.Nginx(space, 2))).To(Succeed())
		Eventually(current).Should(Equal("1 of 1, True Applied"))
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(readyOf(b, b.Status.ObservedGeneration, b.Status.Conditions)).To(Equal("True FullyAppliedSuccess"))
		}).Should(Succeed())

		everywhere := policy.DeepCopy()
		policy.Spec.Placement.ClusterAffinity = &policyv1alpha1.ClusterAffinity{ClusterNames: []string{"nowhere"}}
		Expect(env.Hub.Patch(ctx, policy, client.MergeFrom(everywhere))).To(Succeed())
		Eventually(current).Should(Equal("0 of 1, False NoClusterFit"))
		Expect(policy.Status.Conditions[0].Message).To(ContainSubstring("Deployment " + space + "/nginx (NoClusterFit)"))
		nowhere := policy.DeepCopy()
		policy.Spec.Placement = everywhere.Spec.Placement
		Expect(env.Hub.Patch(ctx, policy, client.MergeFrom(nowhere))).To(Succeed())
		Eventually(current).Should(Equal("1 of 1, True Applied"))
	}, NodeTimeout(10*time.Minute))

	It("is written few times for many templates", func(ctx SpecContext) {
		const templates = 40
		space := env.Namespace(ctx)
		begun, writes := time.Now(), 0 // of the policy
		watched, err := env.Hub.Watch(ctx, &policyv1alpha1.PropagationPolicyList{}, client.InNamespace(space))
		Expect(err).NotTo(HaveOccurred())
		defer watched.Stop()
		env.Apply(ctx, space, `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: all}
spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}], placement: {clusterAffinity: {clusterNames: [member1]}}}`)
		for i := range templates {
			Expect(env.Hub.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: fmt.Sprint("c", i)}})).To(Succeed())
		}
		for applied := int32(0); applied < templates; {
			var e watch.Event
			Eventually(ctx, watched.ResultChan()).Should(Receive(&e))
			if e.Type == watch.Modified {
				writes++
			}
			applied = e.Object.(*policyv1alpha1.PropagationPolicy).Status.Applied
		}
		// What stays would be evicted, one after the other, when another spec taints the member.
		DeferCleanup(func(ctx SpecContext) {
			Expect(env.Hub.DeleteAllOf(ctx, &corev1.ConfigMap{}, client.InNamespace(space))).To(Succeed())
			env.NoWorks(ctx, space)
		}, NodeTimeout(10*time.Minute))
		// Its id and finalizer are one, or two.
		Expect(writes).To(BeNumerically("<=", 3+int(time.Since(begun)/status.Collect)), "writes of the policy")
	}, NodeTimeout(10*time.Minute))

	It("reports of quotas whether each cluster has its part", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		env.Apply(ctx, space, `apiVersion: policy.karmada.io/v1alpha1
kind: FederatedResourceQuota
metadata: {name: parts}
spec: {overall: {cpu: "10"}, staticAssignments: [{clusterName: member1, hard: {cpu: "2"}}, {clusterName: nowhere, hard: {cpu: "2"}}]}`)
		q := &policyv1alpha1.FederatedResourceQuota{}
		current := func() string {
			if err := env.Hub.Get(ctx, client.ObjectKey{Namespace: space, Name: "parts"}, q); err != nil {
				return err.Error()
			}
			return readyOf(q, q.Status.ObservedGeneration, q.Status.Conditions)
		}
		Eventually(func(g Gomega) {
			g.Expect(current()).To(Equal("False NotAssigned"))
			g.Expect(q.Status.Conditions[0].Message).To(Equal("The ResourceQuota is not applied in nowhere"))
		}).Should(Succeed())
		q.Spec.StaticAssignments = q.Spec.StaticAssignments[:1]
		Expect(env.Hub.Update(ctx, q)).To(Succeed())
		Eventually(current).Should(Equal("True CountedOnly"), "the manager runs without the gate")
	}, NodeTimeout(10*time.Minute))
})
