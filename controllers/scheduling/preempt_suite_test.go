// SPDX-License-Identifier: Apache-2.0

package scheduling_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	bindingrules "github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/scheduling"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var (
	_ = describePreemption[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describePreemption[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

// priority gives a binding a priority.
func priority(p int32) func(workv1alpha2.Binding) {
	return func(b workv1alpha2.Binding) {
		b.GetSpec().SchedulePriority = &workv1alpha2.SchedulePriority{Priority: p}
	}
}

// leaving returns the clusters that a binding is being evicted from, under their short names, with
// the purge modes.
func leaving(b workv1alpha2.Binding) map[string]policyv1alpha1.PurgeMode {
	all := map[string]policyv1alpha1.PurgeMode{}
	for _, t := range b.GetSpec().GracefulEvictionTasks {
		Expect(t.Reason).To(Equal(workv1alpha2.EvictionReasonPreempted))
		Expect(t.Producer).To(Equal(workv1alpha2.EvictionProducerScheduler))
		all[t.FromCluster[len(space)+1:]] = t.PurgeMode
	}
	return all
}

// describePreemption are the specs of bindings that take the room of others.
func describePreemption[B workv1alpha2.Binding](kind string) bool {
	type modes = map[string]policyv1alpha1.PurgeMode
	type counts = map[string]int32
	var preempting *scheduling.Controller[B]
	gates := features.New()

	place := func(ctx context.Context, b B) B {
		GinkgoHelper()
		fixture.CaughtUp(ctx, hub, cached, &workv1alpha2.ResourceBindingList{}, &workv1alpha2.ClusterResourceBindingList{}, &clusterv1alpha1.ClusterList{}, &workv1alpha1.WorkList{})
		_, err := reconcile.AsReconciler(cached, preempting).Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(b)})
		Expect(err).NotTo(HaveOccurred())
		return read(ctx, b)
	}
	// fill has a cluster of the spec report as used what its bindings have there.
	fill := func(ctx context.Context, short string, used string) {
		GinkgoHelper()
		c := read(ctx, &clusterv1alpha1.Cluster{ObjectMeta: named(short)})
		c.Status.ResourceSummary.Allocated = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(used)}
		Expect(hub.Status().Update(ctx, c)).To(Succeed())
	}

	return Describe(kind+" of high priority that finds too little room", func() {
		BeforeEach(func(ctx SpecContext) {
			Expect(gates.Set("PriorityBasedPreemptiveScheduling=true")).To(Succeed())
			d := base.Deps{Client: cached, Clock: clock, Events: events, Gates: gates, Interpreter: engine.NewInterpreter(engine.Options{})}
			preempting = scheduling.New[B](d, &schedule.Assumptions{})
			join(ctx, "a", cpus("8"))
			join(ctx, "b", cpus("8"))
		})

		// low makes a binding that is in a and may go to both clusters.
		low := func(ctx context.Context, name string, n int32, with ...func(workv1alpha2.Binding)) B {
			GinkgoHelper()
			b := place(ctx, bindingOf[B](ctx, name, append([]func(workv1alpha2.Binding){toClusters("a"), replicas(n)}, with...)...))
			Expect(targets(b)).To(Equal(counts{"a": n}))
			change(ctx, b, func(b B) { toClusters("a", "b")(b) })
			b = place(ctx, b)
			Expect(targets(b)).To(Equal(counts{"a": n}))
			return b
		}
		high := func(ctx context.Context, n int32, with ...func(workv1alpha2.Binding)) B {
			GinkgoHelper()
			return place(ctx, bindingOf[B](ctx, "high", append([]func(workv1alpha2.Binding){toClusters("a"), replicas(n), priority(1000)}, with...)...))
		}

		It("has one of lower priority go elsewhere, and gets its room", func(ctx SpecContext) {
			l := low(ctx, "low", 6)
			fill(ctx, "a", "6")
			h := high(ctx, 4)
			Expect(targets(h)).To(BeEmpty(), "the room is not there yet")
			l = read(ctx, l)
			Expect(targets(l)).To(Equal(counts{"b": 6}))
			Expect(leaving(l)).To(Equal(modes{"a": policyv1alpha1.PurgeModeGracefully}), "the old copy stays until the new one is healthy")
			Expect(*l.GetSpec().GracefulEvictionTasks[0].Replicas).To(Equal(int32(6)))
			Expect(events.About(h.GetNamespace(), h.GetName())).To(ContainElement(MatchRegexp(`Preempting: Moves (Wide)?Gadget .+low of priority 0 out of cluster`)))
			Expect(events.About(l.GetNamespace(), l.GetName())).To(ContainElement(MatchRegexp("Preempted: Leaves cluster " + name("a") + " for (Wide)?Gadget .+high of priority 1000; goes to")))
			history := bindingrules.History(l)
			Expect(history).To(HaveLen(1))
			Expect(history[0].Message).To(ContainSubstring("of priority 1000 takes its room"))

			By("waiting for what leaves already, and nothing more")
			other := read(ctx, low(ctx, "other", 2, priority(-1)))
			fill(ctx, "a", "8")
			h = place(ctx, h)
			Expect(targets(h)).To(BeEmpty())
			Expect(targets(read(ctx, other))).To(Equal(counts{"a": 2}))

			By("being placed once the room is there")
			change(ctx, l, func(b B) { b.GetSpec().GracefulEvictionTasks = nil })
			fill(ctx, "a", "2")
			Expect(targets(place(ctx, h))).To(Equal(counts{"a": 4}))
			Expect(targets(place(ctx, l))).To(Equal(counts{"b": 6}), "it does not return")
		})

		It("has the lowest priority go, and no more than it needs", func(ctx SpecContext) {
			one, two, three := low(ctx, "one", 2, priority(3)), low(ctx, "two", 2, priority(1)), low(ctx, "three", 4, priority(2))
			fill(ctx, "a", "8")
			high(ctx, 2)
			Expect(targets(read(ctx, one))).To(Equal(counts{"a": 2}))
			Expect(targets(read(ctx, two))).To(Equal(counts{"b": 2}))
			Expect(targets(read(ctx, three))).To(Equal(counts{"a": 4}))
		})

		It("leaves one where it is that has nowhere to go, and takes another", func(ctx SpecContext) {
			stuck := low(ctx, "stuck", 4, priority(1))
			change(ctx, stuck, func(b B) { toClusters("a")(b) })
			stuck = place(ctx, stuck)
			free := low(ctx, "free", 4, priority(2))
			fill(ctx, "a", "8")
			high(ctx, 4)
			Expect(targets(read(ctx, stuck))).To(Equal(counts{"a": 4}))
			Expect(leaving(read(ctx, stuck))).To(BeEmpty())
			Expect(targets(read(ctx, free))).To(Equal(counts{"b": 4}))
		})

		It("moves nothing if that does not make enough room", func(ctx SpecContext) {
			l := low(ctx, "low", 4)
			fill(ctx, "a", "8")
			high(ctx, 6)
			Expect(targets(read(ctx, l))).To(Equal(counts{"a": 4}))
		})

		It("moves one as its policy has it for failovers", func(ctx SpecContext) {
			l := low(ctx, "low", 6, func(b workv1alpha2.Binding) {
				b.GetSpec().Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{PurgeMode: policyv1alpha1.PurgeModeDirectly}}
			})
			fill(ctx, "a", "6")
			high(ctx, 4)
			Expect(leaving(read(ctx, l))).To(Equal(modes{"a": policyv1alpha1.PurgeModeDirectly}), "no two copies of it run")
		})

		It("moves one with the state with which its Work has it healthy, although the binding has not been told", func(ctx SpecContext) {
			job := policyv1alpha1.StatePreservationRule{AliasLabelName: "job", JSONPath: "{.jobId}"}
			l := low(ctx, "low", 6, func(b workv1alpha2.Binding) {
				b.GetSpec().Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{
					PurgeMode: policyv1alpha1.PurgeModeDirectly, StatePreservation: &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{job}},
				}}
			})
			change(ctx, l, func(b B) {
				Expect(bindingrules.SetCarriedStates(b, []bindingrules.Carried{{From: "gone", To: name("a"), Gone: true, Copies: 1, Labels: map[string]string{"job": "16"}}})).To(Succeed())
			})
			running.Reports(ctx, l, name("a"), fixture.Gadget(l.GetNamespace(), l.GetName(), nil), `{"jobId":"41"}`)
			fill(ctx, "a", "6")
			high(ctx, 4)
			l = read(ctx, l)
			Expect(targets(l)).To(Equal(counts{"b": 6}))
			Expect(bindingrules.CarriedStates(l)).To(ConsistOf(And(HaveField("From", name("a")), HaveField("Labels", HaveKeyWithValue("job", "41")))))
			Expect(l.GetStatus().AggregatedStatus).To(BeEmpty(), "another controller writes it")
		})

		DescribeTable("moves nothing", func(ctx SpecContext, arrange func(low, high workv1alpha2.Binding)) {
			l := low(ctx, "low", 6)
			fill(ctx, "a", "6")
			change(ctx, l, func(b B) { arrange(b, nil) })
			l = place(ctx, l)
			high(ctx, 4, func(b workv1alpha2.Binding) { arrange(nil, b) })
			Expect(targets(read(ctx, l))).To(Equal(counts{"a": 6}))
			Expect(leaving(read(ctx, l))).To(BeEmpty())
		},
			Entry("of the same priority", func(low, _ workv1alpha2.Binding) {
				if low != nil {
					priority(1000)(low)
				}
			}),
			Entry("if its class has it preempt never", func(_, high workv1alpha2.Binding) {
				if high != nil {
					high.SetAnnotations(map[string]string{workv1alpha2.PreemptionPolicyAnnotation: "Never"})
				}
			}),
			Entry("if its policy has no class", func(_, high workv1alpha2.Binding) {
				if high != nil {
					high.GetSpec().SchedulePriority = nil
				}
			}),
			Entry("whose scheduling is suspended", func(low, _ workv1alpha2.Binding) {
				if low != nil {
					low.GetSpec().Suspension = &workv1alpha2.Suspension{Scheduling: ptr.To(true)}
				}
			}),
			Entry("whose copy stays where it leaves", func(low, _ workv1alpha2.Binding) {
				if low != nil {
					low.GetSpec().Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{PurgeMode: policyv1alpha1.PurgeModeNever}}
				}
			}),
			Entry("without the feature gate", func(low, _ workv1alpha2.Binding) {
				if low != nil {
					Expect(gates.Set("PriorityBasedPreemptiveScheduling=false")).To(Succeed())
				}
			}),
		)
	})
}
