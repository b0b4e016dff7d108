// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/test/suite"
)

var _ = Describe("A cluster in mode Pull", func() {
	It("has a condition and one event that no agent serves it, until an agent reports", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.change(ctx, func(c *clusterv1alpha1.Cluster) { c.Spec.SyncMode = clusterv1alpha1.Pull })
		ready := func() *metav1.Condition {
			return meta.FindStatusCondition(b.reconcile(ctx).Status.Conditions, clusterv1alpha1.ClusterConditionReady)
		}
		Expect(ready()).To(And(HaveField("Status", metav1.ConditionUnknown), HaveField("Reason", "NoAgent"), HaveField("Message", ContainSubstring("has no agent"))))
		version := b.get(ctx).ResourceVersion
		Expect(ready()).NotTo(BeNil())
		Expect(b.get(ctx).ResourceVersion).To(Equal(version), "it is written once")
		Expect(b.events.About("", b.name)).To(ConsistOf(HavePrefix("Warning NoAgent: ")))

		c := b.get(ctx)
		meta.SetStatusCondition(&c.Status.Conditions, metav1.Condition{Type: clusterv1alpha1.ClusterConditionReady, Status: "True", Reason: "ClusterReady", Message: "the agent's"})
		Expect(hub.Manager.GetClient().Status().Update(ctx, c)).To(Succeed())
		Expect(ready()).To(HaveField("Reason", "ClusterReady"))
	})

	It("does not keep what was probed while its mode was Push", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		Expect(meta.IsStatusConditionTrue(b.reconcile(ctx).Status.Conditions, clusterv1alpha1.ClusterConditionReady)).To(BeTrue())
		b.change(ctx, func(c *clusterv1alpha1.Cluster) { c.Spec.SyncMode = clusterv1alpha1.Pull })
		ready := meta.FindStatusCondition(b.reconcile(ctx).Status.Conditions, clusterv1alpha1.ClusterConditionReady)
		Expect(ready).To(And(HaveField("Status", metav1.ConditionUnknown), HaveField("Reason", "NoAgent")))
		Expect(b.events.About("", b.name)).To(ContainElement(HavePrefix("Warning NoAgent: ")))
	})
})

var _ = Describe("A cluster whose account may not read nodes and pods", func() {
	It("has a condition and one event with what is refused, until it is allowed", func(ctx SpecContext) {
		g := newProxy()
		g.Answer(func(w http.ResponseWriter, r *http.Request) {
			resource := strings.TrimPrefix(r.URL.Path, "/api/v1/")
			if resource != "nodes" && resource != "pods" {
				g.Pass(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"` + resource + ` is forbidden: User \"joined\" cannot list resource"}`))
		})
		b := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		permissions := func() *metav1.Condition {
			return meta.FindStatusCondition(b.reconcile(ctx).Status.Conditions, clusterv1alpha1.ClusterConditionPermissionsComplete)
		}
		Eventually(permissions).Should(And(
			HaveField("Status", metav1.ConditionFalse), HaveField("Reason", "Forbidden"),
			HaveField("Message", And(ContainSubstring(`nodes is forbidden: User "joined" cannot list resource`), ContainSubstring("pods is forbidden"))),
		))
		Expect(b.get(ctx).Status.ResourceSummary).To(BeNil(), "what is not known is not zero")
		Expect(b.events.About("", b.name)).To(ContainElement(HavePrefix("Warning PermissionsMissing: ")))
	})
})
