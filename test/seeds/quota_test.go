// SPDX-License-Identifier: Apache-2.0

package seeds

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// quotaMember is where the jobs run that the quota counts. The nodes of member2 are cordoned
// by the story of the Deployment, which goes on meanwhile.
const quotaMember = "member3"

// quotas is the story of a FlinkDeployment of two components that fits exactly into a quota:
// job is its spec as the document has it, binding and used what the document then shows of the
// binding and of the quota. A second job like it does not fit, until the first is deleted.
func quotas(ctx context.Context, job, binding, used string) {
	GinkgoHelper()
	space := namespace(ctx)
	kind := schema.GroupVersionKind{Group: "flink.apache.org", Version: "v1beta1", Kind: "FlinkDeployment"}
	q := &policyv1alpha1.FederatedResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "team"}}
	q.Spec.Overall = corev1.ResourceList{"cpu": resource.MustParse("3"), "memory": resource.MustParse("3072m")}
	Expect(env.Hub.Create(ctx, q)).To(Succeed())
	pods := &policyv1alpha1.FederatedResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "pods"}}
	pods.Spec.Overall = corev1.ResourceList{"pods": resource.MustParse("20")}
	pods.Spec.StaticAssignments = []policyv1alpha1.StaticClusterAssignment{{ClusterName: quotaMember, Hard: corev1.ResourceList{"pods": resource.MustParse("10")}}}
	Expect(env.Hub.Create(ctx, pods)).To(Succeed())
	p := fixture.Policy(space, "one-cluster", fixture.All(kind))
	p.GetSpec().Placement.SpreadConstraints = []policyv1alpha1.SpreadConstraint{{SpreadByField: policyv1alpha1.SpreadByFieldCluster, MinGroups: 1, MaxGroups: 1}}
	p.GetSpec().Placement.ClusterAffinity = &policyv1alpha1.ClusterAffinity{ClusterNames: []string{quotaMember}}
	Expect(env.Hub.Create(ctx, p)).To(Succeed())
	awaitQuota(ctx, space)

	create := func(name string) *unstructured.Unstructured {
		o := fixture.Object(kind, space, name, value(job))
		Expect(env.Hub.Create(ctx, o)).To(Succeed())
		return o
	}
	first := create("first")
	Eventually(func(g Gomega) {
		g.Expect(missing(value(binding), read(ctx, g, workv1alpha2.GroupVersion.WithKind("ResourceBinding"), space, names.Binding(kind.Kind, "first")))).To(BeEmpty())
		quota := read(ctx, g, policyv1alpha1.GroupVersion.WithKind("FederatedResourceQuota"), space, "team")
		g.Expect(missing(value(used), quota)).To(BeEmpty())
		all, _, err := unstructured.NestedStringMap(quota, "status", "overallUsed")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(all).To(Equal(map[string]string{"cpu": "3", "memory": "3072m"}), "and nothing else")
	}).Should(Succeed())

	By("refusing a second one")
	second := create("second")
	Eventually(func(g Gomega) {
		b := &workv1alpha2.ResourceBinding{}
		g.Expect(env.Hub.Get(ctx, client.ObjectKey{Namespace: space, Name: names.Binding(kind.Kind, "second")}, b)).To(Succeed())
		g.Expect(b.Spec.Clusters).To(BeEmpty())
		g.Expect(b.Status.Conditions).To(ContainElement(And(
			HaveField("Type", "Scheduled"), HaveField("Reason", "QuotaExceeded"),
			HaveField("Message", "FederatedResourceQuota("+space+"/team) exceeded for resource cpu: asked for 3 more, 0 of 3 left; "+
				"FederatedResourceQuota("+space+"/team) exceeded for resource memory: asked for 3072m more, 0 of 3072m left"),
		)))
	}).Should(Succeed())

	By("having the member count its part")
	Eventually(func(g Gomega) {
		g.Expect(env.Hub.Get(ctx, client.ObjectKeyFromObject(pods), pods)).To(Succeed())
		g.Expect(pods.Status.AggregatedStatus).To(HaveLen(1))
		g.Expect(pods.Status.AggregatedStatus[0].ClusterName).To(Equal(quotaMember))
		g.Expect(pods.Status.AggregatedStatus[0].Hard.Pods().String()).To(Equal("10"))
		g.Expect(pods.Status.AggregatedStatus[0].Used).To(HaveKey(corev1.ResourcePods))
		g.Expect(pods.Status.OverallUsed.Pods().String()).To(Equal("2"))
	}).Should(Succeed())

	By("deleting the first one")
	Expect(env.Hub.Delete(ctx, first)).To(Succeed())
	Eventually(func(g Gomega) {
		g.Expect(env.At(quotaMember).Get(ctx, client.ObjectKeyFromObject(second), second.DeepCopy())).To(Succeed())
		g.Expect(missing(value(used), read(ctx, g, policyv1alpha1.GroupVersion.WithKind("FederatedResourceQuota"), space, "team"))).To(BeEmpty())
	}).Should(Succeed())
}

// awaitQuota waits until the manager has seen the quotas of a namespace.
func awaitQuota(ctx context.Context, space string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		for _, name := range []string{"team", "pods"} {
			g.Expect(read(ctx, g, policyv1alpha1.GroupVersion.WithKind("FederatedResourceQuota"), space, name)).To(HaveKeyWithValue("status", HaveKey("overall")))
		}
	}).Should(Succeed())
}

// read returns an object as it is written in the control plane.
func read(ctx context.Context, g Gomega, kind schema.GroupVersionKind, namespace, name string) map[string]any {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kind)
	g.Expect(env.Hub.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, o)).To(Succeed())
	return o.Object
}
