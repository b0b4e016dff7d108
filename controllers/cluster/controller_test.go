// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/controllers/cluster/status"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

const notReady = clusterv1alpha1.TaintClusterNotReady + ":NoSchedule"

var _ = Describe("A cluster that joins", func() {
	It("gets a finalizer, an execution namespace and a status", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		c := b.reconcile(ctx)
		Expect(c.Finalizers).To(Equal([]string{clusterv1alpha1.ClusterFinalizer}))
		space := &corev1.Namespace{}
		Expect(hub.Client.Get(ctx, types.NamespacedName{Name: names.ExecutionSpace(b.name)}, space)).To(Succeed())
		Expect(space.Labels).To(HaveKeyWithValue("karmada.io/system", "true"))
		s, reason, message := ready(c)
		Expect([]string{string(s), reason, message}).To(Equal([]string{"True", "ClusterReady", "the API server is ready"}))
		Expect(taintsOf(c)).To(BeEmpty())
		Expect(c.Status.KubernetesVersion).To(HavePrefix("v1."))
		_, connected := b.members.Get(b.name)
		Expect(connected).To(BeTrue())
	})

	It("marks an execution namespace that was there before", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace(b.name), Labels: map[string]string{"kept": "yes"}}}
		Expect(hub.Manager.GetClient().Create(ctx, space)).To(Succeed())
		b.reconcile(ctx)
		Expect(hub.Client.Get(ctx, client.ObjectKeyFromObject(space), space)).To(Succeed())
		Expect(space.Labels).To(And(HaveKeyWithValue("karmada.io/system", "true"), HaveKeyWithValue("kept", "yes")))
	})

	It("is left to an agent in mode Pull, but for finalizer, namespace and that there is none", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.change(ctx, func(c *clusterv1alpha1.Cluster) { c.Spec.SyncMode = clusterv1alpha1.Pull })
		c := b.reconcile(ctx)
		Expect(c.Finalizers).To(Equal([]string{clusterv1alpha1.ClusterFinalizer}))
		Expect(c.Status.Conditions).To(ConsistOf(HaveField("Reason", clusterv1alpha1.ReasonNoAgent)))
		Expect(hub.Client.Get(ctx, types.NamespacedName{Name: names.ExecutionSpace(b.name)}, &corev1.Namespace{})).To(Succeed())

		b.change(ctx, func(c *clusterv1alpha1.Cluster) { c.Spec.SyncMode = clusterv1alpha1.Push })
		Expect(meta.IsStatusConditionTrue(b.reconcile(ctx).Status.Conditions, clusterv1alpha1.ClusterConditionReady)).To(BeTrue(), "at once, as a cluster that joins")
	})
})

var _ = Describe("The status of a cluster", func() {
	It("lists what is served, sorted and without subresources", func(ctx SpecContext) {
		served := newSetup(ctx, one()).reconcile(ctx).Status
		Expect(meta.IsStatusConditionTrue(served.Conditions, clusterv1alpha1.ClusterConditionCompleteAPIEnablements)).To(BeTrue())
		Expect(slices.IsSortedFunc(served.APIEnablements, func(a, b clusterv1alpha1.APIEnablement) int {
			return strings.Compare(a.GroupVersion, b.GroupVersion)
		})).To(BeTrue())
		byGroup := map[string][]clusterv1alpha1.APIResource{}
		for _, e := range served.APIEnablements {
			byGroup[e.GroupVersion] = e.Resources
			for _, r := range e.Resources {
				Expect(r.Name).NotTo(ContainSubstring("/"))
			}
		}
		Expect(byGroup).To(HaveKeyWithValue("apps/v1", ContainElement(clusterv1alpha1.APIResource{Name: "deployments", Kind: "Deployment"})))
		Expect(byGroup).To(HaveKeyWithValue("v1", ContainElement(clusterv1alpha1.APIResource{Name: "pods", Kind: "Pod"})))
	})

	It("adds up nodes and pods as they come and go", func(ctx SpecContext) {
		m, b := onMember(), newSetup(ctx, one())
		summary := func() *clusterv1alpha1.ResourceSummary { return b.reconcile(ctx).Status.ResourceSummary }
		Eventually(summary).ShouldNot(BeNil())
		Expect(summary().Allocatable).To(BeEmpty())

		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: "n-"}, Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4")},
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		}}
		Expect(m.Create(ctx, node)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(m.Delete(ctx, node)).To(Succeed()) })
		bound, waiting, ended := pod(node.Name, "1"), pod("", "2"), pod(node.Name, "8")
		for _, p := range []*corev1.Pod{bound, waiting, ended} {
			Expect(m.Create(ctx, p)).To(Succeed())
			DeferCleanup(func(ctx SpecContext) {
				Expect(client.IgnoreNotFound(m.Delete(ctx, p, client.GracePeriodSeconds(0)))).To(Succeed())
			})
		}
		ended.Status.Phase = corev1.PodSucceeded
		Expect(m.Status().Update(ctx, ended)).To(Succeed())

		Eventually(func(g Gomega) {
			s := b.reconcile(ctx).Status
			g.Expect(s.NodeSummary).To(HaveValue(Equal(clusterv1alpha1.NodeSummary{TotalNum: 1, ReadyNum: 1})))
			g.Expect(s.ResourceSummary.Allocatable.Cpu().String()).To(Equal("4"))
			g.Expect(s.ResourceSummary.Allocated.Cpu().String()).To(Equal("1"), "a limit alone is a request too")
			g.Expect(s.ResourceSummary.Allocated.Pods().Value()).To(BeEquivalentTo(1))
			g.Expect(s.ResourceSummary.Allocating.Cpu().String()).To(Equal("2"))
			g.Expect(s.ResourceSummary.Allocating.Pods().Value()).To(BeEquivalentTo(1))
		}).Should(Succeed())

		Expect(m.Delete(ctx, bound, client.GracePeriodSeconds(0))).To(Succeed())
		Eventually(func() int64 { return summary().Allocated.Pods().Value() }).Should(BeZero())
	})

	It("counts nodes by grade as nodes and pods come and go", func(ctx SpecContext) {
		m, b := onMember(), newSetup(ctx, one())
		b.change(ctx, func(c *clusterv1alpha1.Cluster) { c.Spec.ResourceModels = byCores("0", "2", "4") })
		counts := func() []int { return countsOf(b.reconcile(ctx)) }
		Eventually(counts).Should(Equal([]int{0, 0, 0}), "a cluster without nodes has an item for each grade")

		small, large := node(ctx, m, "3"), node(ctx, m, "8")
		Eventually(counts).Should(Equal([]int{0, 1, 1}))

		By("binding, ending and deleting pods")
		full, ended := podOn(ctx, m, small.Name, "3"), podOn(ctx, m, large.Name, "5")
		Eventually(counts).Should(Equal([]int{1, 1, 0}), "a full node is counted, and hides no other")
		ended.Status.Phase = corev1.PodSucceeded
		Expect(m.Status().Update(ctx, ended)).To(Succeed())
		Eventually(counts).Should(Equal([]int{1, 0, 1}))
		Expect(m.Delete(ctx, full, client.GracePeriodSeconds(0))).To(Succeed())
		Eventually(counts).Should(Equal([]int{0, 1, 1}))

		By("cordoning a node, and losing another")
		large.Spec.Unschedulable = true
		Expect(m.Update(ctx, large)).To(Succeed())
		Eventually(counts).Should(Equal([]int{0, 1, 0}))
		small.Status.Conditions[0].Status = corev1.ConditionUnknown
		Expect(m.Status().Update(ctx, small)).To(Succeed())
		Eventually(counts).Should(Equal([]int{0, 0, 0}))
		large.Spec.Unschedulable = false
		Expect(m.Update(ctx, large)).To(Succeed())
		Eventually(counts).Should(Equal([]int{0, 0, 1}))

		By("changing the models")
		b.change(ctx, func(c *clusterv1alpha1.Cluster) { c.Spec.ResourceModels = byCores("0", "10") })
		Expect(counts()).To(Equal([]int{1, 0}))

		By("counting by a manager that knows nothing")
		b.restart(status.Options{})
		Eventually(counts).Should(Equal([]int{1, 0}))
		Expect(m.Delete(ctx, large)).To(Succeed())
		Eventually(counts).Should(Equal([]int{0, 0}))
	})

	It("counts no nodes where the gate is off, and drops what was counted", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		Eventually(func() []int { return countsOf(b.reconcile(ctx)) }).Should(HaveLen(9), "no models are the default ones")
		gates := features.New()
		Expect(gates.Set(string(features.CustomizedClusterResourceModeling) + "=false")).To(Succeed())
		b.status = status.New(base.Deps{Client: hub.Manager.GetClient(), Members: b.members, Clock: b.clock, Events: &b.events, Gates: gates}, status.Options{})
		Eventually(func() []int { return countsOf(b.reconcile(ctx)) }).Should(BeEmpty())
		Expect(b.get(ctx).Status.ResourceSummary).NotTo(BeNil())
	})

	It("has no sums where nodes and pods are not read", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		Eventually(func() any { return b.reconcile(ctx).Status.ResourceSummary }).ShouldNot(BeNil())
		b.restart(status.Options{IgnoreResources: true})
		c := b.reconcile(ctx)
		Expect(c.Status.ResourceSummary).To(BeNil())
		Expect(c.Status.NodeSummary).To(BeNil())
		Expect(c.Status.APIEnablements).NotTo(BeEmpty())
		result, err := b.reconcileStatus(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(Equal(10*time.Second), "nothing is awaited")
	})

	It("is written only when something changed", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		Eventually(func() any { return b.reconcile(ctx).Status.ResourceSummary }).ShouldNot(BeNil())
		before := b.get(ctx)
		result, err := b.reconcileStatus(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(Equal(10*time.Second), "all is known")
		b.reconcile(ctx)
		Expect(b.get(ctx).ResourceVersion).To(Equal(before.ResourceVersion))
	})

	It("keeps what was known of a cluster that is not ready", func(ctx SpecContext) {
		g := newProxy()
		b := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		before := b.reconcile(ctx).Status
		g.Answer(fail(http.StatusInternalServerError))
		b.reconcile(ctx)
		b.clock.SetTime(b.clock.Now().Add(time.Minute))
		after := b.reconcile(ctx)
		Expect(readiness(after)).To(Equal(metav1.ConditionFalse))
		Expect(after.Status.KubernetesVersion).To(Equal(before.KubernetesVersion))
		Expect(after.Status.APIEnablements).To(Equal(before.APIEnablements))
	})

	It("reports when only a part of what is served is known", func(ctx SpecContext) {
		m, b := onMember(), newSetup(ctx, one())
		gone := fixture.Object(schema.GroupVersionKind{Group: "apiregistration.k8s.io", Version: "v1", Kind: "APIService"}, "", "v1.gone.example.io", map[string]any{
			"spec": map[string]any{
				"group": "gone.example.io", "version": "v1", "groupPriorityMinimum": int64(100), "versionPriority": int64(1),
				"insecureSkipTLSVerify": true, "service": map[string]any{"namespace": "default", "name": "gone"},
			},
		})
		Expect(m.Create(ctx, gone)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) {
			Expect(m.Delete(ctx, gone)).To(Succeed())
			Eventually(func() string { return complete(b.reconcile(ctx)) }).Should(HavePrefix("True"))
		})
		Eventually(func() string { return complete(b.reconcile(ctx)) }).Should(And(HavePrefix("False Partial: "), ContainSubstring("gone.example.io/v1")))
		Expect(b.get(ctx).Status.APIEnablements).To(ContainElement(HaveField("GroupVersion", "apps/v1")))
		Expect(readiness(b.get(ctx))).To(Equal(metav1.ConditionTrue))
	})

	It("keeps the list of what is served when it cannot be read", func(ctx SpecContext) {
		g := newProxy()
		b := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		before := b.reconcile(ctx).Status.APIEnablements
		Expect(before).NotTo(BeEmpty())
		g.Answer(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/readyz" {
				w.WriteHeader(http.StatusInternalServerError)
			}
		})
		c := b.reconcile(ctx)
		Expect(complete(c)).To(HavePrefix("False Empty: no API of the cluster could be read"))
		Expect(c.Status.APIEnablements).To(Equal(before))
		Expect(readiness(c)).To(Equal(metav1.ConditionTrue), "the cluster reports that it is ready")
	})

	It("does not undo a condition that somebody else wrote meanwhile", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.reconcile(ctx)
		stale := b.get(ctx)
		live := stale.DeepCopy()
		meta.SetStatusCondition(&live.Status.Conditions, metav1.Condition{Type: "Audited", Status: metav1.ConditionTrue, Reason: "Auditor", Message: "fine"})
		Expect(hub.Manager.GetClient().Status().Update(ctx, live)).To(Succeed())
		stale.Status.KubernetesVersion = "v1.0.0" // so that there is something to write
		meta.RemoveStatusCondition(&stale.Status.Conditions, clusterv1alpha1.ClusterConditionCompleteAPIEnablements)
		b.status = status.New(base.Deps{Members: b.members, Clock: b.clock, Client: interceptor.NewClient(hub.Client, interceptor.Funcs{
			Get: func(_ context.Context, _ client.WithWatch, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
				stale.DeepCopyInto(o.(*clusterv1alpha1.Cluster))
				return nil
			},
			List: func(ctx context.Context, _ client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
				return hub.Manager.GetClient().List(ctx, list, options...)
			},
		})}, status.Options{})
		result, err := b.reconcileStatus(ctx)
		Expect(err).NotTo(HaveOccurred(), "a conflict is no error")
		Expect(result.RequeueAfter).To(BeNumerically("<", time.Second))
		b.restart(status.Options{})
		Expect(meta.IsStatusConditionTrue(b.reconcile(ctx).Status.Conditions, "Audited")).To(BeTrue())
	})
})

var _ = Describe("A cluster that is not ready", func() {
	DescribeTable("reports why, and takes no new work", func(ctx SpecContext, address func(context.Context) suite.Address, reason, message string) {
		c := newSetup(ctx, address(ctx)).reconcile(ctx)
		s, gotReason, gotMessage := ready(c)
		Expect(s).To(Equal(metav1.ConditionFalse))
		Expect(gotReason).To(Equal(reason))
		Expect(gotMessage).To(MatchRegexp(message))
		Expect(taintsOf(c)).To(Equal([]string{notReady}))
		Expect(c.Spec.Taints[0].TimeAdded).NotTo(BeNil())
	},
		Entry("nobody listens", func(context.Context) suite.Address {
			port, err := fleet.FreePort()
			Expect(err).NotTo(HaveOccurred())
			return suite.Address{URL: url(port), Token: "t", CA: one().CA}
		}, "ClusterNotReachable", `^the API server does not answer: dial 127\.0\.0\.1:\d+: connect: connection refused$`),
		Entry("another CA", func(context.Context) suite.Address {
			return suite.Address{URL: one().URL, Token: one().Token, CA: newProxy().CA}
		}, "ClusterNotReachable", `^the API server does not answer: .*certificate signed by unknown authority`),
		Entry("a wrong token", func(context.Context) suite.Address {
			return suite.Address{URL: one().URL, Token: "wrong", CA: one().CA}
		}, "StatusCollectionFailed", `^the API server refuses the token in secret karmada-cluster/c-[0-9a-f]+: 401 Unauthorized$`),
		Entry("no token", func(context.Context) suite.Address {
			return suite.Address{URL: one().URL, CA: one().CA}
		}, "StatusCollectionFailed", `has no "token", which must hold a bearer token for cluster c-`),
		Entry("an API server that reports it", func(context.Context) suite.Address {
			g := newProxy()
			g.Answer(fail(http.StatusInternalServerError))
			return suite.Through(g, hub.Fleet.Members[0])
		}, "ClusterNotReady", `^the API server says that it is not ready: 500 Internal Server Error$`),
	)

	It("reports it when it never answers", func(ctx SpecContext) {
		g := newProxy()
		g.Answer(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		b := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		b.restart(status.Options{ProbeTimeout: 100 * time.Millisecond})
		_, reason, message := ready(b.reconcile(ctx))
		Expect(reason).To(Equal("ClusterNotReachable"))
		Expect(message).To(Equal("the API server does not answer: the time was up"))
	})

	It("loses the taint when it is ready, and no other", func(ctx SpecContext) {
		g := newProxy()
		g.Answer(fail(http.StatusInternalServerError))
		b := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		b.change(ctx, func(c *clusterv1alpha1.Cluster) {
			c.Spec.Taints = []corev1.Taint{{Key: "maintenance", Effect: corev1.TaintEffectNoSchedule}}
		})
		Expect(taintsOf(b.reconcile(ctx))).To(Equal([]string{"maintenance:NoSchedule", notReady}))
		g.Answer(nil)
		b.reconcile(ctx)
		b.clock.SetTime(b.clock.Now().Add(30 * time.Second))
		c := b.reconcile(ctx)
		Expect(readiness(c)).To(Equal(metav1.ConditionTrue))
		Expect(taintsOf(c)).To(Equal([]string{"maintenance:NoSchedule"}))
	})

	It("counts as ready until it has failed for the threshold, and as not ready until it has answered for as long", func(ctx SpecContext) {
		g := newProxy()
		b := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		after := func(d time.Duration) metav1.ConditionStatus {
			b.clock.SetTime(b.clock.Now().Add(d))
			return readiness(b.reconcile(ctx))
		}
		Expect(after(0)).To(Equal(metav1.ConditionTrue))
		g.Answer(fail(http.StatusInternalServerError))
		Expect(after(10 * time.Second)).To(Equal(metav1.ConditionTrue))
		Expect(after(29 * time.Second)).To(Equal(metav1.ConditionTrue))
		Expect(after(time.Second)).To(Equal(metav1.ConditionFalse))
		Expect(taintsOf(b.get(ctx))).To(Equal([]string{notReady}))
		g.Answer(nil)
		Expect(after(10 * time.Second)).To(Equal(metav1.ConditionFalse))
		Expect(after(30 * time.Second)).To(Equal(metav1.ConditionTrue))
	})

	It("is asked at /healthz where there is no /readyz", func(ctx SpecContext) {
		g := newProxy()
		g.Answer(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/readyz":
				w.WriteHeader(http.StatusNotFound)
			case "/healthz":
			default:
				w.WriteHeader(http.StatusInternalServerError)
			}
		})
		Expect(readiness(newSetup(ctx, suite.Through(g, hub.Fleet.Members[0])).reconcile(ctx))).To(Equal(metav1.ConditionTrue))
	})
})

// fail answers with a status code.
func fail(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// pod makes a pod whose container has a limit and no request.
func pod(node, cpu string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "p-"}, Spec: corev1.PodSpec{
		NodeName: node,
		Containers: []corev1.Container{{Name: "c", Image: "nginx", Resources: corev1.ResourceRequirements{
			Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)},
		}}},
	}}
}

// byCores makes resource models from their minimums of cores.
func byCores(minimums ...string) []clusterv1alpha1.ResourceModel {
	all := make([]clusterv1alpha1.ResourceModel, len(minimums))
	for i := range minimums {
		end := resource.NewQuantity(math.MaxInt64, resource.DecimalSI)
		if i+1 < len(minimums) {
			end = ptr.To(resource.MustParse(minimums[i+1]))
		}
		all[i] = clusterv1alpha1.ResourceModel{Grade: uint(i), Ranges: []clusterv1alpha1.ResourceModelRange{
			{Name: corev1.ResourceCPU, Min: resource.MustParse(minimums[i]), Max: *end},
		}}
	}
	return all
}

// countsOf returns how many nodes are in each grade, the smallest first.
func countsOf(c *clusterv1alpha1.Cluster) []int {
	if c.Status.ResourceSummary == nil {
		return nil
	}
	var all []int
	for i, m := range c.Status.ResourceSummary.AllocatableModelings {
		Expect(m.Grade).To(BeEquivalentTo(i))
		all = append(all, m.Count)
	}
	return all
}

// node creates a node of the member that is ready and offers so many cores.
func node(ctx context.Context, m client.Client, cores string) *corev1.Node {
	GinkgoHelper()
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: "n-"}, Status: corev1.NodeStatus{
		Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cores)},
		Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
	}}
	Expect(m.Create(ctx, n)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(m.Delete(ctx, n))).To(Succeed()) })
	return n
}

// podOn creates a pod of the member on a node, which requests so many cores.
func podOn(ctx context.Context, m client.Client, on, cores string) *corev1.Pod {
	GinkgoHelper()
	p := pod(on, cores)
	Expect(m.Create(ctx, p)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		Expect(client.IgnoreNotFound(m.Delete(ctx, p, client.GracePeriodSeconds(0)))).To(Succeed())
	})
	return p
}

// complete returns the condition CompleteAPIEnablements in a line.
func complete(c *clusterv1alpha1.Cluster) string {
	condition := meta.FindStatusCondition(c.Status.Conditions, clusterv1alpha1.ClusterConditionCompleteAPIEnablements)
	if condition == nil {
		return ""
	}
	return string(condition.Status) + " " + condition.Reason + ": " + condition.Message
}
