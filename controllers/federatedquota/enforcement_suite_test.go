// SPDX-License-Identifier: Apache-2.0

package federatedquota_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("a quota", func() {
	It("refuses what does not fit, and says how much is left", func(ctx SpecContext) {
		q := limit(ctx, "q", "cpu", "3")
		place(ctx, deployments)
		deploy(ctx, "web", 2, "1")
		targets(ctx, "web", "one:2")
		deploy(ctx, "shop", 2, "1")
		refused(ctx, "shop", exceeded("q", "cpu", "2", "1", "3"))
		Eventually(events.About).WithArguments(space, "shop-deployment").Should(ConsistOf("Warning ScheduleBindingFailed: " + exceeded("q", "cpu", "2", "1", "3")))
		Eventually(overallUsed).WithContext(ctx).WithArguments(q).Should(Equal(map[string]string{"cpu": "2"}))
	})

	It("lets only so many of many pass that come at once", func(ctx SpecContext) {
		q := limit(ctx, "q", "requests.cpu", "7")
		place(ctx, deployments)
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				defer GinkgoRecover()
				deploy(ctx, fmt.Sprintf("d%02d", i), 1, "1")
			})
		}
		all.Wait()
		Eventually(func(g Gomega) {
			g.Expect(placed(ctx, g)).To(HaveLen(7))
			for i := range 20 {
				g.Expect(condition(ctx, g, "Deployment", fmt.Sprintf("d%02d", i), workv1alpha2.Scheduled)).NotTo(BeNil())
			}
		}).Should(Succeed())
		Consistently(func(g Gomega) { g.Expect(placed(ctx, g)).To(HaveLen(7)) }, time.Second).Should(Succeed())
		Eventually(overallUsed).WithContext(ctx).WithArguments(q).Should(Equal(map[string]string{"requests.cpu": "7"}))
	})

	It("lets pass what waited for longest once it is raised", func(ctx SpecContext) {
		q := limit(ctx, "q", "cpu", "1")
		place(ctx, deployments)
		deploy(ctx, "large", 5, "1")
		refused(ctx, "large", exceeded("q", "cpu", "5", "1", "1"))
		deploy(ctx, "first", 2, "1")
		refused(ctx, "first", exceeded("q", "cpu", "2", "1", "1"))
		deploy(ctx, "second", 2, "1")
		refused(ctx, "second", exceeded("q", "cpu", "2", "1", "1"))
		change(ctx, q, func(q *policyv1alpha1.FederatedResourceQuota) { q.Spec.Overall = resources("cpu", "3") })
		targets(ctx, "first", "one:2")
		Consistently(func(g Gomega) { g.Expect(placed(ctx, g)).To(Equal([]string{"first"})) }, time.Second).Should(Succeed())
	})

	It("lets others pass when something is deleted or scaled down", func(ctx SpecContext) {
		limit(ctx, "q", "cpu", "4")
		place(ctx, deployments)
		a, b := deploy(ctx, "a", 2, "1"), deploy(ctx, "b", 2, "1")
		targets(ctx, "a", "one:2")
		targets(ctx, "b", "one:2")
		deploy(ctx, "c", 1, "1")
		refused(ctx, "c", exceeded("q", "cpu", "1", "0", "4"))
		change(ctx, a, func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(1)) })
		targets(ctx, "c", "one:1")
		deploy(ctx, "d", 2, "1")
		refused(ctx, "d", exceeded("q", "cpu", "2", "0", "4"))
		Eventually(func(g Gomega) { rendered(ctx, g, "one", "Deployment", "b") }).Should(Succeed(), "its Work is there to end")
		// The garbage collector of a control plane would do this.
		Expect(hub.Delete(ctx, b)).To(Succeed())
		Expect(hub.Delete(ctx, bindingOf(ctx, Default, "Deployment", "b"))).To(Succeed())
		ended(ctx, "one", "b")
		targets(ctx, "d", "one:2")
	})

	It("has what was scaled up stay as it was", func(ctx SpecContext) {
		limit(ctx, "q", "cpu", "2")
		place(ctx, deployments)
		d := deploy(ctx, "web", 2, "1")
		targets(ctx, "web", "one:2")
		change(ctx, d, func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(5)) })
		refused(ctx, "web", exceeded("q", "cpu", "3", "0", "2"))
		// The Work may be written after the refusal, and has what was admitted then, too.
		two := func(g Gomega) {
			replicas, _, err := unstructured.NestedInt64(rendered(ctx, g, "one", "Deployment", "web").Object, "spec", "replicas")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(replicas).To(BeEquivalentTo(2))
		}
		Eventually(two).Should(Succeed())
		Consistently(two, time.Second).Should(Succeed())
		change(ctx, d, func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(2)) })
		Eventually(func(g Gomega) {
			g.Expect(condition(ctx, g, "Deployment", "web", workv1alpha2.Scheduled).Status).To(Equal(metav1.ConditionTrue))
		}).Should(Succeed())
	})

	It("does not count what has ended, until it runs again", func(ctx SpecContext) {
		q := limit(ctx, "q", "cpu", "2")
		place(ctx, deployments)
		deploy(ctx, "run", 2, "1")
		targets(ctx, "run", "one:2")
		deploy(ctx, "web", 1, "1")
		refused(ctx, "web", exceeded("q", "cpu", "1", "0", "2"))
		// As controllers/status writes it. A Deployment never ends; the quota does not ask its kind.
		ended := func(ended bool) {
			b := bindingOf(ctx, Default, "Deployment", "run")
			before := b.DeepCopy()
			b.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{ClusterName: "one", Applied: true, Finished: ended}}
			Expect(hub.Status().Patch(ctx, b, client.MergeFrom(before))).To(Succeed())
		}
		ended(true)
		targets(ctx, "web", "one:1")
		targets(ctx, "run", "one:2")
		Eventually(overallUsed).WithContext(ctx).WithArguments(q).Should(Equal(map[string]string{"cpu": "1"}))
		ended(false)
		Eventually(overallUsed).WithContext(ctx).WithArguments(q).Should(Equal(map[string]string{"cpu": "3"}))
		deploy(ctx, "other", 1, "1")
		refused(ctx, "other", exceeded("q", "cpu", "1", "0", "2"))
	})

	It("lets decreases pass while too much is used", func(ctx SpecContext) {
		q := limit(ctx, "q", "cpu", "4")
		place(ctx, deployments)
		d := deploy(ctx, "web", 4, "1")
		targets(ctx, "web", "one:4")
		change(ctx, q, func(q *policyv1alpha1.FederatedResourceQuota) { q.Spec.Overall = resources("cpu", "1") })
		Eventually(func(g Gomega) {
			g.Expect(hub.Get(ctx, client.ObjectKeyFromObject(q), q)).To(Succeed())
			g.Expect(ptr.To(q.Status.Overall["cpu"]).String()).To(Equal("1"))
		}).Should(Succeed())
		change(ctx, d, func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(3)) })
		targets(ctx, "web", "one:3")
		Eventually(overallUsed).WithContext(ctx).WithArguments(q).Should(Equal(map[string]string{"cpu": "3"}))
	})

	It("is charged with others of its namespace, or none is", func(ctx SpecContext) {
		both, cpu := limit(ctx, "both", "cpu", "9", "pods", "9"), limit(ctx, "cpu", "cpu", "1")
		place(ctx, deployments)
		deploy(ctx, "web", 2, "1")
		refused(ctx, "web", exceeded("cpu", "cpu", "2", "1", "1"))
		Expect(overallUsed(ctx, both)).To(BeEmpty(), "nothing uses any of it")
		Expect(hub.Delete(ctx, cpu)).To(Succeed())
		targets(ctx, "web", "one:2")
		Eventually(overallUsed).WithContext(ctx).WithArguments(both).Should(Equal(map[string]string{"cpu": "2", "pods": "2"}))
	})

	It("is asked about a change of requests, which reaches no member until it is admitted", func(ctx SpecContext) {
		q := limit(ctx, "q", "cpu", "3")
		place(ctx, deployments)
		d := deploy(ctx, "web", 2, "1")
		targets(ctx, "web", "one:2")
		Eventually(func(g Gomega) { rendered(ctx, g, "one", "Deployment", "web") }).Should(Succeed())
		Eventually(overallUsed).WithContext(ctx).WithArguments(q).Should(Equal(map[string]string{"cpu": "2"}))
		change(ctx, d, func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.Containers[0].Resources.Requests = resources("cpu", "2")
			d.Spec.Template.Spec.Containers[0].Image = "nginx:2"
		})
		Eventually(func(g Gomega) {
			c := condition(ctx, g, "Deployment", "web", workv1alpha2.WithinQuota)
			g.Expect(c).NotTo(BeNil())
			g.Expect(c.Reason).To(Equal("QuotaExceeded"))
			g.Expect(c.Message).To(Equal(exceeded("q", "cpu", "2", "1", "3")))
		}).Should(Succeed())
		Eventually(func() []string { return events.About(space, "web") }).Should(ContainElement("Warning QuotaExceeded: " + exceeded("q", "cpu", "2", "1", "3")))
		image := func(g Gomega) string {
			containers, _, err := unstructured.NestedSlice(rendered(ctx, g, "one", "Deployment", "web").Object, "spec", "template", "spec", "containers")
			g.Expect(err).NotTo(HaveOccurred())
			return containers[0].(map[string]any)["image"].(string)
		}
		Consistently(func(g Gomega) { g.Expect(image(g)).To(Equal("nginx")) }, time.Second).Should(Succeed())
		Expect(overallUsed(ctx, q)).To(Equal(map[string]string{"cpu": "2"}))

		By("raising the quota")
		change(ctx, q, func(q *policyv1alpha1.FederatedResourceQuota) { q.Spec.Overall = resources("cpu", "4") })
		Eventually(func(g Gomega) {
			g.Expect(image(g)).To(Equal("nginx:2"))
			g.Expect(condition(ctx, g, "Deployment", "web", workv1alpha2.WithinQuota)).To(BeNil())
		}).Should(Succeed())
		Eventually(overallUsed).WithContext(ctx).WithArguments(q).Should(Equal(map[string]string{"cpu": "4"}))
	})

	It("is asked about components", func(ctx SpecContext) {
		q := limit(ctx, "q", "cpu", "3", "memory", "3Gi")
		place(ctx, flink, "one")
		job := fixture.Object(flink, space, "job", map[string]any{"spec": map[string]any{
			"jobManager":  map[string]any{"replicas": int64(1), "resource": map[string]any{"cpu": int64(1), "memory": "1024m"}},
			"taskManager": map[string]any{"replicas": int64(1), "resource": map[string]any{"cpu": int64(2), "memory": "2048m"}},
		}})
		Expect(hub.Create(ctx, job)).To(Succeed())
		Eventually(overallUsed).WithContext(ctx).WithArguments(q).Should(Equal(map[string]string{"cpu": "3", "memory": "3Gi"}), "1024m of Flink is 1024 MiB")
		manifest := func(g Gomega) int64 {
			n, _, err := unstructured.NestedInt64(rendered(ctx, g, "one", "FlinkDeployment", "job").Object, "spec", "taskManager", "replicas")
			g.Expect(err).NotTo(HaveOccurred())
			return n
		}
		Eventually(func(g Gomega) { g.Expect(manifest(g)).To(BeEquivalentTo(1)) }).Should(Succeed())
		change(ctx, job, func(o *unstructured.Unstructured) {
			Expect(unstructured.SetNestedField(o.Object, int64(2), "spec", "taskManager", "replicas")).To(Succeed())
		})
		want := exceeded("q", "cpu", "2", "0", "3") + "; " + exceeded("q", "memory", "2Gi", "0", "3Gi")
		Eventually(func(g Gomega) {
			c := condition(ctx, g, "FlinkDeployment", "job", workv1alpha2.WithinQuota)
			g.Expect(c).NotTo(BeNil())
			g.Expect(c.Message).To(Equal(want))
		}).Should(Succeed())
		Consistently(func(g Gomega) { g.Expect(manifest(g)).To(BeEquivalentTo(1)) }, time.Second).Should(Succeed())

		By("asking for what fits")
		change(ctx, job, func(o *unstructured.Unstructured) {
			Expect(unstructured.SetNestedField(o.Object, int64(1), "spec", "taskManager", "replicas")).To(Succeed())
			Expect(unstructured.SetNestedField(o.Object, int64(1), "spec", "taskManager", "resource", "cpu")).To(Succeed())
		})
		Eventually(overallUsed).WithContext(ctx).WithArguments(q).Should(Equal(map[string]string{"cpu": "2", "memory": "3Gi"}))
		Eventually(func(g Gomega) {
			cpu, _, err := unstructured.NestedInt64(rendered(ctx, g, "one", "FlinkDeployment", "job").Object, "spec", "taskManager", "resource", "cpu")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(cpu).To(BeEquivalentTo(1))
			g.Expect(condition(ctx, g, "FlinkDeployment", "job", workv1alpha2.WithinQuota)).To(BeNil())
		}).Should(Succeed())
	})

	It("does not hold up a workload that moves, and keeps its place from others", func(ctx SpecContext) {
		q := limit(ctx, "q", "cpu", "2")
		p := place(ctx, deployments)
		deploy(ctx, "web", 2, "1")
		targets(ctx, "web", "one:2")
		deploy(ctx, "other", 1, "1")
		refused(ctx, "other", exceeded("q", "cpu", "1", "0", "2"))

		Eventually(overallUsed).WithContext(ctx).WithArguments(q).Should(Equal(map[string]string{"cpu": "2"}))

		By("evicting it while no other cluster fits")
		evict(ctx, "web", "one")
		Consistently(func(g Gomega) { g.Expect(placed(ctx, g)).To(BeEmpty()) }, time.Second).Should(Succeed())
		Expect(overallUsed(ctx, q)).To(Equal(map[string]string{"cpu": "2"}), "its place is kept")

		By("having another one fit")
		change(ctx, p, func(p *policyv1alpha1.PropagationPolicy) {
			p.Spec.Placement.ClusterAffinity.ClusterNames = []string{"one", "two"}
		})
		targets(ctx, "web", "two:2")
		Consistently(func(g Gomega) { g.Expect(placed(ctx, g)).To(Equal([]string{"web"})) }, time.Second).Should(Succeed())
		Expect(overallUsed(ctx, q)).To(Equal(map[string]string{"cpu": "2"}), "and not counted twice")
	})

	DescribeTable("does not hold up what moves by what it should have more, nor lets it have that", func(ctx SpecContext, alone, beside string, copiedTo ...string) {
		q := limit(ctx, "q", "cpu", "2")
		p := place(ctx, deployments, copiedTo...)
		d := deploy(ctx, "web", 2, "1")
		targets(ctx, "web", "one:2")
		change(ctx, d, func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(5)) })
		refused(ctx, "web", exceeded("q", "cpu", "3", "0", "2"))
		replicas := watch(ctx, "web")
		change(ctx, p, func(p *policyv1alpha1.PropagationPolicy) {
			p.Spec.Placement.ClusterAffinity.ClusterNames = []string{"one", "two"}
		})
		for _, move := range []struct{ from, to string }{{"one", "two"}, {"two", "one"}} {
			By("moving it from " + move.from)
			evict(ctx, "web", move.from)
			targets(ctx, "web", move.to+":2")
			stayed := func(asked string) { // the targets are written before the condition
				GinkgoHelper()
				settled(ctx, "web")
				refused(ctx, "web", exceeded("q", "cpu", asked, "0", "2"))
				Expect(overallUsed(ctx, q)).To(Equal(map[string]string{"cpu": "2"}))
				targets(ctx, "web", move.to+":2")
				Expect(replicas(ctx)).To(HaveEach(BeNumerically("<=", 2)), "no version has more than was admitted")
			}
			stayed(alone)

			By("letting the old copy go")
			change(ctx, bindingOf(ctx, Default, "Deployment", "web"), func(b *workv1alpha2.ResourceBinding) { b.Spec.GracefulEvictionTasks = nil })
			stayed(beside)
		}
	},
		Entry("with divided replicas", "3", "3"),
		Entry("with copies, where each cluster is to have one", "3", "8", "one"),
	)

	It("does not keep copies in a cluster that is gone", func(ctx SpecContext) {
		cluster := func(short string) string { return space + "-" + short }
		leaves := join(ctx, cluster("leaves"))
		stays := join(ctx, cluster("stays"))
		DeferCleanup(func(ctx SpecContext) { Expect(hub.Delete(ctx, stays)).To(Succeed()) })
		limit(ctx, "q", "cpu", "2")
		place(ctx, deployments, cluster("leaves"), cluster("stays"), cluster("new"), cluster("newer"))
		deploy(ctx, "web", 1, "1")
		targets(ctx, "web", cluster("leaves")+":1", cluster("stays")+":1")
		for _, short := range []string{"new", "newer"} {
			c := join(ctx, cluster(short))
			DeferCleanup(func(ctx SpecContext) { Expect(hub.Delete(ctx, c)).To(Succeed()) })
		}
		refused(ctx, "web", exceeded("q", "cpu", "2", "0", "2"))
		Expect(hub.Delete(ctx, leaves)).To(Succeed())
		targets(ctx, "web", cluster("stays")+":1")
	})

	It("limits its own namespace alone, and nothing that runs no pods", func(ctx SpecContext) {
		limit(ctx, "q", "cpu", "0", "pods", "0")
		p := fixture.Policy(space, "configs", fixture.All(corev1.SchemeGroupVersion.WithKind("ConfigMap")))
		Expect(hub.Create(ctx, p)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(hub.Delete(ctx, p)).To(Succeed()) })
		Expect(hub.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "c"}})).To(Succeed())
		Eventually(func(g Gomega) { g.Expect(placed(ctx, g)).To(ContainElement("c")) }).Should(Succeed())
		var err error
		space, err = running.Namespace(ctx)
		Expect(err).NotTo(HaveOccurred())
		place(ctx, deployments)
		deploy(ctx, "web", 2, "1")
		targets(ctx, "web", "one:2")
	})
})

// ended waits until the Work of a Deployment is being deleted, and has it end as execution does.
func ended(ctx context.Context, cluster, name string) {
	GinkgoHelper()
	w := &workv1alpha1.Work{}
	Eventually(func(g Gomega) {
		g.Expect(hub.Get(ctx, client.ObjectKey{Namespace: names.ExecutionSpace(cluster), Name: names.Work("Deployment", space, name)}, w)).To(Succeed())
		g.Expect(w.DeletionTimestamp).NotTo(BeNil())
	}).Should(Succeed())
	change(ctx, w, func(w *workv1alpha1.Work) { w.Finalizers = nil })
}

// watch returns a function that returns how many replicas the targets of a Deployment had in each
// version of its binding, from now until it is called.
func watch(ctx context.Context, name string) func(context.Context) []int32 {
	GinkgoHelper()
	w, err := hub.Watch(ctx, &workv1alpha2.ResourceBindingList{}, client.InNamespace(space))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(w.Stop)
	var (
		all  []int32
		seen string
	)
	return func(ctx context.Context) []int32 {
		GinkgoHelper()
		latest := bindingOf(ctx, Default, "Deployment", name)
		for seen != latest.ResourceVersion {
			var event apiwatch.Event
			Eventually(ctx, w.ResultChan()).Should(Receive(&event), "the version %s of the binding", latest.ResourceVersion)
			b, is := event.Object.(*workv1alpha2.ResourceBinding)
			Expect(is).To(BeTrue(), "%s: %v", event.Type, event.Object)
			if b.Name != latest.Name {
				continue
			}
			sum := int32(0)
			for _, t := range b.Spec.Clusters {
				sum += t.Replicas
			}
			all, seen = append(all, sum), b.ResourceVersion
		}
		return all
	}
}

// settled waits until the scheduler has reported about the latest generation of the binding of a
// Deployment, and about none after that for a while.
func settled(ctx context.Context, name string) {
	GinkgoHelper()
	latest := int64(0)
	reported := func(g Gomega) {
		b := bindingOf(ctx, g, "Deployment", name)
		g.Expect(meta.FindStatusCondition(b.Status.Conditions, workv1alpha2.Scheduled)).To(HaveField("ObservedGeneration", b.Generation))
		latest = b.Generation
	}
	Eventually(reported).Should(Succeed())
	generation := latest
	Consistently(func(g Gomega) { g.Expect(bindingOf(ctx, g, "Deployment", name).Generation).To(Equal(generation)) }, time.Second).Should(Succeed())
}

// evict evicts a Deployment from a cluster, as a failover does.
func evict(ctx context.Context, name, cluster string) {
	GinkgoHelper()
	change(ctx, bindingOf(ctx, Default, "Deployment", name), func(b *workv1alpha2.ResourceBinding) {
		Expect(binding.Evict(b, binding.Eviction{
			Cluster: cluster, Producer: workv1alpha2.EvictionProducerTaintManager, Reason: workv1alpha2.EvictionReasonTaintUntolerated,
			PurgeMode: policyv1alpha1.PurgeModeGracefully, Time: time.Now(),
		})).To(Succeed())
	})
}
