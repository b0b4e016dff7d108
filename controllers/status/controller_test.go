// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/controllers/status"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// sum is a template with its binding and Works for the clusters a and b, and the
// controller that sums them up, called by the spec.
type sum struct {
	id       string
	template *unstructured.Unstructured
	binding  workv1alpha2.Binding
	events   *fixture.Events
	clock    *clocktesting.FakePassiveClock
	// interpreter is what the controller asks, writes the client by which it writes.
	interpreter *engine.Interpreter
	writes      *writes
	// reconcile is the controller of the binding's kind.
	reconcile func(context.Context, workv1alpha2.Binding) (reconcile.Result, error)
}

// newSum makes the template, and its binding. The template is a Deployment in a
// namespace of its own, or without one a Namespace.
func newSum(ctx context.Context, interpreter *engine.Interpreter, object func(namespace string) *unstructured.Unstructured) *sum {
	GinkgoHelper()
	namespace, err := hub.Namespace(ctx)
	Expect(err).NotTo(HaveOccurred())
	s := &sum{
		id: string(uuid.NewUUID())[:8], events: &fixture.Events{}, template: object(namespace),
		clock: clocktesting.NewFakePassiveClock(time.Unix(1000, 0)), interpreter: interpreter, writes: &writes{Client: hub.Manager.GetClient()},
	}
	Expect(client.IgnoreAlreadyExists(hub.Client.Create(ctx, s.template))).To(Succeed())
	Expect(hub.Client.Get(ctx, client.ObjectKeyFromObject(s.template), s.template)).To(Succeed())
	s.binding = fixture.Binding(s.template)
	s.binding.GetSpec().Clusters = fixture.Targets(s.cluster("a"), s.cluster("b"))
	Expect(hub.Manager.GetClient().Create(ctx, s.binding)).To(Succeed())
	d := base.Deps{
		Client: s.writes, Templates: templates.New(hub.Manager.GetCache()), Interpreter: interpreter, Events: s.events, Clock: s.clock, Gates: features.New(),
	}
	if s.binding.GetNamespace() == "" {
		s.reconcile = reconciler(status.New[*workv1alpha2.ClusterResourceBinding](d))
	} else {
		s.reconcile = reconciler(status.New[*workv1alpha2.ResourceBinding](d))
	}
	return s
}

func reconciler[B workv1alpha2.Binding](c *status.Controller[B]) func(context.Context, workv1alpha2.Binding) (reconcile.Result, error) {
	return func(ctx context.Context, b workv1alpha2.Binding) (reconcile.Result, error) {
		return c.Reconcile(ctx, b.(B))
	}
}

// cluster names one of the spec's clusters; these exist in name only.
func (s *sum) cluster(letter string) string { return letter + "-" + s.id }

// report sets whether the Work of a cluster is applied, and what the member reported; it
// creates the Work if there is none.
func (s *sum) report(ctx context.Context, letter string, applied metav1.ConditionStatus, health workv1alpha2.ResourceHealth, raw string) *workv1alpha1.Work {
	GinkgoHelper()
	c := hub.Manager.GetClient()
	w := fixture.Work(s.cluster(letter), "w", s.template)
	w.Annotations = map[string]string{"resourcebinding.karmada.io/namespace": s.binding.GetNamespace(), "resourcebinding.karmada.io/name": s.binding.GetName()}
	if s.binding.GetNamespace() == "" {
		w.Annotations = map[string]string{"clusterresourcebinding.karmada.io/name": s.binding.GetName()}
	}
	Expect(client.IgnoreAlreadyExists(c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}))).To(Succeed())
	Expect(client.IgnoreAlreadyExists(c.Create(ctx, w))).To(Succeed())
	Expect(c.Get(ctx, client.ObjectKeyFromObject(w), w)).To(Succeed())
	fixture.SetApplied(w, applied)
	w.Status.ManifestStatuses = nil
	if raw != "" {
		w.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{{
			Identifier: workv1alpha1.ResourceIdentifier{Version: "v1", Kind: s.template.GetKind(), Name: s.template.GetName()},
			Status:     &runtime.RawExtension{Raw: []byte(raw)}, Health: health,
		}}
	}
	Expect(c.Status().Update(ctx, w)).To(Succeed())
	Expect(c.Get(ctx, client.ObjectKeyFromObject(w), w)).To(Succeed()) // the cache has it
	return w
}

// ready sets whether a cluster is ready, which is created if there is none.
func (s *sum) ready(ctx context.Context, letter string, ready metav1.ConditionStatus) {
	GinkgoHelper()
	c := hub.Manager.GetClient()
	cluster := &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: s.cluster(letter)}, Spec: clusterv1alpha1.ClusterSpec{SyncMode: clusterv1alpha1.Push}}
	Expect(client.IgnoreAlreadyExists(c.Create(ctx, cluster))).To(Succeed())
	Expect(c.Get(ctx, client.ObjectKeyFromObject(cluster), cluster)).To(Succeed())
	meta.SetStatusCondition(&cluster.Status.Conditions, metav1.Condition{Type: clusterv1alpha1.ClusterConditionReady, Status: ready, Reason: "Spec"})
	Expect(c.Status().Update(ctx, cluster)).To(Succeed())
	Expect(c.Get(ctx, client.ObjectKeyFromObject(cluster), cluster)).To(Succeed()) // the cache has it
}

// read reads the binding.
func (s *sum) read(ctx context.Context) workv1alpha2.Binding {
	GinkgoHelper()
	b := s.binding.DeepCopyObject().(workv1alpha2.Binding)
	Expect(hub.Manager.GetClient().Get(ctx, client.ObjectKeyFromObject(b), b)).To(Succeed())
	return b
}

// up calls the controller until it is content, each time when it wants to be called, and
// returns the binding.
func (s *sum) up(ctx context.Context) workv1alpha2.Binding {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		result, err := s.reconcile(ctx, s.read(ctx))
		g.Expect(err).NotTo(HaveOccurred())
		s.pass(result.RequeueAfter)
		g.Expect(result.RequeueAfter).To(BeZero())
	}).Should(Succeed())
	return s.read(ctx)
}

// pass moves the clock of the controller.
func (s *sum) pass(d time.Duration) { s.clock.SetTime(s.clock.Now().Add(d)) }

// once calls the controller once, and returns whether it wrote the binding, and when it
// wants to be called again.
func (s *sum) once(ctx context.Context) (wrote bool, again time.Duration) {
	GinkgoHelper()
	before := s.read(ctx)
	result, err := s.reconcile(ctx, s.read(ctx))
	Expect(err).NotTo(HaveOccurred())
	return s.read(ctx).GetResourceVersion() != before.GetResourceVersion(), result.RequeueAfter
}

// items lists the aggregated status, each as "letter applied health message status".
func (s *sum) items(b workv1alpha2.Binding) []string {
	var lines []string
	for _, item := range b.GetStatus().AggregatedStatus {
		line := fmt.Sprintf("%s %t %s", strings.TrimSuffix(item.ClusterName, "-"+s.id), item.Applied, item.Health)
		if item.AppliedMessage != "" {
			line += " " + item.AppliedMessage
		}
		if item.Status != nil {
			line += " " + string(item.Status.Raw)
		}
		lines = append(lines, line)
	}
	return lines
}

// fully returns the condition FullyApplied in a line.
func fully(b workv1alpha2.Binding) string {
	c := meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.FullyApplied)
	if c == nil {
		return "none"
	}
	return string(c.Status) + " " + c.Message
}

// live reads the template without a cache.
func (s *sum) live(ctx context.Context) *unstructured.Unstructured {
	GinkgoHelper()
	o := fixture.Object(s.template.GroupVersionKind(), "", "", nil)
	Expect(hub.Client.Get(ctx, client.ObjectKeyFromObject(s.template), o)).To(Succeed())
	return o
}

// spaced and wide are templates of the two kinds of binding.
func spaced(namespace string) *unstructured.Unstructured { return fixture.Deployment(namespace, "m") }

func wide(namespace string) *unstructured.Unstructured {
	return fixture.Object(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", namespace, nil)
}

var _ = Describe("The status of a binding", func() {
	DescribeTable("has an item for each Work, sorted, and reports when it is applied wherever it should be", func(ctx SpecContext, object func(string) *unstructured.Unstructured) {
		s := newSum(ctx, interpreter, object)
		b := s.up(ctx)
		Expect(s.items(b)).To(BeEmpty())
		Expect(fully(b)).To(Equal("False Applied in 0 of 2 clusters"))
		s.report(ctx, "b", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{"replicas":1}`)
		s.report(ctx, "a", metav1.ConditionFalse, "", "")
		b = s.up(ctx)
		Expect(s.items(b)).To(Equal([]string{"a false Unknown said by a spec", `b true Healthy {"replicas":1}`}))
		Expect(fully(b)).To(Equal("False Applied in 1 of 2 clusters"))
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceUnhealthy, `{"replicas":0}`)
		b = s.up(ctx)
		Expect(s.items(b)).To(Equal([]string{`a true Unhealthy {"replicas":0}`, `b true Healthy {"replicas":1}`}))
		Expect(fully(b)).To(Equal("True All works have been successfully applied"))
		Expect(meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.FullyApplied).ObservedGeneration).To(Equal(b.GetGeneration()))
	}, Entry("of a template in a namespace", spaced), Entry("of one without", wide))

	It("has which copies have ended, as the templates of their Works are", func(ctx SpecContext) {
		s := newSum(ctx, interpreter, spaced)
		finished := func(b workv1alpha2.Binding) []string {
			var letters []string
			for _, cluster := range binding.Ended(b) {
				letters = append(letters, strings.TrimSuffix(cluster, "-"+s.id))
			}
			return letters
		}
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{"replicas":1}`)
		w := s.report(ctx, "b", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{"replicas":1}`)
		Expect(finished(s.up(ctx))).To(BeEmpty())
		w.Status.Finished = []workv1alpha1.FinishedManifest{{Ordinal: 0}}
		Expect(hub.Manager.GetClient().Status().Update(ctx, w)).To(Succeed())
		s.pass(time.Second)
		Expect(finished(s.up(ctx))).To(Equal([]string{"b"}))
		again := s.template.DeepCopy()
		again.SetAnnotations(map[string]string{workv1alpha2.TemplateGenerationAnnotation: "2"})
		fixture.SetManifest(w, again)
		Expect(hub.Manager.GetClient().Update(ctx, w)).To(Succeed())
		s.pass(time.Second)
		Expect(finished(s.up(ctx))).To(BeEmpty(), "another version of the template may run")
	})

	It("does not undo a condition that somebody else wrote meanwhile", func(ctx SpecContext) {
		s := newSum(ctx, interpreter, spaced)
		stale, live := s.read(ctx), s.read(ctx)
		_, again := s.once(ctx)
		s.pass(again)
		meta.SetStatusCondition(&live.GetStatus().Conditions, metav1.Condition{Type: workv1alpha2.Scheduled, Status: metav1.ConditionTrue, Reason: "Spec", Message: "fine"})
		Expect(hub.Manager.GetClient().Status().Update(ctx, live)).To(Succeed())
		result, err := s.reconcile(ctx, stale)
		Expect(err).NotTo(HaveOccurred(), "a conflict is no error")
		Expect(result.RequeueAfter).NotTo(BeZero())
		Expect(s.read(ctx).GetStatus().Conditions).To(HaveExactElements(HaveField("Type", workv1alpha2.Scheduled)))
		b := s.up(ctx)
		Expect(b.GetStatus().Conditions).To(ConsistOf(
			HaveField("Type", workv1alpha2.Scheduled), HaveField("Type", workv1alpha2.FullyApplied), HaveField("Type", workv1alpha2.Ready)))
	})

	It("is one write for the reports of all members of a new template", func(ctx SpecContext) {
		s := newSum(ctx, interpreter, spaced)
		wrote, again := s.once(ctx)
		Expect(wrote).To(BeFalse(), "there is nothing to report yet")
		Expect(again).NotTo(BeZero())
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{"replicas":1}`)
		s.pass(10 * time.Millisecond)
		wrote, again = s.once(ctx)
		Expect(wrote).To(BeFalse(), "the report of the other member is on its way")
		Expect(again).NotTo(BeZero())
		s.report(ctx, "b", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{"replicas":1}`)
		s.pass(10 * time.Millisecond)
		wrote, again = s.once(ctx)
		Expect(wrote).To(BeTrue(), "nothing else is waited for")
		Expect(again).To(BeZero())
		Expect(fully(s.read(ctx))).To(Equal("True All works have been successfully applied"))
		s.pass(time.Second)
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceUnhealthy, `{"replicas":0}`)
		wrote, _ = s.once(ctx)
		Expect(wrote).To(BeTrue(), "a single change is not delayed")
		s.report(ctx, "b", metav1.ConditionTrue, workv1alpha2.ResourceUnhealthy, `{"replicas":0}`)
		wrote, again = s.once(ctx)
		Expect(wrote).To(BeFalse(), "what follows at once is collected")
		s.pass(again)
		wrote, _ = s.once(ctx)
		Expect(wrote).To(BeTrue())
		Expect(s.items(s.read(ctx))).To(Equal([]string{`a true Unhealthy {"replicas":0}`, `b true Unhealthy {"replicas":0}`}))
	})

	It("has another health at once, whatever else is on its way", func(ctx SpecContext) {
		s := newSum(ctx, interpreter, spaced)
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceUnhealthy, `{"replicas":0}`)
		s.report(ctx, "b", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{"replicas":1}`)
		b := s.up(ctx)
		b.GetSpec().PropagateDeps = true // changes nothing in the Works
		Expect(hub.Manager.GetClient().Update(ctx, b)).To(Succeed())
		s.pass(time.Second)
		wrote, _ := s.once(ctx)
		Expect(wrote).To(BeFalse(), "the Works may follow in a moment")
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{"replicas":1}`)
		wrote, _ = s.once(ctx)
		Expect(wrote).To(BeTrue())
		Expect(s.items(s.read(ctx))).To(Equal([]string{`a true Healthy {"replicas":1}`, `b true Healthy {"replicas":1}`}))
	})

	It("does not say that a generation is applied that never arrived", func(ctx SpecContext) {
		s := newSum(ctx, interpreter, spaced)
		w := s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{"replicas":1}`)
		s.report(ctx, "b", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{"replicas":1}`)
		Expect(fully(s.up(ctx))).To(HavePrefix("True "))
		w.Spec.PreserveResourcesOnDeletion = new(true) // any change of its content
		Expect(hub.Manager.GetClient().Update(ctx, w)).To(Succeed())
		Expect(hub.Manager.GetClient().Get(ctx, client.ObjectKeyFromObject(w), w)).To(Succeed()) // the cache has it
		b := s.up(ctx)
		Expect(fully(b)).To(Equal("False Applied in 1 of 2 clusters"))
		Expect(s.items(b)).To(Equal([]string{
			`a false Unknown The current generation of the Work has not been applied yet {"replicas":1}`, `b true Healthy {"replicas":1}`,
		}))
		Expect(s.events.About(s.template.GetNamespace(), "m")).To(BeEmpty(), "that is no failure")
	})

	It("has unknown health where the cluster is unreachable, and the last status", func(ctx SpecContext) {
		s := newSum(ctx, interpreter, spaced)
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{"replicas":1}`)
		s.report(ctx, "b", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{"replicas":1}`)
		s.ready(ctx, "a", metav1.ConditionFalse)
		b := s.up(ctx)
		Expect(s.items(b)).To(Equal([]string{
			`a true Unknown ClusterUnreachable: what is reported is from before {"replicas":1}`, `b true Healthy {"replicas":1}`,
		}))
		Expect(fully(b)).To(HavePrefix("True "), "it is applied there")
		s.ready(ctx, "a", metav1.ConditionTrue)
		Eventually(func() []string { return s.items(s.up(ctx)) }).Should(HaveExactElements(`a true Healthy {"replicas":1}`, HavePrefix("b ")))
	})

	It("stays within what the API server stores, and says what is left out", func(ctx SpecContext) {
		s := newSum(ctx, fixture.Answering(deployments, engine.AggregateStatus, "function AggregateStatus(o, items) o.status = { replicas = #items } return o end"), spaced)
		large := `{"text":"` + strings.Repeat("x", 800<<10) + `"}`
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, large)
		s.report(ctx, "b", metav1.ConditionTrue, workv1alpha2.ResourceUnhealthy, large)
		b := s.up(ctx)
		Expect(s.items(b)).To(Equal([]string{"a true Healthy", "b true Unhealthy"}))
		Expect(fully(b)).To(Equal("True All works have been successfully applied; the statuses of " +
			s.cluster("a") + ", " + s.cluster("b") + " are left out, since all together are larger than 768 KiB"))
	})

	It("has an event about the template when it cannot be applied, and when it can again", func(ctx SpecContext) {
		s := newSum(ctx, interpreter, spaced)
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{}`)
		s.report(ctx, "b", metav1.ConditionFalse, "", "")
		events := func() []string { return s.events.About(s.template.GetNamespace(), "m") }
		s.up(ctx)
		failed := "Warning SyncWorkFailed: not applied in " + s.cluster("b") + ": said by a spec"
		Expect(events()).To(Equal([]string{failed}))
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceUnhealthy, `{}`)
		s.up(ctx)
		Expect(events()).To(Equal([]string{failed}), "nothing of it changed")
		s.report(ctx, "b", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{}`)
		s.up(ctx)
		Expect(events()).To(Equal([]string{failed, "Normal SyncWorkSucceed: applied in the clusters where it could not be before"}))
	})

	It("is left alone while the binding is deleted", func(ctx SpecContext) {
		s := newSum(ctx, interpreter, spaced)
		Expect(hub.Manager.GetClient().Delete(ctx, s.binding)).To(Succeed())
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{}`)
		Expect(fully(s.up(ctx))).To(Equal("none"))
	})

	It("is written also where the template is gone", func(ctx SpecContext) {
		s := newSum(ctx, interpreter, spaced)
		Expect(hub.Client.Delete(ctx, s.template)).To(Succeed())
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{}`)
		Expect(fully(s.up(ctx))).To(Equal("False Applied in 1 of 2 clusters"))
	})
})

var _ = Describe("The status of a template", func() {
	It("is the sum of those of the members", func(ctx SpecContext) {
		s := newSum(ctx, interpreter, spaced)
		counts := `{"generation":1,"observedGeneration":1,"resourceTemplateGeneration":1,"replicas":%d,"readyReplicas":%d,"updatedReplicas":2,"availableReplicas":%d}`
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, fmt.Sprintf(counts, 2, 2, 2))
		s.report(ctx, "b", metav1.ConditionTrue, workv1alpha2.ResourceUnhealthy, fmt.Sprintf(counts, 3, 1, 1))
		s.up(ctx)
		o := s.live(ctx)
		Expect(o.Object["status"]).To(And(
			HaveKeyWithValue("observedGeneration", int64(1)), HaveKeyWithValue("replicas", int64(5)), HaveKeyWithValue("readyReplicas", int64(3)),
			HaveKeyWithValue("updatedReplicas", int64(4)), HaveKeyWithValue("availableReplicas", int64(3)),
		))
		Expect(o.GetGeneration()).To(BeEquivalentTo(1), "nothing else is written")
	})

	It("is written only when it changed", func(ctx SpecContext) {
		s := newSum(ctx, interpreter, spaced)
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{"replicas":2}`)
		b := s.up(ctx)
		o := s.live(ctx)
		Expect(s.up(ctx).GetResourceVersion()).To(Equal(b.GetResourceVersion()))
		Expect(s.live(ctx).GetResourceVersion()).To(Equal(o.GetResourceVersion()))
		Expect(o.Object["status"]).To(HaveKeyWithValue("replicas", int64(2)))
	})

	It("comes back with that of a member, however quickly", func(ctx SpecContext) {
		s := newSum(ctx, interpreter, spaced)
		for i := range 20 {
			replicas := int64(2 + i%2)
			s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, fmt.Sprintf(`{"replicas":%d}`, replicas))
			s.up(ctx) // the cache may still have the template from before the last time
			Expect(s.live(ctx).Object["status"]).To(HaveKeyWithValue("replicas", replicas))
		}
	})

	It("is not written for a kind that has none", func(ctx SpecContext) {
		i := fixture.Answering(configMaps, engine.AggregateStatus, "function AggregateStatus(o, items) o.status = { n = #items } return o end")
		s := newSum(ctx, i, func(namespace string) *unstructured.Unstructured {
			return fixture.Object(configMaps, namespace, "m", nil)
		})
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{}`)
		Expect(fully(s.up(ctx))).To(HavePrefix("False Applied in 1 of 2"))
		Expect(s.live(ctx).Object).NotTo(HaveKey("status"))
	})

	It("stays when its script fails, which an event reports; the binding is aggregated all the same", func(ctx SpecContext) {
		s := newSum(ctx, fixture.Answering(deployments, engine.AggregateStatus, "function AggregateStatus(o, items)\n  error('no idea')\nend"), spaced)
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{"replicas":2}`)
		_, again := s.once(ctx)
		s.pass(again)
		_, err := s.reconcile(ctx, s.read(ctx))
		Expect(err).To(MatchError(And(ContainSubstring("aggregate.lua:2"), ContainSubstring("no idea"))))
		Expect(s.items(s.read(ctx))).To(HaveLen(1))
		Expect(s.live(ctx).Object["status"]).To(BeEmpty())
		_, err = s.reconcile(ctx, s.read(ctx))
		Expect(err).To(HaveOccurred())
		Expect(s.events.About(s.template.GetNamespace(), "m")).To(HaveExactElements(HavePrefix("Warning AggregateStatusFailed: ")), "once")
	})
})

var _ = Describe("The controller of the status of bindings", func() {
	It("is woken by Works that report, come and go, and when other scripts answer", func(ctx SpecContext) {
		var changes rulechange.Changes
		i := fixture.Answering(deployments, engine.AggregateStatus, "function AggregateStatus(o, items) o.status = { replicas = #items } return o end")
		s := newSum(ctx, i, spaced)
		stop, err := hub.Manage(map[client.Object]cache.ByObject{
			&workv1alpha2.ResourceBinding{}: {Namespaces: map[string]cache.Config{s.template.GetNamespace(): {}}},
			&workv1alpha1.Work{}: {Namespaces: map[string]cache.Config{
				names.ExecutionSpace(s.cluster("a")): {}, names.ExecutionSpace(s.cluster("b")): {},
			}},
		}, func(ctx context.Context, mgr ctrl.Manager) error {
			d := base.Deps{
				Client: mgr.GetClient(), Templates: templates.New(mgr.GetCache()), Interpreter: i, Changes: &changes, Clock: clock.RealClock{}, Events: s.events,
			}
			return status.New[*workv1alpha2.ResourceBinding](d).Register(ctx, mgr)
		})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { Expect(stop()).To(Succeed()) })
		items := func() []string { return s.items(s.read(ctx)) }
		w := s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{"replicas":2}`)
		Eventually(items).Should(Equal([]string{`a true Healthy {"replicas":2}`}))
		Eventually(func() any { return s.live(ctx).Object["status"] }).Should(Equal(map[string]any{"replicas": int64(1)}))
		rules := fixture.RuleSet(deployments, engine.AggregateStatus, "function AggregateStatus(o, items) o.status = { replicas = 7 } return o end")
		Expect(i.Set(engine.Customizations, rules)).To(Succeed())
		changes.Replaced(engine.RuleSet{}, fixture.RuleSet(configMaps, engine.AggregateStatus, "function AggregateStatus(o, items) return o end"))
		changes.Replaced(engine.RuleSet{}, rules)
		Eventually(func() any { return s.live(ctx).Object["status"] }).Should(Equal(map[string]any{"replicas": int64(7)}))
		s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceUnhealthy, `{"replicas":1}`)
		s.report(ctx, "b", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, `{"replicas":1}`)
		Eventually(items).Should(Equal([]string{`a true Unhealthy {"replicas":1}`, `b true Healthy {"replicas":1}`}))
		s.ready(ctx, "b", metav1.ConditionTrue)
		s.ready(ctx, "b", metav1.ConditionFalse)
		Eventually(items).Should(HaveExactElements(HavePrefix("a "), HavePrefix("b true Unknown ClusterUnreachable: ")))
		s.ready(ctx, "b", metav1.ConditionTrue)
		Eventually(items).Should(HaveExactElements(HavePrefix("a "), HavePrefix("b true Healthy ")))
		Expect(hub.Client.Delete(ctx, w)).To(Succeed())
		Eventually(items).Should(Equal([]string{`b true Healthy {"replicas":1}`}), "a Work that is being deleted does not count")
		Expect(hub.Client.Patch(ctx, w, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":[]}}`)))).To(Succeed())
	}, SpecTimeout(time.Minute))
})
