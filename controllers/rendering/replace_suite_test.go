// SPDX-License-Identifier: Apache-2.0

package rendering_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	members "github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/namespaces"
	"github.com/dragoman-io/dragoman/controllers/rendering"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var (
	_ = describeReplacement[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeReplacement[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

// reachable is the Cluster of the member with an API server, under a name that only this
// spec knows, which is ready, and has the spec's namespace.
func reachable(ctx context.Context) *clusterv1alpha1.Cluster {
	GinkgoHelper()
	c, err := running.Join(ctx, member(ctx), suite.At(running.Fleet.Members[0]))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx SpecContext) { Expect(hub.Delete(ctx, c)).To(Succeed()) })
	Expect(running.Ready(ctx, c, metav1.ConditionTrue)).To(Succeed())
	return c
}

// replacing is a controller that is called until its answers are there.
type replacing[B workv1alpha2.Binding] struct {
	*pair[B]
	controller *rendering.Controller[B]
	members    *members.Registry
	to         string
}

// replacement makes a binding that is evicted Directly from a to a cluster of the member.
func replacement[B workv1alpha2.Binding](ctx context.Context) *replacing[B] {
	GinkgoHelper()
	return replacementOf[B](ctx, gadget[B]("one"))
}

// replacementOf is replacement of another template.
func replacementOf[B workv1alpha2.Binding](ctx context.Context, o *unstructured.Unstructured) *replacing[B] {
	GinkgoHelper()
	c := reachable(ctx)
	r := &replacing[B]{pair: bound[B](ctx, o, "a"), to: c.Name, members: members.NewRegistry(cached)}
	DeferCleanup(r.members.Close)
	waitForCache(ctx)
	_, err := r.members.Connect(ctx, c)
	Expect(err).NotTo(HaveOccurred())
	r.controller = rendering.New[B](base.Deps{
		Client: cached, Reader: running.Manager.GetAPIReader(), Templates: tmpls, Interpreter: rules, Gates: features.New(), Events: events, Clock: clock,
		Members: r.members, Owner: "hub",
	})
	r.look(ctx)
	Expect(r.works(ctx)).To(HaveKey("a"))
	r.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
		s.Clusters = []workv1alpha2.TargetCluster{{Name: r.to, Replicas: 4}}
		s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{leaving("a", directly)}
	})
	return r
}

// onceInMember makes the spec's namespace in the member.
func (r *replacing[B]) onceInMember(ctx context.Context) {
	GinkgoHelper()
	Expect(onMember.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}})).To(Succeed())
}

// look has the controller look once.
func (r *replacing[B]) look(ctx context.Context) reconcile.Result {
	GinkgoHelper()
	r.settled(ctx)
	result, err := reconcile.AsReconciler(cached, r.controller).Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(r.binding)})
	Expect(err).NotTo(HaveOccurred())
	return result
}

// going reports whether the old copy was asked to go.
func (r *replacing[B]) going(ctx context.Context) bool {
	GinkgoHelper()
	old, there := r.works(ctx)["a"]
	Expect(there).To(BeTrue(), "the old copy is gone")
	return old.DeletionTimestamp != nil
}

// targets returns the names of the binding's targets.
func (r *replacing[B]) targets(ctx context.Context) []string {
	GinkgoHelper()
	return binding.TargetNames(read(ctx, r.binding).GetSpec())
}

// untilRefused has the controller look until the target is taken away, and then once more.
func (r *replacing[B]) untilRefused(ctx context.Context) {
	GinkgoHelper()
	Eventually(func() []string {
		r.look(ctx)
		return r.targets(ctx)
	}).Should(BeEmpty())
	r.look(ctx)
	Expect(r.going(ctx)).To(BeFalse(), "the old copy was asked to go")
}

// report writes how the application is in a cluster.
func (r *replacing[B]) report(ctx context.Context, cluster string, health workv1alpha2.ResourceHealth) {
	GinkgoHelper()
	b := read(ctx, r.binding)
	before := b.DeepCopyObject().(client.Object)
	b.GetStatus().AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{ClusterName: cluster, Applied: true, Health: health}}
	Expect(hub.Status().Patch(ctx, b, client.MergeFrom(before))).To(Succeed())
}

// decide writes that the scheduler has decided about the present spec.
func (r *replacing[B]) decide(ctx context.Context, status metav1.ConditionStatus) {
	GinkgoHelper()
	b := read(ctx, r.binding)
	before := b.DeepCopyObject().(client.Object)
	meta.SetStatusCondition(&b.GetStatus().Conditions, metav1.Condition{
		Type: workv1alpha2.Scheduled, Status: status, Reason: "Spec", Message: "by a spec", ObservedGeneration: b.GetGeneration(),
	})
	if status == metav1.ConditionTrue {
		b.GetStatus().SchedulerObservedGeneration = b.GetGeneration()
	}
	Expect(hub.Status().Patch(ctx, b, client.MergeFrom(before))).To(Succeed())
}

// describeReplacement are the specs of copies of one kind of binding that go before the new
// ones come.
func describeReplacement[B workv1alpha2.Binding](kind string) bool {
	return Describe(kind+" that is evicted Directly", func() {
		It("has its old copy go once the cluster of the new one would take it", func(ctx SpecContext) {
			r := replacement[B](ctx)
			r.onceInMember(ctx)
			r.look(ctx)
			Expect(r.going(ctx)).To(BeFalse(), "the cluster has not answered yet")
			Eventually(func() bool {
				r.look(ctx)
				return r.going(ctx)
			}).Should(BeTrue())
			Expect(r.targets(ctx)).To(Equal([]string{r.to}))
			Expect(r.works(ctx)).To(HaveLen(1), "the new one comes once the old one is gone")
			left := r.object.DeepCopy()
			Expect(client.IgnoreNotFound(onMember.Get(ctx, client.ObjectKeyFromObject(left), left))).To(Succeed())
			Expect(left.GetUID()).To(Equal(r.object.GetUID()), "a try leaves nothing behind")
		})

		It("keeps its old copy where the cluster refuses the new one, and loses that target", func(ctx SpecContext) {
			r := replacement[B](ctx)
			r.onceInMember(ctx)
			overriding(ctx, r.object, "bad", on(patch("add", "/metadata/labels", map[string]string{"other": "no label value"}), r.to))
			r.untilRefused(ctx)

			By("saying so")
			said := And(ContainSubstring("cluster "+r.to+" refuses"), ContainSubstring("metadata.labels"))
			Expect(r.failed(ctx)).To(beFalse("TargetRefused", said))
			for _, o := range []client.Object{r.binding, r.object} {
				Expect(events.About(o.GetNamespace(), o.GetName())).To(ConsistOf(And(HavePrefix("Warning TargetRefused: "), said, ContainSubstring("the copy in cluster a stays"))))
			}

			By("excluding the cluster for a time")
			b := read(ctx, r.binding)
			Expect(binding.Failures(b)).To(HaveKeyWithValue(r.to, And(HaveField("Tries", 1), HaveField("Refused", said))))
			Expect(binding.Excluded(b, clock.Now()).Clusters).To(HaveKey(r.to))
			Expect(binding.Excluded(b, clock.Now().Add(2*time.Minute)).Clusters).NotTo(HaveKey(r.to))

			By("trying another template at once")
			r.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.Resource.ResourceVersion = "another" })
			Expect(binding.Excluded(read(ctx, r.binding), clock.Now()).Clusters).NotTo(HaveKey(r.to))
			r.settled(ctx)
		})

		It("keeps the old one of several copies where the cluster refuses the new one and no other fits", func(ctx SpecContext) {
			r := replacement[B](ctx)
			r.onceInMember(ctx)
			overriding(ctx, r.object, "bad", on(patch("add", "/metadata/labels", map[string]string{"other": "no label value"}), r.to))
			r.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				s.Clusters, s.GracefulEvictionTasks = []workv1alpha2.TargetCluster{{Name: "a", Replicas: 2}, {Name: "b", Replicas: 2}}, nil
			})
			r.look(ctx)
			Expect(r.works(ctx)).To(And(HaveKey("a"), HaveKey("b")))

			By("leaving one")
			r.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				s.Clusters = []workv1alpha2.TargetCluster{{Name: "b", Replicas: 2}}
				s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{leaving("a", directly)}
			})
			r.look(ctx)
			Expect(r.going(ctx)).To(BeFalse(), "the scheduler has not decided")
			r.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				s.Clusters = []workv1alpha2.TargetCluster{{Name: "b", Replicas: 2}, {Name: r.to, Replicas: 2}}
			})
			Eventually(func() []string {
				r.look(ctx)
				return r.targets(ctx)
			}).Should(Equal([]string{"b"}))
			r.look(ctx)
			Expect(r.going(ctx)).To(BeFalse(), "the scheduler has not decided")

			By("finding no other cluster")
			r.decide(ctx, metav1.ConditionFalse)
			r.look(ctx)
			Expect(r.going(ctx)).To(BeFalse(), "no cluster takes the new copy")
			Expect(r.failed(ctx)).To(beFalse("TargetRefused", ContainSubstring("cluster "+r.to+" refuses")))

			By("being content with the targets that are left")
			r.decide(ctx, metav1.ConditionTrue)
			r.look(ctx)
			Expect(r.going(ctx)).To(BeTrue())
		})

		It("keeps its old copy where the cluster has no CRD of its kind, and goes to the next one", func(ctx SpecContext) {
			o := fixture.Object(hubKind, space, "one", nil)
			if wide[B]() {
				o = fixture.Object(wideHubKind, "", space+"-one", nil)
			}
			r := replacementOf[B](ctx, o)
			r.onceInMember(ctx)
			r.untilRefused(ctx)
			Expect(r.failed(ctx)).To(beFalse("TargetRefused", And(ContainSubstring("cluster "+r.to+" refuses"), ContainSubstring("install the CRD of its kind there"))))
			Expect(binding.Excluded(read(ctx, r.binding), clock.Now()).Clusters).To(HaveKey(r.to))

			By("choosing one that nobody can try")
			next := fixture.Cluster(space + "-next")
			next.Spec.SyncMode = clusterv1alpha1.Pull
			Expect(hub.Create(ctx, executionSpace(next.Name))).To(Succeed())
			Expect(hub.Create(ctx, next)).To(Succeed())
			DeferCleanup(func(ctx SpecContext) { Expect(hub.Delete(ctx, next)).To(Succeed()) })
			r.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				s.Clusters = []workv1alpha2.TargetCluster{{Name: next.Name, Replicas: 4}}
			})
			Eventually(func() bool {
				r.look(ctx)
				return r.going(ctx)
			}).Should(BeTrue())
			old := r.works(ctx)["a"]
			finish(ctx, &old)
			r.look(ctx)
			Expect(r.works(ctx)).To(And(HaveLen(1), HaveKey(next.Name)))
		})

		It("has its copy that stays follow the override policies while it has nowhere to go", func(ctx SpecContext) {
			r := replacement[B](ctx)
			r.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.Clusters = nil })
			r.look(ctx)
			Expect(field(r.works(ctx)["a"], "spec", "color")).To(BeNil())
			p := overriding(ctx, r.object, "color", on(patch("add", "/spec/color", "red"), "a"))
			r.look(ctx)
			Expect(field(r.works(ctx)["a"], "spec", "color")).To(Equal("red"))

			By("editing the policy")
			change(ctx, p.(client.Object), func(o client.Object) {
				o.(policyv1alpha1.Override).GetSpec().OverrideRules[0] = on(patch("add", "/spec/color", "blue"), "a")
			})
			r.look(ctx)
			Expect(field(r.works(ctx)["a"], "spec", "color")).To(Equal("blue"))
			Expect(r.going(ctx)).To(BeFalse())
		})

		It("keeps its old copy where the cluster is not ready, and loses that target", func(ctx SpecContext) {
			r := replacement[B](ctx)
			c := &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: r.to}}
			Expect(running.Ready(ctx, read(ctx, c), metav1.ConditionFalse)).To(Succeed())
			r.untilRefused(ctx)
			Expect(r.failed(ctx)).To(beFalse("TargetRefused", ContainSubstring("cluster "+r.to+" is not ready")))
		})

		It("keeps its old copy while the cluster cannot be asked, and says so", func(ctx SpecContext) {
			r := replacement[B](ctx)
			r.onceInMember(ctx)
			r.members.Disconnect(r.to)
			var wait time.Duration
			Eventually(func() time.Duration {
				wait = r.look(ctx).RequeueAfter
				return wait
			}).Should(Equal(time.Second), "it is asked again")
			clock.SetTime(clock.Now().Add(6 * time.Second))
			Eventually(func() *metav1.Condition {
				r.look(ctx)
				return r.failed(ctx)
			}).Should(beFalse("TargetNotTried", ContainSubstring("could not be asked")))
			Expect(r.going(ctx)).To(BeFalse())
			Expect(r.targets(ctx)).To(Equal([]string{r.to}))

			By("connecting again")
			_, err := r.members.Connect(ctx, read(ctx, &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: r.to}}))
			Expect(err).NotTo(HaveOccurred())
			clock.SetTime(clock.Now().Add(time.Minute))
			Eventually(func() bool {
				r.look(ctx)
				return r.going(ctx)
			}).Should(BeTrue())
		})

		It("keeps its old copy while nothing is dispatched to the cluster of the new one", func(ctx SpecContext) {
			r := replacement[B](ctx)
			r.onceInMember(ctx)
			r.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				s.Suspension = &workv1alpha2.Suspension{}
				s.Suspension.Dispatching = new(true)
			})
			r.look(ctx)
			clock.SetTime(clock.Now().Add(6 * time.Second))
			r.look(ctx)
			Expect(r.failed(ctx)).To(beFalse("TargetNotTried", ContainSubstring("suspended")))
			Expect(r.going(ctx)).To(BeFalse())
		})

		It("goes back to its cluster where it recovers before its move began", func(ctx SpecContext) {
			r := replacement[B](ctx)
			r.members.Disconnect(r.to)
			r.look(ctx)
			r.report(ctx, "a", workv1alpha2.ResourceHealthy)
			r.look(ctx)
			b := read(ctx, r.binding)
			Expect(b.GetSpec().Clusters).To(HaveExactElements(HaveField("Name", "a")))
			Expect(b.GetSpec().GracefulEvictionTasks).To(BeEmpty())
			r.look(ctx)
			Expect(r.going(ctx)).To(BeFalse())
			Expect(r.failed(ctx)).To(BeNil())
		})
	})
}

// beFalse matches a condition that is False for a reason, with a message.
func beFalse(reason string, message any) OmegaMatcher {
	return And(Not(BeNil()), HaveField("Status", metav1.ConditionFalse), HaveField("Reason", reason), HaveField("Message", message))
}

var _ = Describe("a binding that a manager watches, and that is evicted Directly", func() {
	It("has its old copy go once the namespace of the new one is there, and the cluster answers", func(ctx SpecContext) {
		c := reachable(ctx)
		var registry *members.Registry
		stop, err := running.Manage(map[client.Object]cache.ByObject{
			&workv1alpha2.ResourceBinding{}: {Namespaces: map[string]cache.Config{space: {}}},
		}, func(ctx context.Context, mgr ctrl.Manager) error {
			d, err := suite.Customize(ctx, mgr, rules)
			if err != nil {
				return err
			}
			d.Events, registry = events, d.Members
			return rendering.New[*workv1alpha2.ResourceBinding](d).Register(ctx, mgr)
		})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { Expect(stop()).To(Succeed()) })
		p := placed[*workv1alpha2.ResourceBinding](ctx, "a")
		p.has(ctx, "a")
		p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
			s.Clusters = []workv1alpha2.TargetCluster{{Name: c.Name, Replicas: 4}}
			s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{leaving("a", directly)}
		})
		Eventually(p.failed).WithContext(ctx).Should(beFalse("TargetNotTried", ContainSubstring("could not be asked")))

		By("connecting to the cluster, which has a Work for the namespace then")
		_, err = registry.Connect(ctx, c)
		Expect(err).NotTo(HaveOccurred())
		Eventually(p.failed).WithContext(ctx).Should(beFalse("TargetNotTried", ContainSubstring("its namespace is not there yet")))
		Expect(p.works(ctx)["a"].DeletionTimestamp).To(BeNil())

		By("carrying out that Work")
		w := &workv1alpha1.Work{}
		Expect(hub.Get(ctx, namespaces.Key(c.Name, space), w)).To(Succeed())
		Expect(onMember.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}})).To(Succeed())
		before := w.DeepCopy()
		meta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue, Reason: "Spec", Message: "by a spec"})
		Expect(hub.Status().Patch(ctx, w, client.MergeFrom(before))).To(Succeed())
		Eventually(func() *metav1.Time { return p.works(ctx)["a"].DeletionTimestamp }).WithContext(ctx).ShouldNot(BeNil())
	})
})
