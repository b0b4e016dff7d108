// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

const (
	healthy   = workv1alpha2.ResourceHealthy
	unhealthy = workv1alpha2.ResourceUnhealthy
)

// writes counts the requests of a client that write bindings.
type writes struct {
	client.Client
	bindings, statuses int
}

func (w *writes) Patch(ctx context.Context, o client.Object, p client.Patch, options ...client.PatchOption) error {
	if _, ok := o.(workv1alpha2.Binding); ok {
		w.bindings++
	}
	return w.Client.Patch(ctx, o, p, options...)
}

func (w *writes) Status() client.SubResourceWriter { return statusWrites{w.Client.Status(), w} }

type statusWrites struct {
	client.SubResourceWriter
	by *writes
}

func (s statusWrites) Patch(ctx context.Context, o client.Object, p client.Patch, options ...client.SubResourcePatchOption) error {
	if _, ok := o.(workv1alpha2.Binding); ok {
		s.by.statuses++
	}
	return s.SubResourceWriter.Patch(ctx, o, p, options...)
}

// stateful returns an interpreter whose script names status.path of a Deployment as state.
func stateful() *engine.Interpreter {
	return fixture.Answering(deployments, engine.InterpretState, `function GetState(o) return { path = kube.get(o, "status.path") } end`)
}

// newJob makes a template whose policy preserves status.jobId by a rule, in the clusters a
// and b, where it is healthy.
func newJob(ctx context.Context, rules ...policyv1alpha1.StatePreservationRule) *sum {
	GinkgoHelper()
	s := newSum(ctx, stateful(), spaced)
	if rules == nil {
		rules = []policyv1alpha1.StatePreservationRule{{AliasLabelName: "job", JSONPath: "{.jobId}"}}
	}
	s.change(ctx, func(spec *workv1alpha2.ResourceBindingSpec) {
		spec.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{
			StatePreservation: &policyv1alpha1.StatePreservation{Rules: rules},
		}}
	})
	for _, cluster := range []string{"a", "b"} {
		s.report(ctx, cluster, metav1.ConditionTrue, healthy, `{"jobId":"17","path":"/x"}`)
	}
	s.up(ctx)
	s.pass(time.Minute)
	return s
}

// change changes the spec of the binding.
func (s *sum) change(ctx context.Context, by func(*workv1alpha2.ResourceBindingSpec)) {
	GinkgoHelper()
	b := s.read(ctx)
	by(b.GetSpec())
	Expect(hub.Manager.GetClient().Update(ctx, b)).To(Succeed())
}

// kept returns what is kept of a cluster, as "label=value /name=value", and the writes that
// one report took.
func (s *sum) kept(b workv1alpha2.Binding, letter string) string {
	var words []string
	for _, k := range binding.KeptStates(b) {
		if k.Cluster != s.cluster(letter) {
			continue
		}
		for _, l := range k.Labels {
			words = append(words, l.Key+"="+l.Value)
		}
		for key, value := range k.Values {
			words = append(words, "/"+key+"="+value)
		}
	}
	return strings.Join(words, " ")
}

// problem returns the condition StatePreserved in a line.
func problem(b workv1alpha2.Binding) string {
	c := meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.StatePreserved)
	if c == nil {
		return "none"
	}
	return string(c.Status) + " " + c.Reason + " " + c.Message
}

var _ = Describe("The state of copies", func() {
	It("takes no request of its own while they report it", func(ctx SpecContext) {
		s := newJob(ctx)
		*s.writes = writes{Client: s.writes.Client}
		for i := range 3 {
			s.report(ctx, "a", metav1.ConditionTrue, healthy, fmt.Sprintf(`{"jobId":"%d","path":"/y%d"}`, 20+i, i))
			s.up(ctx)
			s.pass(time.Second)
		}
		Expect([]int{s.writes.bindings, s.writes.statuses}).To(Equal([]int{0, 3}))
		Expect(s.read(ctx).GetAnnotations()).NotTo(HaveKey(binding.KeptStateAnnotation))
	})

	It("is kept when a status loses it, with one request, until when it was reported", func(ctx SpecContext) {
		s := newJob(ctx)
		*s.writes = writes{Client: s.writes.Client}
		s.report(ctx, "a", metav1.ConditionTrue, unhealthy, `{"jobId":"","phase":"RECONCILING"}`)
		b := s.up(ctx)
		Expect(s.kept(b, "a")).To(Equal("job=17 /path=/x"))
		Expect(s.kept(b, "b")).To(BeEmpty(), "that one still reports its own")
		Expect([]int{s.writes.bindings, s.writes.statuses}).To(Equal([]int{1, 1}))
		Expect(binding.KeptStates(b)[0].Time.Time).To(BeTemporally("==", s.clock.Now().Truncate(time.Second)))
		Expect(s.items(b)).To(HaveExactElements(HavePrefix(`a true Unhealthy {"jobId":"",`), HavePrefix("b true Healthy ")))

		By("once, whatever else the status loses")
		*s.writes = writes{Client: s.writes.Client}
		s.pass(time.Minute)
		s.report(ctx, "a", metav1.ConditionTrue, unhealthy, `{"phase":"FAILED"}`)
		s.up(ctx)
		s.pass(time.Minute)
		s.report(ctx, "a", metav1.ConditionTrue, unhealthy, "")
		Expect(s.kept(s.up(ctx), "a")).To(Equal("job=17 /path=/x"))
		Expect(s.writes.bindings).To(BeZero())
	})

	It("is kept before the status is written over, so that nothing in between loses it", func(ctx SpecContext) {
		s := newJob(ctx)
		s.report(ctx, "a", metav1.ConditionTrue, unhealthy, `{}`)
		s.writes.Client = failingStatus{s.writes.Client}
		_, err := s.reconcile(ctx, s.read(ctx))
		Expect(err).To(MatchError(ContainSubstring("the spec refuses it")))
		b := s.read(ctx)
		Expect(s.kept(b, "a")).To(Equal("job=17 /path=/x"))
		Expect(s.items(b)).To(ContainElement(ContainSubstring(`"jobId":"17"`)))
	})

	It("that comes and goes with each checkpoint is not kept each time, and delays no health", func(ctx SpecContext) {
		s := newJob(ctx)
		*s.writes = writes{Client: s.writes.Client}
		for i := range 10 {
			s.report(ctx, "a", metav1.ConditionTrue, healthy, fmt.Sprintf(`{"jobId":"%d"}`, 20+i))
			s.settle(ctx, time.Second)
			s.report(ctx, "a", metav1.ConditionTrue, healthy, `{}`)
			s.settle(ctx, time.Second)
		}
		Expect(s.writes.bindings).To(And(BeNumerically(">=", 1), BeNumerically("<=", 3)), "20 s")
		s.report(ctx, "a", metav1.ConditionTrue, healthy, `{"jobId":"40"}`)
		s.settle(ctx, 30*time.Second)
		s.report(ctx, "a", metav1.ConditionTrue, healthy, `{}`)
		s.settle(ctx, time.Second)
		s.report(ctx, "a", metav1.ConditionTrue, healthy, `{"jobId":"41"}`)
		s.settle(ctx, time.Second)
		s.report(ctx, "a", metav1.ConditionTrue, unhealthy, `{}`)
		wrote, _ := s.once(ctx)
		Expect(wrote).To(BeTrue())
		b := s.read(ctx)
		Expect(s.items(b)).To(ContainElement("a true Unhealthy {}"))
		Expect(s.kept(b, "a")).To(HavePrefix("job=41"))
	})

	It("of a cluster without a copy holds up no report when it is dropped", func(ctx SpecContext) {
		s := newJob(ctx)
		w := s.report(ctx, "a", metav1.ConditionTrue, unhealthy, `{}`)
		Expect(s.kept(s.up(ctx), "a")).NotTo(BeEmpty())
		s.change(ctx, func(spec *workv1alpha2.ResourceBindingSpec) { spec.Clusters = spec.Clusters[1:] })
		Expect(hub.Client.Delete(ctx, w)).To(Succeed())
		Eventually(func() bool {
			err := hub.Manager.GetClient().Get(ctx, client.ObjectKeyFromObject(w), w)
			return err != nil || w.DeletionTimestamp != nil
		}).Should(BeTrue(), "the cache has it")
		s.report(ctx, "b", metav1.ConditionTrue, healthy, `{"jobId":"18","path":"/x"}`)
		s.settle(ctx, time.Second)
		Expect(s.items(s.read(ctx))).To(ConsistOf(HavePrefix(`b true Healthy {"jobId":"18"`)))
		Expect(s.kept(s.read(ctx), "a")).NotTo(BeEmpty(), "it was kept a moment ago")
		s.settle(ctx, 10*time.Second)
		Expect(s.kept(s.read(ctx), "a")).To(BeEmpty())
	})

	It("is kept of a copy that is evicted, since it may stay", func(ctx SpecContext) {
		s := newJob(ctx)
		s.change(ctx, func(spec *workv1alpha2.ResourceBindingSpec) {
			spec.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{{FromCluster: s.cluster("a"), PurgeMode: "Directly", Reason: "ApplicationFailure", Producer: "spec"}}
			spec.Clusters = spec.Clusters[1:]
		})
		s.pass(time.Minute)
		s.report(ctx, "a", metav1.ConditionTrue, unhealthy, `{}`)
		Expect(s.kept(s.up(ctx), "a")).To(Equal("job=17 /path=/x"))
	})

	It("is dropped when its copy is gone", func(ctx SpecContext) {
		s := newJob(ctx)
		w := s.report(ctx, "a", metav1.ConditionTrue, unhealthy, `{}`)
		Expect(s.kept(s.up(ctx), "a")).NotTo(BeEmpty())
		s.pass(time.Minute)
		s.change(ctx, func(spec *workv1alpha2.ResourceBindingSpec) { spec.Clusters = spec.Clusters[1:] })
		Expect(hub.Client.Delete(ctx, w)).To(Succeed())
		Eventually(func() string { return s.kept(s.up(ctx), "a") }).Should(BeEmpty())
	})

	It("is newer than what a copy was made with that was healthy, although nobody noted that before it failed", func(ctx SpecContext) {
		s := newJob(ctx)
		b := s.read(ctx)
		Expect(binding.SetCarriedStates(b, []binding.Carried{{From: "gone", To: s.cluster("a"), Labels: map[string]string{"job": "5"}}})).To(Succeed())
		Expect(hub.Manager.GetClient().Update(ctx, b)).To(Succeed())
		s.report(ctx, "a", metav1.ConditionTrue, unhealthy, `{}`)
		b = s.up(ctx)
		Expect(binding.CarriedStates(b)).To(BeEmpty(), "the copy was healthy and took it over")
		Expect(s.kept(b, "a")).To(Equal("job=17 /path=/x"))
	})

	It("is not that of a copy that has yet to take over another", func(ctx SpecContext) {
		s := newJob(ctx)
		s.report(ctx, "a", metav1.ConditionTrue, unhealthy, `{"jobId":"17","path":"/x"}`)
		s.up(ctx)
		s.pass(time.Minute)
		b := s.read(ctx)
		Expect(binding.SetCarriedStates(b, []binding.Carried{{From: "gone", To: s.cluster("a"), Labels: map[string]string{"job": "5"}}})).To(Succeed())
		Expect(hub.Manager.GetClient().Update(ctx, b)).To(Succeed())
		s.report(ctx, "a", metav1.ConditionTrue, unhealthy, `{}`)
		Expect(s.kept(s.up(ctx), "a")).To(BeEmpty())
	})

	It("is kept for no binding whose policy has no failover any more", func(ctx SpecContext) {
		s := newJob(ctx)
		s.report(ctx, "a", metav1.ConditionTrue, unhealthy, `{}`)
		Expect(s.kept(s.up(ctx), "a")).NotTo(BeEmpty())
		s.change(ctx, func(spec *workv1alpha2.ResourceBindingSpec) { spec.Failover = nil })
		s.pass(time.Minute)
		Expect(s.up(ctx).GetAnnotations()).NotTo(HaveKey(binding.KeptStateAnnotation))
	})

	It("is not written over while its script is not compiled yet", func(ctx SpecContext) {
		s := newJob(ctx)
		cr := suite.Customization("c", deployments, configv1alpha1.CustomizationRules{StateInterpretation: &configv1alpha1.Script{LuaScript: "x"}})
		Expect(s.interpreter.Set(engine.Customizations, engine.Pending(cr))).To(Succeed())
		s.report(ctx, "a", metav1.ConditionTrue, unhealthy, `{}`)
		_, err := s.reconcile(ctx, s.read(ctx))
		Expect(err).To(MatchError(ContainSubstring("customization c is not compiled yet")), "it is tried again")
		Expect(s.items(s.read(ctx))).To(ContainElement(ContainSubstring(`"jobId":"17"`)))
		s.interpreter.Remove(engine.Customizations, "c")
		Expect(s.kept(s.up(ctx), "a")).To(Equal("job=17 /path=/x"))
	})
})

// failingStatus refuses to write statuses.
type failingStatus struct{ client.Client }

func (f failingStatus) Status() client.SubResourceWriter { return refusing{f.Client.Status()} }

type refusing struct{ client.SubResourceWriter }

func (refusing) Patch(context.Context, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
	return fmt.Errorf("the spec refuses it")
}

// settle has the controller look as often as it wants to within a time.
func (s *sum) settle(ctx context.Context, d time.Duration) {
	GinkgoHelper()
	for end := s.clock.Now().Add(d); ; {
		result, err := s.reconcile(ctx, s.read(ctx))
		Expect(err).NotTo(HaveOccurred())
		if next := s.clock.Now().Add(result.RequeueAfter); result.RequeueAfter == 0 || next.After(end) {
			s.clock.SetTime(end)
			return
		}
		s.pass(result.RequeueAfter)
	}
}

var _ = Describe("The condition StatePreserved", func() {
	rule := func(key, path string) policyv1alpha1.StatePreservationRule {
		return policyv1alpha1.StatePreservationRule{AliasLabelName: key, JSONPath: path}
	}
	It("is absent while all state can be preserved", func(ctx SpecContext) {
		Expect(problem(newJob(ctx).read(ctx))).To(Equal("none"))
	})

	DescribeTable("names the rule, what it found, and what to do", func(ctx SpecContext, r policyv1alpha1.StatePreservationRule, report, want string) {
		s := newJob(ctx, rule("job", "{.jobId}"), r)
		s.report(ctx, "a", metav1.ConditionTrue, healthy, report)
		b := s.up(ctx)
		Expect(problem(b)).To(ContainSubstring(strings.ReplaceAll(want, "CLUSTER", s.cluster("a"))))
		Expect(s.events.About(s.binding.GetNamespace(), s.binding.GetName())).To(ContainElement(HavePrefix("Warning StatePreservationIncomplete: ")))

		By("ending with the rule")
		s.change(ctx, func(spec *workv1alpha2.ResourceBindingSpec) {
			p := spec.Failover.Application.StatePreservation
			p.Rules = p.Rules[:1]
		})
		s.pass(time.Minute)
		Expect(problem(s.up(ctx))).To(Equal("none"))
	},
		Entry("of a value that is no label", rule("path", "{.path}"), `{"jobId":"17","path":"/x y"}`,
			`False InvalidLabelValue cluster CLUSTER: spec.failover.application.statePreservation.rules[1] (path, {.path}): the value "/x y" cannot be a label: `),
		Entry("of a path that a healthy copy does not have", rule("sp", "{.savepoint}"), `{"jobId":"17","path":"x"}`,
			`False PathNotFound cluster CLUSTER: spec.failover.application.statePreservation.rules[1] (sp, {.savepoint}): savepoint is not found; mend the path`),
		Entry("of a path that does not parse", rule("sp", "{.savepoint[}"), `{"jobId":"17","path":"x"}`,
			`False InvalidRule spec.failover.application.statePreservation.rules[1] (sp, {.savepoint[}): jsonPath is not a JSONPath: unterminated array; mend the rule in the policy; until then it is left out`),
	)

	It("does not name a path that a copy which is not healthy lacks", func(ctx SpecContext) {
		s := newJob(ctx)
		s.report(ctx, "a", metav1.ConditionTrue, unhealthy, `{"path":"/x"}`)
		Expect(problem(s.up(ctx))).To(Equal("none"))
	})

	It("names a carried label that is none", func(ctx SpecContext) {
		s := newJob(ctx)
		b := s.read(ctx)
		Expect(binding.SetCarriedStates(b, []binding.Carried{{From: "gone", To: s.cluster("a"), Labels: map[string]string{"no/such/key": "5"}}})).To(Succeed())
		Expect(hub.Manager.GetClient().Update(ctx, b)).To(Succeed())
		s.report(ctx, "b", metav1.ConditionTrue, healthy, `{"jobId":"18"}`)
		Expect(problem(s.up(ctx))).To(HavePrefix(`False InvalidRule the state from cluster gone: "no/such/key" cannot be the key of a label: `))
	})
})
