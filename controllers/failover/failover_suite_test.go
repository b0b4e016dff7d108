// SPDX-License-Identifier: Apache-2.0

package failover_test

import (
	"context"
	"errors"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/failover"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

const (
	healthy   = workv1alpha2.ResourceHealthy
	unhealthy = workv1alpha2.ResourceUnhealthy
	unknown   = workv1alpha2.ResourceUnknown
)

var (
	_ = describeFailover[*workv1alpha2.ResourceBinding]("a ResourceBinding", workv1alpha2.EvictionProducerApplicationFailover)
	_ = describeFailover[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding", workv1alpha2.EvictionProducerClusterApplicationFailover)
)

// progress is the status of a gadget that has state.
func progress(p string) map[string]any { return map[string]any{"progress": p, "jobId": "17"} }

// describeFailover are the specs of one kind of binding.
func describeFailover[B workv1alpha2.Binding](kind, producer string) bool {
	one := []string{"a"}
	return Describe(kind, func() {
		Context("that becomes unhealthy", func() {
			It("remembers since when, and is looked at when its time is up", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one)
				report(ctx, b, "a", unhealthy, nil)
				b, result := reconciled(ctx, b)
				Expect(since(b)).To(Equal(map[string]time.Time{"a": clock.Now()}))
				Expect(result.RequeueAfter).To(Equal(time.Minute))
				Expect(clusters(b)).To(Equal(one))
			})

			It("is not written again while it stays so", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one)
				report(ctx, b, "a", unhealthy, nil)
				once, _ := reconciled(ctx, b)
				later(20 * time.Second)
				twice, result := reconciled(ctx, b)
				Expect(twice.GetResourceVersion()).To(Equal(once.GetResourceVersion()))
				Expect(result.RequeueAfter).To(Equal(40 * time.Second))
			})

			It("has its time go on over a restart of the controller", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one)
				report(ctx, b, "a", unhealthy, nil)
				reconciled(ctx, b) // each look is by a new controller
				later(time.Minute)
				b, _ = reconciled(ctx, b)
				Expect(clusters(b)).To(BeEmpty())
			})

			It("has its time go on while its health is unknown", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one)
				report(ctx, b, "a", unhealthy, nil)
				reconciled(ctx, b)
				later(30 * time.Second)
				report(ctx, b, "a", unknown, nil)
				reconciled(ctx, b)
				later(30 * time.Second)
				report(ctx, b, "a", unhealthy, nil)
				b, _ = reconciled(ctx, b)
				Expect(clusters(b)).To(BeEmpty())
			})

			It("has a new time after it was healthy", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one)
				report(ctx, b, "a", unhealthy, nil)
				reconciled(ctx, b)
				later(59 * time.Second)
				report(ctx, b, "a", healthy, nil)
				b, _ = reconciled(ctx, b)
				Expect(since(b)).To(BeNil())
				later(time.Second)
				report(ctx, b, "a", unhealthy, nil)
				b, result := reconciled(ctx, b)
				Expect(clusters(b)).To(Equal(one))
				Expect(result.RequeueAfter).To(Equal(time.Minute))
			})

			It("is evicted at once with a toleration of 0", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one, tolerating(0))
				report(ctx, b, "a", unhealthy, nil)
				b, _ = reconciled(ctx, b)
				Expect(clusters(b)).To(BeEmpty())
				Expect(since(b)).To(BeNil())
			})

			It("stays where its kind has no script for health", func(ctx SpecContext) {
				o := fixture.Object(corev1.SchemeGroupVersion.WithKind("Secret"), space, "plain", nil)
				if scope.IsWideBinding[B]() {
					o = fixture.Object(admissionregistrationv1.SchemeGroupVersion.WithKind("ValidatingWebhookConfiguration"), "", space, nil)
				}
				b := bound[B](ctx, o, one, tolerating(0))
				report(ctx, b, "a", unhealthy, nil)
				b, _ = reconciled(ctx, b)
				Expect(clusters(b)).To(Equal(one))
			})

			It("stays when it is being deleted", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one, tolerating(0))
				change(ctx, b, func(b B) { b.SetFinalizers([]string{"spec.dragoman.io/keep"}) })
				report(ctx, b, "a", unhealthy, nil)
				Expect(hub.Delete(ctx, b)).To(Succeed())
				after, _ := reconciled(ctx, b)
				change(ctx, b, func(b B) { b.SetFinalizers(nil) })
				Expect(clusters(after)).To(Equal(one))
			})
		})

		Context("for which no cluster is chosen", func() {
			It("stays while scheduling is suspended, since nothing would replace the copy, and leaves once it is not", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one, tolerating(0))
				change(ctx, b, func(b B) { b.GetSpec().Suspension = &workv1alpha2.Suspension{Scheduling: new(true)} })
				report(ctx, b, "a", unhealthy, nil)
				b, _ = reconciled(ctx, b)
				Expect(clusters(b)).To(Equal(one))
				Expect(since(b)).To(HaveKey("a"), "its time runs on")
				change(ctx, b, func(b B) { b.GetSpec().Suspension = nil })
				b, _ = reconciled(ctx, b)
				Expect(clusters(b)).To(BeEmpty())
			})

			It("stays where its policy is deleted", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one, tolerating(0))
				change(ctx, b, func(b B) { b.SetLabels(nil) })
				report(ctx, b, "a", unhealthy, nil)
				b, _ = reconciled(ctx, b)
				Expect(clusters(b)).To(Equal(one))
			})
		})

		Context("whose policy wants no failover any more", func() {
			It("stays, and forgets since when it was unhealthy", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one)
				report(ctx, b, "a", unhealthy, nil)
				reconciled(ctx, b)
				change(ctx, b, func(b B) { b.GetSpec().Failover = nil })
				later(time.Hour)
				b, _ = reconciled(ctx, b)
				Expect(clusters(b)).To(Equal(one))
				Expect(since(b)).To(BeNil())
			})

			It("is reconciled by a watch", func(ctx SpecContext) {
				stop, err := running.Manage(map[client.Object]cache.ByObject{
					&workv1alpha2.ResourceBinding{}: {Namespaces: map[string]cache.Config{space: {}}},
				}, func(ctx context.Context, mgr ctrl.Manager) error {
					return failover.New[B](base.Deps{
						Client: mgr.GetClient(), Templates: templates.New(mgr.GetCache()), Interpreter: rules, Gates: features.New(),
						Clock: clock, Events: events,
					}).Register(ctx, mgr)
				})
				Expect(err).NotTo(HaveOccurred())
				DeferCleanup(func() { Expect(stop()).To(Succeed()) })
				b := bound[B](ctx, gadget[B](nil), one)
				report(ctx, b, "a", unhealthy, nil)
				Eventually(func() any { return since(read(ctx, b)) }).ShouldNot(BeNil())
				change(ctx, b, func(b B) { b.GetSpec().Failover = nil })
				Eventually(func() any { return since(read(ctx, b)) }).Should(BeNil())
			})
		})

		Context("that is evicted", func() {
			DescribeTable("has a task with purge mode and grace period", func(ctx SpecContext, with func(*policyv1alpha1.ApplicationFailoverBehavior), want workv1alpha2.GracefulEvictionTask) {
				b := bound[B](ctx, gadget[B](nil), one, tolerating(0), with)
				report(ctx, b, "a", unhealthy, nil)
				b, _ = reconciled(ctx, b)
				want.FromCluster, want.Replicas = "a", ptr.To[int32](2)
				want.Reason, want.Producer = "ApplicationFailure", producer
				Expect(tasks(b)).To(Equal(map[string]workv1alpha2.GracefulEvictionTask{"a": want}))
			},
				Entry("Directly", mode("Directly"), workv1alpha2.GracefulEvictionTask{PurgeMode: "Directly"}),
				Entry("Immediately, the old name of Directly", mode("Immediately"), workv1alpha2.GracefulEvictionTask{PurgeMode: "Directly"}),
				Entry("Gracefully, with its grace period", func(b *policyv1alpha1.ApplicationFailoverBehavior) {
					b.PurgeMode, b.GracePeriodSeconds = "Gracefully", ptr.To[int32](30)
				}, workv1alpha2.GracefulEvictionTask{PurgeMode: "Gracefully", GracePeriodSeconds: ptr.To[int32](30)}),
				Entry("Graciously, the old name of Gracefully", func(b *policyv1alpha1.ApplicationFailoverBehavior) {
					b.PurgeMode, b.GracePeriodSeconds = "Graciously", ptr.To[int32](30)
				}, workv1alpha2.GracefulEvictionTask{PurgeMode: "Gracefully", GracePeriodSeconds: ptr.To[int32](30)}),
				Entry("Never, until the user confirms", mode("Never"),
					workv1alpha2.GracefulEvictionTask{PurgeMode: "Never", SuppressDeletion: ptr.To(true)}),
			)

			It("is written once", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one, tolerating(0))
				report(ctx, b, "a", unhealthy, nil)
				before := read(ctx, b)
				once, _ := reconciled(ctx, b)
				twice, result := reconciled(ctx, b)
				Expect(twice.GetResourceVersion()).To(Equal(once.GetResourceVersion()))
				Expect(result).To(Equal(reconcile.Result{}))
				By("a look at what the cache had before, too")
				result, err := controller[B](features.New()).Reconcile(ctx, before)
				Expect(err).NotTo(HaveOccurred())
				Expect(result.RequeueAfter).To(BeNumerically(">", 0))
				Expect(read(ctx, b).GetResourceVersion()).To(Equal(once.GetResourceVersion()))
			})

			It("leaves its healthy copies", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), []string{"a", "b"}, tolerating(0))
				report(ctx, b, "a", unhealthy, nil)
				report(ctx, b, "b", healthy, nil)
				b, _ = reconciled(ctx, b)
				Expect(clusters(b)).To(Equal([]string{"b"}))
			})

			It("needs the gate for other modes than Directly", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one, tolerating(0), mode("Gracefully"))
				report(ctx, b, "a", unhealthy, nil)
				b, _, err := reconcileOnce(ctx, b, without(features.GracefulEviction))
				Expect(errors.Is(err, reconcile.TerminalError(nil))).To(BeTrue(), "a retry does not help: %v", err)
				Expect(clusters(b)).To(Equal(one))
			})

			It("needs no gate for Directly", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one, tolerating(0))
				report(ctx, b, "a", unhealthy, nil)
				b, _, err := reconcileOnce(ctx, b, without(features.GracefulEviction))
				Expect(err).NotTo(HaveOccurred())
				Expect(clusters(b)).To(BeEmpty())
			})
		})

		Context("that has state", func() {
			It("takes along what the rules and the script name, and where it was", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one, tolerating(0), keeps("job", "{.jobId}"))
				report(ctx, b, "a", unhealthy, progress("42"))
				b, _ = reconciled(ctx, b)
				task := tasks(b)["a"]
				Expect(task.PreservedLabelState).To(Equal(map[string]string{"job": "17"}))
				Expect(task.PreservedState).To(Equal(map[string]string{fixture.StateKey: "42"}))
				Expect(task.ClustersBeforeFailover).To(Equal(one))
			})

			It("takes along what the script names without any rule", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one, tolerating(0))
				report(ctx, b, "a", unhealthy, progress("42"))
				b, _ = reconciled(ctx, b)
				Expect(tasks(b)["a"].PreservedState).To(Equal(map[string]string{fixture.StateKey: "42"}))
				Expect(tasks(b)["a"].PreservedLabelState).To(BeEmpty())
			})

			It("takes nothing along with the gate off, and is not held up", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one, tolerating(0), keeps("job", "{.missing}"))
				report(ctx, b, "a", unhealthy, progress("42"))
				b, _, err := reconcileOnce(ctx, b, without(features.StatefulFailoverInjection))
				Expect(err).NotTo(HaveOccurred())
				Expect(tasks(b)["a"].PreservedLabelState).To(BeEmpty())
				Expect(tasks(b)["a"].PreservedState).To(BeEmpty())
				Expect(tasks(b)["a"].ClustersBeforeFailover).To(BeEmpty())
			})

			It("takes the state from before along when the next copy was never healthy", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), []string{"b"}, tolerating(0), keeps("job", "{.jobId}"))
				change(ctx, b, func(b B) {
					b.GetSpec().GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{{
						FromCluster: "a", PurgeMode: "Directly", Reason: "ApplicationFailure", Producer: producer,
						PreservedLabelState: map[string]string{"job": "16"}, PreservedState: map[string]string{fixture.StateKey: "40"},
					}}
				})
				report(ctx, b, "b", unhealthy, progress("0"))
				b, _ = reconciled(ctx, b)
				Expect(b.GetSpec().GracefulEvictionTasks).To(HaveLen(2))
				Expect(b.GetSpec().GracefulEvictionTasks[1].FromCluster).To(Equal("b"), "the last task counts")
				Expect(tasks(b)["b"].PreservedLabelState).To(Equal(map[string]string{"job": "16"}))
				Expect(tasks(b)["b"].PreservedState).To(Equal(map[string]string{fixture.StateKey: "40"}))
			})
		})

		It("has a new time after it was healthy, also where only its Work has that yet", func(ctx SpecContext) {
			b := bound[B](ctx, gadget[B](nil), []string{"b"})
			report(ctx, b, "b", unhealthy, nil)
			reconciled(ctx, b)
			running.Reports(ctx, b, "b", gadget[B](nil), `{"jobId":"41"}`)
			later(time.Minute)
			b, _ = reconciled(ctx, b)
			Expect(clusters(b)).To(ConsistOf("b"), "it was healthy, and nobody knows for how long it is not")
			Expect(since(b)).To(BeNil())
		})

		Context("whose state is large", func() {
			// holding has the copy in a report a state of so many bytes.
			holding := func(ctx context.Context, bytes int) B {
				b := bound[B](ctx, gadget[B](nil), one, tolerating(0), mode("Directly"))
				report(ctx, b, "a", unhealthy, progress("0"))
				before := read(ctx, b)
				after := before.DeepCopyObject().(B)
				after.GetStatus().AggregatedStatus[0].State = map[string]string{"of": strings.Repeat("x", bytes)}
				Expect(hub.Status().Patch(ctx, after, client.MergeFrom(client.Object(before)))).To(Succeed())
				return b
			}

			It("stays where it is larger than what is carried over, and reports the cluster and the size", func(ctx SpecContext) {
				b := holding(ctx, 40<<10)
				b, _, err := reconcileOnce(ctx, b, features.New())
				Expect(err).To(HaveOccurred(), "it is tried again")
				Expect(clusters(b)).To(Equal(one))
				said := ConsistOf("Warning EvictWorkloadFromClusterFailed: Evict from cluster a failed.",
					HavePrefix("Warning StatePreservationFailed: the state of cluster a is 40.1 KiB, and at most 32.0 KiB are carried over; "))
				Expect(eventsAbout(b)).To(said)
				Expect(events.About(b.GetSpec().Resource.Namespace, b.GetSpec().Resource.Name)).To(said)
			})

			It("has the oldest state dropped that does not fit beside it, and reports it", func(ctx SpecContext) {
				b := holding(ctx, 12<<10)
				change(ctx, b, func(b B) {
					var all []binding.Carried
					for i, from := range []string{"x", "y", "z"} {
						all = append(all, binding.Carried{
							From: from, Gone: true, Time: metav1.NewTime(clock.Now().Add(time.Duration(i-5) * time.Minute)), Others: []string{"a"},
							Values: map[string]string{"of": strings.Repeat("x", 30<<10)},
						})
					}
					Expect(binding.SetCarriedStates(b, all)).To(Succeed())
				})
				b, _ = reconciled(ctx, b)
				var left []string
				for _, c := range binding.CarriedStates(b) {
					left = append(left, c.From)
				}
				Expect(left).To(ConsistOf("y", "z", "a"))
				Expect(eventsAbout(b)).To(ConsistOf(HavePrefix("Warning StatePreservationIncomplete: the state of cluster x (30.1 KiB) is dropped: ")))
			})
		})

		Context("whose state is missing", func() {
			It("stays, and reports the rule and what was probably meant", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one, tolerating(0), keeps("job", "{ .jobID }"))
				report(ctx, b, "a", unhealthy, map[string]any{"jobId": "17"})
				b, _, err := reconcileOnce(ctx, b, features.New())
				Expect(err).To(HaveOccurred(), "it is tried again")
				Expect(clusters(b)).To(Equal(one))
				said := ConsistOf("Warning EvictWorkloadFromClusterFailed: Evict from cluster a failed.", And(
					HavePrefix("Warning StatePreservationFailed: keep the state of cluster a: "),
					ContainSubstring("rules[0] (job, { .jobID })"), ContainSubstring("did you mean { .jobId }?")))
				Expect(eventsAbout(b)).To(said)
				Expect(events.About(b.GetSpec().Resource.Namespace, b.GetSpec().Resource.Name)).To(said)
			})

			It("has its time go on meanwhile", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one, tolerating(0), keeps("job", "{.jobId}"))
				report(ctx, b, "a", unhealthy, nil)
				began := clock.Now()
				b, _, err := reconcileOnce(ctx, b, features.New())
				Expect(err).To(HaveOccurred())
				Expect(since(b)).To(Equal(map[string]time.Time{"a": began}))
			})

			It("goes once it is there", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one, tolerating(0), keeps("job", "{.jobId}"))
				report(ctx, b, "a", unhealthy, nil)
				_, _, err := reconcileOnce(ctx, b, features.New())
				Expect(err).To(HaveOccurred())
				report(ctx, b, "a", unhealthy, progress("42"))
				b, _ = reconciled(ctx, b)
				Expect(clusters(b)).To(BeEmpty())
			})

			It("moves if the script names the state instead, and reports it", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), one, tolerating(0), keeps("job", "{.missing}"))
				report(ctx, b, "a", unhealthy, progress("42"))
				b, _ = reconciled(ctx, b)
				Expect(tasks(b)["a"].PreservedState).To(Equal(map[string]string{fixture.StateKey: "42"}))
				Expect(eventsAbout(b)).To(ConsistOf(HavePrefix("Warning StatePreservationIncomplete: ")))
			})

			It("moves if the rules name the state and only the script fails", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](map[string]any{"broken": true}), one, tolerating(0), keeps("job", "{.jobId}"))
				report(ctx, b, "a", unhealthy, progress("42"))
				b, _ = reconciled(ctx, b)
				Expect(tasks(b)["a"].PreservedLabelState).To(Equal(map[string]string{"job": "17"}))
				Expect(eventsAbout(b)).To(ConsistOf(ContainSubstring("the gadget is broken")))
			})

			It("stays if the script fails and nothing else names the state", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](map[string]any{"broken": true}), one, tolerating(0))
				report(ctx, b, "a", unhealthy, progress("42"))
				b, _, err := reconcileOnce(ctx, b, features.New())
				Expect(err).To(MatchError(ContainSubstring("the gadget is broken")))
				Expect(clusters(b)).To(Equal(one))
			})

			It("stays while the script is not compiled yet, even if the rules name the state", func(ctx SpecContext) {
				object := gadget[B](nil)
				cr := suite.Customization("c", object.GroupVersionKind(), configv1alpha1.CustomizationRules{StateInterpretation: &configv1alpha1.Script{LuaScript: "x"}})
				Expect(rules.Set(engine.Customizations, engine.Pending(cr))).To(Succeed())
				DeferCleanup(func() { rules.Remove(engine.Customizations, "c") })
				b := bound[B](ctx, object, one, tolerating(0), keeps("job", "{.jobId}"))
				report(ctx, b, "a", unhealthy, progress("42"))
				b, _, err := reconcileOnce(ctx, b, features.New())
				Expect(err).To(MatchError(ContainSubstring("customization c is not compiled yet")))
				Expect(clusters(b)).To(Equal(one))
			})

			It("does not hold up its other clusters", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), []string{"a", "b"}, tolerating(0), keeps("job", "{.jobId}"))
				report(ctx, b, "a", unhealthy, nil)
				report(ctx, b, "b", unhealthy, progress("42"))
				b, _, err := reconcileOnce(ctx, b, features.New())
				Expect(err).To(HaveOccurred())
				Expect(clusters(b)).To(Equal(one))
				Expect(tasks(b)).To(HaveKey("b"))
			})

			It("does not keep the time of its other clusters from running", func(ctx SpecContext) {
				b := bound[B](ctx, gadget[B](nil), []string{"a", "b"}, keeps("job", "{.jobId}"))
				report(ctx, b, "a", unhealthy, nil)
				reconciled(ctx, b)
				later(time.Minute)
				report(ctx, b, "b", unhealthy, progress("42"))
				b, result := reconciled(ctx, b)
				Expect(since(b)).To(HaveKeyWithValue("b", clock.Now()))
				Expect(result.RequeueAfter).To(Equal(time.Minute), "the other one is waited for")
			})
		})
	})
}
