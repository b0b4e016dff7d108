// SPDX-License-Identifier: Apache-2.0

package failover_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/cluster/failover"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/test/fixture"
)

const (
	healthy   = workv1alpha2.ResourceHealthy
	unhealthy = workv1alpha2.ResourceUnhealthy
	unknown   = workv1alpha2.ResourceUnknown
)

var (
	_ = describeEviction[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeEviction[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

type health = map[string]workv1alpha2.ResourceHealth

// describeEviction are the specs of one kind of binding.
func describeEviction[B workv1alpha2.Binding](kind string) bool {
	one := []string{"a"}
	jobID := policyv1alpha1.StatePreservationRule{AliasLabelName: "spec.dragoman.io/job", JSONPath: "{.jobId}"}
	return Describe(kind, func() {
		BeforeEach(func(ctx SpecContext) { join(ctx, "a", "b", "c") })

		Context("in a cluster with a NoExecute taint", func() {
			It("leaves at once if it does not tolerate it", func(ctx SpecContext) {
				b := placed[B](ctx, "one", []string{"a", "b"})
				c := started(ctx, evicting())
				taint(ctx, "a", down())
				evictNext(ctx, c, b, "a")
				b = read(ctx, b)
				Expect(b.GetSpec().Clusters).To(Equal([]workv1alpha2.TargetCluster{{Name: "b", Replicas: 2}}))
				Expect(b.GetSpec().GracefulEvictionTasks).To(Equal([]workv1alpha2.GracefulEvictionTask{{
					FromCluster: "a", PurgeMode: "Gracefully", Replicas: ptr.To[int32](2), Reason: "TaintUntolerated", Producer: "TaintManager",
					ClustersBeforeFailover: []string{"a", "b"},
				}}))
				Expect(b.GetAnnotations()).NotTo(HaveKey(binding.FailedClustersAnnotation), "the application did not fail")
			})

			It("leaves when its toleration is over, and no binding is looked at until then", func(ctx SpecContext) {
				b := placed[B](ctx, "one", one, tolerating(30))
				c := started(ctx, evicting())
				taint(ctx, "a", down())
				Expect(evictNext(ctx, c, b, "a").RequeueAfter).To(Equal(30 * time.Second))
				later(29 * time.Second)
				Expect(look(ctx, c, failover.Next()).RequeueAfter).To(Equal(time.Second))
				Expect(targets(read(ctx, b))).To(Equal(one))
				later(time.Second)
				look(ctx, c, failover.Next())
				Expect(targets(read(ctx, b))).To(BeEmpty())
			})

			It("stays if the taint goes in time", func(ctx SpecContext) {
				b := placed[B](ctx, "one", one, tolerating(30))
				c := started(ctx, evicting())
				taint(ctx, "a", down())
				evictNext(ctx, c, b, "a")
				later(29 * time.Second)
				taint(ctx, "a")
				look(ctx, c, failover.AboutCluster("a"))
				later(time.Hour)
				Expect(look(ctx, c, failover.Next()).RequeueAfter).To(BeZero(), "nothing waits")
				Expect(targets(read(ctx, b))).To(Equal(one))
			})

			It("stays if the taint is gone although no event said so yet", func(ctx SpecContext) {
				b := placed[B](ctx, "one", one, tolerating(30))
				c := started(ctx, evicting())
				taint(ctx, "a", down())
				evictNext(ctx, c, b, "a")
				taint(ctx, "a")
				later(time.Hour)
				look(ctx, c, failover.Next())
				Expect(targets(read(ctx, b))).To(Equal(one))
			})

			It("stays if its tolerations are mended in time", func(ctx SpecContext) {
				b := placed[B](ctx, "one", one, tolerating(30))
				c := started(ctx, evicting())
				taint(ctx, "a", down())
				evictNext(ctx, c, b, "a")
				later(29 * time.Second)
				fixture.Change(ctx, hub, b, func(b B) { tolerating(60)(b.GetSpec()) })
				Expect(evictNext(ctx, c, b, "a").RequeueAfter).To(Equal(31 * time.Second))
				later(31 * time.Second)
				look(ctx, c, failover.Next())
				Expect(targets(read(ctx, b))).To(BeEmpty(), "the new time counts from the taint too")
			})

			It("counts from now if the taint has no time", func(ctx SpecContext) {
				b := placed[B](ctx, "one", one, tolerating(30))
				taint(ctx, "a", corev1.Taint{Key: "down", Effect: corev1.TaintEffectNoExecute}, corev1.Taint{Key: "soft", Effect: corev1.TaintEffectNoSchedule})
				look(ctx, failover.New(depsWith(features.New()), failover.DefaultOptions()), failover.AboutCluster("a"))
				Expect(clusterOf(ctx, "a").Spec.Taints[0].TimeAdded).To(BeNil(), "nothing counts from it without evictions")

				began := clock.Now()
				c := started(ctx, evicting())
				taints := clusterOf(ctx, "a").Spec.Taints
				Expect(taints[0].TimeAdded.Time).To(BeTemporally("==", began))
				Expect(taints[1].TimeAdded).To(BeNil(), "only NoExecute counts from a time")
				later(time.Second)
				look(ctx, c, failover.AboutCluster("a"))
				Expect(clusterOf(ctx, "a").Spec.Taints).To(Equal(taints), "it is written once")
				later(29 * time.Second)
				look(ctx, c, failover.Next())
				Expect(targets(read(ctx, b))).To(BeEmpty())
			})

			It("leaves all of its clusters that are due in one write, and these take as many turns", func(ctx SpecContext) {
				b := placed[B](ctx, "one", []string{"a", "b", "c"}, leaving("Directly"))
				c := started(ctx, evicting())
				generation := read(ctx, b).GetGeneration()
				taint(ctx, "a", down())
				taint(ctx, "b", down())
				look(ctx, c, failover.AboutCluster("a"))
				Expect(evictNext(ctx, c, b, "b").RequeueAfter).To(Equal(200 * time.Millisecond))
				b = read(ctx, b)
				Expect(targets(b)).To(Equal([]string{"c"}))
				Expect(b.GetGeneration()).To(Equal(generation + 1))
				for _, t := range b.GetSpec().GracefulEvictionTasks {
					Expect(t.ClustersBeforeFailover).To(Equal([]string{"a", "b", "c"}))
				}
			})
		})

		Context("whose policy has spec.failover.cluster", func() {
			It("leaves as it says, and its state goes along", func(ctx SpecContext) {
				b := placed[B](ctx, "one", one, leaving("Directly", jobID))
				report(ctx, b, health{"a": healthy}, map[string]any{"jobId": "17"})
				c := started(ctx, evicting())
				taint(ctx, "a", down())
				evictNext(ctx, c, b, "a")
				b = read(ctx, b)
				Expect(b.GetSpec().GracefulEvictionTasks).To(HaveLen(1))
				task := b.GetSpec().GracefulEvictionTasks[0]
				Expect(task.PurgeMode).To(BeEquivalentTo("Directly"))
				Expect(task.PreservedLabelState).To(Equal(map[string]string{"spec.dragoman.io/job": "17"}))
				Expect(binding.CarriedStates(b)).To(ConsistOf(HaveField("From", "a")), "the state outlives the task")
			})

			It("takes the state along with which its Work has it healthy, although the binding has not been told", func(ctx SpecContext) {
				b := placed[B](ctx, "one", one, leaving("Directly", jobID))
				fixture.Change(ctx, hub, b, func(b B) {
					Expect(binding.SetCarriedStates(b, []binding.Carried{{From: "b", To: "a", Gone: true, Copies: 1, Labels: map[string]string{jobID.AliasLabelName: "16"}}})).To(Succeed())
				})
				report(ctx, b, health{"a": unhealthy}, map[string]any{"jobId": "17"})
				running.Reports(ctx, b, "a", fixture.Gadget(space, "one", nil), `{"jobId":"41"}`)
				c := started(ctx, evicting())
				taint(ctx, "a", down())
				evictNext(ctx, c, b, "a")
				b = read(ctx, b)
				Expect(b.GetSpec().GracefulEvictionTasks).To(HaveLen(1))
				Expect(b.GetSpec().GracefulEvictionTasks[0].PreservedLabelState).To(HaveKeyWithValue(jobID.AliasLabelName, "41"))
				Expect(binding.CarriedStates(b)).To(ConsistOf(And(HaveField("From", "a"), HaveField("Labels", HaveKeyWithValue(jobID.AliasLabelName, "41")))))
				Expect(b.GetStatus().AggregatedStatus).To(ConsistOf(HaveField("Health", unhealthy)), "another controller writes it")
			})

			It("takes the state along that its copy has since its cluster refuses an update", func(ctx SpecContext) {
				b := placed[B](ctx, "one", one, leaving("Directly", jobID))
				report(ctx, b, health{"a": healthy}, map[string]any{"jobId": "17"})
				running.Reports(ctx, b, "a", fixture.Gadget(space, "one", nil), `{"jobId":"41"}`)
				running.Refuses(ctx, b, "a")
				c := started(ctx, evicting())
				taint(ctx, "a", down())
				evictNext(ctx, c, b, "a")
				Expect(binding.CarriedStates(read(ctx, b))).To(ConsistOf(And(HaveField("From", "a"), HaveField("Labels", HaveKeyWithValue(jobID.AliasLabelName, "41")))))
			})

			It("stays while its state cannot be collected, says so, and others go on", func(ctx SpecContext) {
				b := placed[B](ctx, "one", one, leaving("Directly", jobID), prioritized(9))
				report(ctx, b, health{"a": unknown}, nil)
				other := placed[B](ctx, "other", one)
				c := started(ctx, evicting())
				taint(ctx, "a", down())
				Expect(evictNext(ctx, c, b, "a").RequeueAfter).To(Equal(time.Millisecond), "the turn was not taken")
				look(ctx, c, failover.Next())
				Expect(targets(read(ctx, other))).To(BeEmpty())
				Expect(targets(read(ctx, b))).To(Equal(one))
				Expect(events.About(b.GetNamespace(), b.GetName())).To(ConsistOf(And(
					HavePrefix("Warning EvictWorkloadFromClusterFailed: keep the state of cluster a: statePreservation.rules[0]"), ContainSubstring("{.jobId}"))))

				report(ctx, b, health{"a": unknown}, map[string]any{"jobId": "17"})
				later(time.Second)
				look(ctx, c, failover.Next())
				Expect(targets(read(ctx, b))).To(BeEmpty())
			})
		})

		Context("without spec.failover.cluster", func() {
			It("leaves as the control plane does, without state", func(ctx SpecContext) {
				b := placed[B](ctx, "one", one)
				report(ctx, b, health{"a": healthy}, map[string]any{"jobId": "17", "progress": "42"})
				c := started(ctx, evicting(func(o *failover.Options) { o.PurgeMode = "Immediately" }))
				taint(ctx, "a", down())
				evictNext(ctx, c, b, "a")
				task := read(ctx, b).GetSpec().GracefulEvictionTasks[0]
				Expect(task.PurgeMode).To(BeEquivalentTo("Directly"))
				Expect(task.PreservedLabelState).To(BeEmpty())
				Expect(task.PreservedState).To(BeEmpty())
			})
		})

		Context("that nothing would place again", func() {
			It("stays", func(ctx SpecContext) {
				b := placed[B](ctx, "one", one)
				fixture.Change(ctx, hub, b, func(b B) { b.SetLabels(nil) })
				c := started(ctx, evicting())
				taint(ctx, "a", down())
				evictNext(ctx, c, b, "a")
				Expect(targets(read(ctx, b))).To(Equal(one))
			})
		})

		Context("whose taint goes while it moves", func() {
			moving := func(ctx SpecContext, mode policyv1alpha1.PurgeMode, o failover.Options, to ...string) (B, *failover.Controller) {
				b := placed[B](ctx, "one", one, leaving(mode))
				c := started(ctx, o)
				taint(ctx, "a", down())
				evictNext(ctx, c, b, "a")
				fixture.Change(ctx, hub, b, func(b B) { b.GetSpec().Clusters = fixture.Targets(to...) })
				Expect(read(ctx, b).GetSpec().GracefulEvictionTasks).To(HaveLen(1))
				return b, c
			}

			It("returns while the old copy is healthy and the new one is not yet", func(ctx SpecContext) {
				b, c := moving(ctx, "Gracefully", evicting(), "b")
				report(ctx, b, health{"a": healthy, "b": unhealthy}, nil)
				look(ctx, c, failover.AboutBinding(clientKey(b)))
				Expect(targets(read(ctx, b))).To(Equal([]string{"b"}), "the taint is there")
				taint(ctx, "a")
				look(ctx, c, failover.AboutCluster("a"))
				b = read(ctx, b)
				Expect(b.GetSpec().Clusters).To(Equal([]workv1alpha2.TargetCluster{{Name: "a", Replicas: 2}}))
				Expect(b.GetSpec().GracefulEvictionTasks).To(BeEmpty())
				Expect(events.About(b.GetNamespace(), b.GetName())).To(ContainElement(HavePrefix("Normal EvictWorkloadFromClusterReverted: The taint of cluster a is gone")))
			})

			It("returns once the old copy is reported healthy", func(ctx SpecContext) {
				b, c := moving(ctx, "Gracefully", evicting(), "b")
				taint(ctx, "a")
				look(ctx, c, failover.AboutCluster("a"))
				Expect(targets(read(ctx, b))).To(Equal([]string{"b"}), "nobody knows how the old copy is")
				report(ctx, b, health{"a": healthy}, nil)
				look(ctx, c, failover.AboutBinding(clientKey(b)))
				Expect(targets(read(ctx, b))).To(Equal(one))
			})

			It("goes on if the new copy is healthy", func(ctx SpecContext) {
				b, c := moving(ctx, "Gracefully", evicting(), "b")
				report(ctx, b, health{"a": healthy, "b": healthy}, nil)
				taint(ctx, "a")
				look(ctx, c, failover.AboutCluster("a"))
				Expect(targets(read(ctx, b))).To(Equal([]string{"b"}))
			})

			It("goes on under Directly, which removes the old copy", func(ctx SpecContext) {
				b, c := moving(ctx, "Directly", evicting(), "b")
				report(ctx, b, health{"a": healthy}, nil)
				taint(ctx, "a")
				look(ctx, c, failover.AboutCluster("a"))
				Expect(targets(read(ctx, b))).To(Equal([]string{"b"}))
			})

			It("returns if it had nowhere to go, also under Directly, and by a controller that evicts nothing any more", func(ctx SpecContext) {
				b, _ := moving(ctx, "Directly", evicting())
				taint(ctx, "a")
				look(ctx, failover.New(depsWith(features.New()), failover.DefaultOptions()), failover.AboutBinding(clientKey(b)))
				Expect(targets(read(ctx, b))).To(Equal(one))
			})

			It("goes on if the cluster still keeps new objects away", func(ctx SpecContext) {
				b, c := moving(ctx, "Gracefully", evicting())
				taint(ctx, "a", corev1.Taint{Key: "cluster.karmada.io/not-ready", Effect: corev1.TaintEffectNoSchedule})
				look(ctx, c, failover.AboutCluster("a"))
				Expect(targets(read(ctx, b))).To(BeEmpty())
			})

			It("goes on while the taint is there whose time of toleration is over, with a new copy or none", func(ctx SpecContext) {
				b := placed[B](ctx, "one", one, leaving("Gracefully"), tolerating(30))
				c := started(ctx, evicting())
				taint(ctx, "a", down())
				evictNext(ctx, c, b, "a")
				later(30 * time.Second)
				look(ctx, c, failover.Next())
				Expect(targets(read(ctx, b))).To(BeEmpty())
				look(ctx, c, failover.AboutBinding(clientKey(b)))
				Expect(targets(read(ctx, b))).To(BeEmpty(), "there is no new copy")
				fixture.Change(ctx, hub, b, func(b B) { b.GetSpec().Clusters = fixture.Targets("b") })
				report(ctx, b, health{"a": healthy, "b": unhealthy}, nil)
				look(ctx, c, failover.AboutBinding(clientKey(b)))
				Expect(targets(read(ctx, b))).To(Equal([]string{"b"}))
				Expect(events.About(b.GetNamespace(), b.GetName())).To(BeEmpty())
			})

			It("goes on if the policy does not want the cluster any more", func(ctx SpecContext) {
				b, c := moving(ctx, "Gracefully", evicting())
				fixture.Change(ctx, hub, b, func(b B) {
					b.GetSpec().Placement.ClusterAffinity = &policyv1alpha1.ClusterAffinity{ClusterNames: []string{"b", "c"}}
				})
				taint(ctx, "a")
				look(ctx, c, failover.AboutCluster("a"))
				Expect(targets(read(ctx, b))).To(BeEmpty())
			})
		})

		Context("of a control plane that evicts nothing", func() {
			It("stays", func(ctx SpecContext) {
				gates := features.New()
				Expect(gates.SetFromMap(map[string]bool{string(features.Failover): false})).To(Succeed())
				b := placed[B](ctx, "one", one)
				taint(ctx, "a", down())
				for _, c := range []*failover.Controller{
					failover.New(depsWith(features.New()), failover.DefaultOptions()), failover.New(depsWith(gates), evicting()),
				} {
					evictNext(ctx, c, b, "a")
					later(time.Hour)
					look(ctx, c, failover.Next())
				}
				Expect(targets(read(ctx, b))).To(Equal(one))
			})
		})
	})
}
