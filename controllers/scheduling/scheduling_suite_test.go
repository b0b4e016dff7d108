// SPDX-License-Identifier: Apache-2.0

package scheduling_test

import (
	"context"
	"encoding/json"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var (
	_ = describeScheduling[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeScheduling[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

// toClusters limits a binding to clusters of the spec.
func toClusters(short ...string) func(workv1alpha2.Binding) {
	return func(b workv1alpha2.Binding) {
		affinity := &policyv1alpha1.ClusterAffinity{ClusterNames: []string{}}
		for _, s := range short {
			affinity.ClusterNames = append(affinity.ClusterNames, name(s))
		}
		b.GetSpec().Placement.ClusterAffinity = affinity
	}
}

// replicas returns a binding replicas of one CPU each, which are packed into few clusters.
func replicas(n int32) func(workv1alpha2.Binding) {
	return func(b workv1alpha2.Binding) {
		s := b.GetSpec()
		s.Replicas = n
		s.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{
			ResourceRequest: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")},
		}
		s.Placement.ReplicaScheduling = &policyv1alpha1.ReplicaSchedulingStrategy{
			ReplicaSchedulingType:     policyv1alpha1.ReplicaSchedulingTypeDivided,
			ReplicaDivisionPreference: policyv1alpha1.ReplicaDivisionPreferenceAggregated,
		}
	}
}

// cpus returns a cluster room.
func cpus(n string) func(*clusterv1alpha1.Cluster) {
	return func(c *clusterv1alpha1.Cluster) {
		c.Status.ResourceSummary = &clusterv1alpha1.ResourceSummary{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(n), corev1.ResourcePods: resource.MustParse("110"),
		}}
	}
}

// describeScheduling are the specs of one kind of binding.
func describeScheduling[B workv1alpha2.Binding](kind string) bool {
	return Describe(kind, func() {
		Context("that fits", func() {
			It("gets its clusters", func(ctx SpecContext) {
				join(ctx, "a")
				join(ctx, "b")
				join(ctx, "c")
				b, _ := decided(ctx, binding[B](ctx, toClusters("a", "c")))
				Expect(targets(b)).To(Equal(map[string]int32{"a": 0, "c": 0}))
			})

			It("gets its replicas divided", func(ctx SpecContext) {
				join(ctx, "a", cpus("2"))
				join(ctx, "b", cpus("5"))
				b, _ := decided(ctx, binding[B](ctx, toClusters("a", "b"), replicas(6)))
				Expect(targets(b)).To(Equal(map[string]int32{"a": 2, "b": 4}))
			})

			It("carries the placement it was placed by", func(ctx SpecContext) {
				join(ctx, "a")
				b, _ := decided(ctx, binding[B](ctx, toClusters("a")))
				applied := policyv1alpha1.Placement{}
				Expect(json.Unmarshal([]byte(b.GetAnnotations()[policyv1alpha1.AppliedPlacementAnnotation]), &applied)).To(Succeed())
				Expect(applied).To(Equal(*b.GetSpec().Placement))
			})

			It("is Scheduled", func(ctx SpecContext) {
				join(ctx, "a")
				b, result := decided(ctx, binding[B](ctx, toClusters("a")))
				Expect(scheduled(b).Status).To(Equal(metav1.ConditionTrue))
				Expect(scheduled(b).Reason).To(Equal("Success"))
				Expect(result).To(Equal(reconcile.Result{}))
			})

			It("has its generation observed, that after the write", func(ctx SpecContext) {
				join(ctx, "a")
				b, _ := decided(ctx, binding[B](ctx, toClusters("a")))
				Expect(b.GetGeneration()).To(Equal(int64(2)), "the targets are the one change")
				Expect(b.GetStatus().SchedulerObservedGeneration).To(Equal(b.GetGeneration()))
				Expect(scheduled(b).ObservedGeneration).To(Equal(b.GetGeneration()))
			})

			It("settles", func(ctx SpecContext) {
				join(ctx, "a")
				once, _ := decided(ctx, binding[B](ctx, toClusters("a")))
				clock.SetTime(clock.Now().Add(time.Hour))
				twice, _ := decided(ctx, once)
				Expect(twice.GetResourceVersion()).To(Equal(once.GetResourceVersion()))
			})

			It("records when it was scheduled last", func(ctx SpecContext) {
				join(ctx, "a")
				b, _ := decided(ctx, binding[B](ctx, toClusters("a")))
				Expect(b.GetStatus().LastScheduledTime.Time).To(BeTemporally("==", clock.Now()))
			})

			It("records it also where another placement moves nothing", func(ctx SpecContext) {
				join(ctx, "a")
				b, _ := decided(ctx, binding[B](ctx, toClusters("a")))
				clock.SetTime(clock.Now().Add(time.Hour))
				change(ctx, b, func(b B) { b.GetSpec().Placement.ClusterAffinity.ExcludeClusters = []string{"nowhere"} })
				b, _ = decided(ctx, b)
				Expect(b.GetStatus().LastScheduledTime.Time).To(BeTemporally("==", clock.Now()))
				clock.SetTime(clock.Now().Add(time.Hour))
				again, _ := decided(ctx, b)
				Expect(again.GetResourceVersion()).To(Equal(b.GetResourceVersion()))
			})

			It("follows what was asked while its scheduling was suspended, once it is not", func(ctx SpecContext) {
				join(ctx, "a", cpus("4"))
				b, _ := decided(ctx, binding[B](ctx, toClusters("a", "b"), replicas(4)))
				join(ctx, "b", cpus("9"))
				change(ctx, b, func(b B) {
					b.GetSpec().Suspension = &workv1alpha2.Suspension{Scheduling: ptr.To(true)}
					b.GetSpec().RescheduleTriggeredAt = ptr.To(metav1.NewTime(clock.Now().Add(time.Minute)))
				})
				clock.SetTime(clock.Now().Add(time.Hour))
				held, _ := decided(ctx, b)
				Expect(targets(held)).To(Equal(map[string]int32{"a": 4}))
				Expect(held.GetStatus().LastScheduledTime).To(Equal(b.GetStatus().LastScheduledTime))
				change(ctx, b, func(b B) { b.GetSpec().Suspension = nil })
				b, _ = decided(ctx, b)
				Expect(targets(b)).To(Equal(map[string]int32{"b": 4}))
				Expect(b.GetStatus().LastScheduledTime.Time).To(BeTemporally("==", clock.Now()))
			})

			It("reports a move in an event, once, and the first placement in none", func(ctx SpecContext) {
				join(ctx, "a")
				join(ctx, "b")
				b, _ := decided(ctx, binding[B](ctx, toClusters("a"), replicas(0)))
				Expect(events.About(b.GetNamespace(), b.GetName())).To(BeEmpty())
				change(ctx, b, func(b B) { toClusters("b")(b) })
				b, _ = decided(ctx, b)
				decided(ctx, b)
				Expect(events.About(b.GetNamespace(), b.GetName())).To(Equal([]string{
					"Normal ScheduleBindingSucceed: Binding has been scheduled successfully. Result: {" + name("b") + ":0}",
					"Normal ClusterLeft: " + name("a") + " is left: the placement of the policy does not match it any more",
				}))
			})

			It("reports in an event that it is placed after it could not be", func(ctx SpecContext) {
				b, _ := decided(ctx, binding[B](ctx, toClusters("a"), replicas(0)))
				join(ctx, "a")
				b, _ = decided(ctx, b)
				Expect(events.About(b.GetNamespace(), b.GetName())).To(ConsistOf(
					HavePrefix("Warning ScheduleBindingFailed"),
					"Normal ScheduleBindingSucceed: Binding has been scheduled successfully. Result: {"+name("a")+":0}",
				))
			})

			It("is observed again after a change that moves nothing", func(ctx SpecContext) {
				join(ctx, "a")
				b, _ := decided(ctx, binding[B](ctx, toClusters("a")))
				clock.SetTime(clock.Now().Add(time.Hour))
				change(ctx, b, func(b B) { b.GetSpec().PropagateDeps = true })
				after, _ := decided(ctx, b)
				Expect(after.GetStatus().SchedulerObservedGeneration).To(Equal(after.GetGeneration()))
				Expect(after.GetStatus().LastScheduledTime).To(Equal(b.GetStatus().LastScheduledTime))
			})

			It("follows its placement", func(ctx SpecContext) {
				join(ctx, "a")
				join(ctx, "b")
				b, _ := decided(ctx, binding[B](ctx, toClusters("a")))
				change(ctx, b, func(b B) { toClusters("b")(b) })
				b, _ = decided(ctx, b)
				Expect(targets(b)).To(HaveKey("b"))
				Expect(targets(b)).To(HaveLen(1))
				Expect(b.GetAnnotations()[policyv1alpha1.AppliedPlacementAnnotation]).To(ContainSubstring(name("b")))
			})

			It("is divided again when somebody asks for it", func(ctx SpecContext) {
				join(ctx, "a", cpus("4"))
				b, _ := decided(ctx, binding[B](ctx, toClusters("a", "b"), replicas(4)))
				Expect(targets(b)).To(Equal(map[string]int32{"a": 4}))
				join(ctx, "b", cpus("9"))
				b, _ = decided(ctx, b)
				Expect(targets(b)).To(Equal(map[string]int32{"a": 4}), "what is placed stays")
				clock.SetTime(clock.Now().Add(time.Hour))
				change(ctx, b, func(b B) {
					b.GetSpec().RescheduleTriggeredAt = ptr.To(metav1.NewTime(clock.Now().Add(-time.Minute)))
				})
				b, _ = decided(ctx, b)
				Expect(targets(b)).To(Equal(map[string]int32{"b": 4}))
				Expect(b.GetStatus().LastScheduledTime.Time).To(BeTemporally("==", clock.Now()), "the wish is fulfilled")
			})

			It("does not go where it is leaving", func(ctx SpecContext) {
				join(ctx, "a")
				join(ctx, "b")
				b, _ := decided(ctx, binding[B](ctx, toClusters("a", "b"), func(b workv1alpha2.Binding) {
					b.GetSpec().GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{{FromCluster: name("a"), Reason: "Test", Producer: "spec"}}
				}))
				Expect(targets(b)).To(Equal(map[string]int32{"b": 0}))
			})
		})

		Context("that fits nowhere", func() {
			It("reports that no cluster fits, and is reconciled again", func(ctx SpecContext) {
				b, result := decided(ctx, binding[B](ctx, toClusters("a")))
				Expect(scheduled(b).Status).To(Equal(metav1.ConditionFalse))
				Expect(scheduled(b).Reason).To(Equal("NoClusterFit"))
				Expect(scheduled(b).Message).To(ContainSubstring("clusters are available"))
				Expect(result.RequeueAfter).To(BeNumerically(">", 0))
			})

			It("reports that there is no room", func(ctx SpecContext) {
				join(ctx, "a", cpus("2"))
				b, _ := decided(ctx, binding[B](ctx, toClusters("a"), replicas(3)))
				Expect(scheduled(b).Reason).To(Equal("Unschedulable"))
				Expect(scheduled(b).Message).To(ContainSubstring("Clusters available replicas 2 are not enough"))
			})

			It("reports that its placement cannot be read", func(ctx SpecContext) {
				join(ctx, "a")
				b, _ := decided(ctx, binding[B](ctx, toClusters("a"), func(b workv1alpha2.Binding) {
					b.GetSpec().Placement.ClusterAffinity.LabelSelector = &metav1.LabelSelector{
						MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "x", Operator: "Like"}},
					}
				}))
				Expect(scheduled(b).Reason).To(Equal("SchedulerError"))
			})

			It("has its generation not observed", func(ctx SpecContext) {
				b, _ := decided(ctx, binding[B](ctx, toClusters("a")))
				Expect(b.GetStatus().SchedulerObservedGeneration).To(BeZero())
				Expect(b.GetStatus().LastScheduledTime).To(BeNil())
			})

			It("stays where it is", func(ctx SpecContext) {
				join(ctx, "a")
				b, _ := decided(ctx, binding[B](ctx, toClusters("a")))
				change(ctx, b, func(b B) { toClusters("nowhere")(b) })
				after, _ := decided(ctx, b)
				Expect(scheduled(after).Reason).To(Equal("NoClusterFit"))
				Expect(targets(after)).To(Equal(map[string]int32{"a": 0}))
				Expect(after.GetAnnotations()).To(Equal(b.GetAnnotations()))
			})

			It("leaves clusters that do not exist", func(ctx SpecContext) {
				join(ctx, "a")
				b, _ := decided(ctx, binding[B](ctx, toClusters("a")))
				change(ctx, b, func(b B) {
					toClusters("nowhere")(b)
					b.GetSpec().Clusters = append(b.GetSpec().Clusters, workv1alpha2.TargetCluster{Name: name("gone")})
				})
				after, _ := decided(ctx, b)
				Expect(scheduled(after).Reason).To(Equal("NoClusterFit"))
				Expect(targets(after)).To(Equal(map[string]int32{"a": 0}))
			})

			It("reports it in an event, once", func(ctx SpecContext) {
				b, _ := decided(ctx, binding[B](ctx, toClusters("a")))
				decided(ctx, b)
				Expect(events.About(b.GetNamespace(), b.GetName())).To(ConsistOf(HavePrefix("Warning ScheduleBindingFailed: 0/")))
			})

			It("settles", func(ctx SpecContext) {
				once, _ := decided(ctx, binding[B](ctx, toClusters("a")))
				clock.SetTime(clock.Now().Add(time.Hour))
				twice, _ := decided(ctx, once)
				Expect(twice.GetResourceVersion()).To(Equal(once.GetResourceVersion()))
			})

			It("goes to a cluster that appears", func(ctx SpecContext) {
				b, _ := decided(ctx, binding[B](ctx, toClusters("a")))
				join(ctx, "a")
				b, _ = decided(ctx, b)
				Expect(targets(b)).To(Equal(map[string]int32{"a": 0}))
				Expect(scheduled(b).Status).To(Equal(metav1.ConditionTrue))
			})
		})

		DescribeTable("is left alone", func(ctx SpecContext, with func(workv1alpha2.Binding)) {
			join(ctx, "a")
			before := binding[B](ctx, toClusters("a"), with)
			after, result := decided(ctx, before)
			Expect(after.GetResourceVersion()).To(Equal(before.GetResourceVersion()))
			Expect(result).To(Equal(reconcile.Result{}))
		},
			Entry("when no policy claims it any more", func(b workv1alpha2.Binding) { b.SetLabels(nil) }),
			Entry("when its scheduling is suspended", func(b workv1alpha2.Binding) {
				b.GetSpec().Suspension = &workv1alpha2.Suspension{Scheduling: ptr.To(true)}
			}),
			Entry("when another scheduler places it", func(b workv1alpha2.Binding) { b.GetSpec().SchedulerName = "another" }),
			Entry("when it is there only because others require it", func(b workv1alpha2.Binding) { b.GetSpec().Placement = nil }),
		)

		It("is left alone when it is being deleted", func(ctx SpecContext) {
			join(ctx, "a")
			b := binding[B](ctx, toClusters("a"), func(b workv1alpha2.Binding) { b.SetFinalizers([]string{"spec.dragoman.io/keep"}) })
			DeferCleanup(func(ctx SpecContext) { change(ctx, b, func(b B) { b.SetFinalizers(nil) }) })
			Expect(hub.Delete(ctx, b)).To(Succeed())
			after, _ := decided(ctx, b)
			Expect(after.GetSpec().Clusters).To(BeEmpty())
		})

		It("is scheduled for another controller that asks for it", func(ctx SpecContext) {
			join(ctx, "a")
			b, _ := decided(ctx, binding[B](ctx, toClusters("a"), func(b workv1alpha2.Binding) {
				b.SetLabels(map[string]string{workv1alpha2.BindingManagedByLabel: "somebody"})
			}))
			Expect(targets(b)).To(HaveKey("a"))
		})

		It("comes again silently when somebody else wrote first", func(ctx SpecContext) {
			join(ctx, "a")
			b := binding[B](ctx, toClusters("a"))
			fixture.CaughtUp(ctx, hub, cached, &clusterv1alpha1.ClusterList{})
			change(ctx, b, func(b B) { b.GetSpec().PropagateDeps = true })
			result, err := controller[B]().Reconcile(ctx, b)
			Expect(err).NotTo(HaveOccurred())
			Expect(result.RequeueAfter).To(BeNumerically(">", 0))
			Expect(read(ctx, b).GetSpec().Clusters).To(BeEmpty())
			Expect(events.About(b.GetNamespace(), b.GetName())).To(BeEmpty())
		})

		Context("that a manager watches", func() {
			BeforeEach(func() { manage[B]() })
			eventually := func(ctx context.Context, b B, want map[string]int32) {
				GinkgoHelper()
				Eventually(func() map[string]int32 { return targets(read(ctx, b)) }).Should(Equal(want))
			}
			fails := func(ctx context.Context, b B) {
				GinkgoHelper()
				Eventually(func() []metav1.Condition { return read(ctx, b).GetStatus().Conditions }).ShouldNot(BeEmpty())
			}

			It("is placed, and then not written any more", func(ctx SpecContext) {
				join(ctx, "a")
				b := binding[B](ctx, toClusters("a"))
				observed := func(b B) {
					GinkgoHelper()
					Eventually(func() int64 { return read(ctx, b).GetStatus().SchedulerObservedGeneration }).Should(Equal(int64(2)))
				}
				observed(b)
				version := read(ctx, b).GetResourceVersion()
				for _, name := range []string{"two", "three"} {
					observed(bindingOf[B](ctx, name, toClusters("a"))) // after what the writes of the first enqueued
				}
				Expect(read(ctx, b).GetResourceVersion()).To(Equal(version))
			})

			It("is placed when a cluster appears", func(ctx SpecContext) {
				b := binding[B](ctx, toClusters("a"))
				fails(ctx, b)
				join(ctx, "a")
				eventually(ctx, b, map[string]int32{"a": 0})
			})

			It("is placed when a cluster has more room", func(ctx SpecContext) {
				a := join(ctx, "a", cpus("1"))
				b := binding[B](ctx, toClusters("a"), replicas(2))
				fails(ctx, b)
				a = read(ctx, a)
				cpus("3")(a)
				Expect(hub.Status().Update(ctx, a)).To(Succeed())
				eventually(ctx, b, map[string]int32{"a": 2})
			})

			It("that leaves its only cluster goes to another once its taint is removed", func(ctx SpecContext) {
				join(ctx, "a")
				b := join(ctx, "b", func(c *clusterv1alpha1.Cluster) {
					c.Spec.Taints = []corev1.Taint{{Key: "reserved", Effect: corev1.TaintEffectNoSchedule}}
				})
				waits := binding[B](ctx, toClusters("a", "b"), func(b workv1alpha2.Binding) {
					b.GetSpec().GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{{FromCluster: name("a"), PurgeMode: "Directly", Reason: "Test", Producer: "spec"}}
				})
				fails(ctx, waits)
				Expect(targets(read(ctx, waits))).To(BeEmpty())
				change(ctx, b, func(c *clusterv1alpha1.Cluster) { c.Spec.Taints = nil })
				eventually(ctx, waits, map[string]int32{"b": 0})
			})

			It("that is placed goes to a cluster that begins to serve its kind, too", func(ctx SpecContext) {
				join(ctx, "a")
				b := join(ctx, "b", func(c *clusterv1alpha1.Cluster) { c.Status.APIEnablements = nil })
				placed := binding[B](ctx, toClusters("a", "b"))
				eventually(ctx, placed, map[string]int32{"a": 0})
				serving := read(ctx, b)
				serving.Status.APIEnablements = fixture.Cluster("", fixture.GadgetKind, fixture.WideGadgetKind).Status.APIEnablements
				Expect(hub.Status().Update(ctx, serving)).To(Succeed())
				eventually(ctx, placed, map[string]int32{"a": 0, "b": 0})
			})

			It("goes when a cluster goes", func(ctx SpecContext) {
				a := join(ctx, "a")
				join(ctx, "b")
				b := binding[B](ctx, toClusters("a", "b"))
				eventually(ctx, b, map[string]int32{"a": 0, "b": 0})
				Expect(hub.Delete(ctx, a)).To(Succeed())
				eventually(ctx, b, map[string]int32{"b": 0})
			})

			It("follows the labels of clusters", func(ctx SpecContext) {
				a := join(ctx, "a")
				b := binding[B](ctx, func(b workv1alpha2.Binding) {
					b.GetSpec().Placement.ClusterAffinity = &policyv1alpha1.ClusterAffinity{
						LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"spec": space}},
					}
				})
				fails(ctx, b)
				change(ctx, a, func(c *clusterv1alpha1.Cluster) { c.Labels = map[string]string{"spec": space} })
				eventually(ctx, b, map[string]int32{"a": 0})
			})
		})
	})
}
