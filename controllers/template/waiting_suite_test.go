// SPDX-License-Identifier: Apache-2.0

package template_test

import (
	"context"
	"maps"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/controllers/template"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// override returns an override policy that changes nothing, cluster-wide where the
// namespace is empty.
func override(namespace, name string) client.Object {
	spec := policyv1alpha1.OverrideSpec{OverrideRules: []policyv1alpha1.RuleWithCluster{}}
	if namespace == "" {
		return &policyv1alpha1.ClusterOverridePolicy{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}
	}
	return &policyv1alpha1.OverridePolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: spec}
}

var _ = Describe("a policy with dependentOverrides", func() {
	DescribeTable("waits for all of them, says for which, and continues when they are there", func(ctx SpecContext, wide bool) {
		o := gadget(wide, "one", nil)
		p := policyFor(wide, "p", o)
		first, second := override(p.GetNamespace(), space+"-a"), override(p.GetNamespace(), space+"-b")
		p.GetSpec().DependentOverrides = []string{first.GetName(), second.GetName()}
		create(ctx, o, p)
		waits := ContainElement(ContainSubstring("waits for " + map[bool]string{true: "ClusterOverridePolicy ", false: "OverridePolicy "}[wide] + space + "-a, " + space + "-b"))
		Eventually(func() []string { return events.About(p.GetNamespace(), p.GetName()) }).WithContext(ctx).Should(waits, "an event on the policy")
		Eventually(func() []string { return events.About(o.GetNamespace(), o.GetName()) }).WithContext(ctx).Should(waits, "an event on the template")
		create(ctx, first)
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, first))).To(Succeed()) })
		Eventually(func() []string { return events.About(o.GetNamespace(), o.GetName()) }).WithContext(ctx).Should(
			ContainElement(ContainSubstring("OverridePolicy " + space + "-b;")))
		Expect(claimsOf(o)(ctx)).To(BeEmpty())
		create(ctx, second)
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, second))).To(Succeed()) })
		bound(ctx, o)
	}, Entry("in a namespace", false), Entry("of the cluster", true))

	It("keeps what it propagated when one of them goes", func(ctx SpecContext) {
		o, needed := gadget(false, "one", nil), override(space, "needed")
		p := policyFor(false, "p", o)
		p.GetSpec().DependentOverrides = []string{"needed"}
		create(ctx, needed, o, p)
		bound(ctx, o)
		Expect(hub.Delete(ctx, needed)).To(Succeed())
		seen(ctx, &policyv1alpha1.OverridePolicyList{})
		change(ctx, p, func(p policyv1alpha1.Policy) { p.GetSpec().ConflictResolution = policyv1alpha1.ConflictOverwrite })
		Eventually(func() []string { return events.About(space, "one") }).WithContext(ctx).Should(ContainElement(ContainSubstring("waits for OverridePolicy needed")))
		b := bound(ctx, o)
		Expect(b.GetSpec().ConflictResolution).NotTo(Equal(policyv1alpha1.ConflictOverwrite), "the change waits")
		Expect(claims(b)).NotTo(BeEmpty())
	})
})

var _ = Describe("the priority of a policy's templates", func() {
	// class creates the PriorityClass of the spec, and waits until the controllers see it.
	class := func(ctx context.Context, value int32, with ...func(*schedulingv1.PriorityClass)) {
		GinkgoHelper()
		c := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: space}, Value: value}
		for _, w := range with {
			w(c)
		}
		Expect(hub.Create(ctx, c)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, c))).To(Succeed()) })
		seen(ctx, &schedulingv1.PriorityClassList{})
	}
	urgent := func(p policyv1alpha1.Policy) policyv1alpha1.Policy {
		p.GetSpec().SchedulePriority = &policyv1alpha1.SchedulePriority{
			PriorityClassSource: policyv1alpha1.KubePriorityClass, PriorityClassName: space,
		}
		return p
	}

	DescribeTable("is that of the PriorityClass", func(ctx SpecContext, widePolicy, wide bool) {
		class(ctx, 1000)
		o := gadget(wide, "one", nil)
		create(ctx, o, urgent(policyFor(widePolicy, "p", o)))
		b := bound(ctx, o)
		Expect(b.GetSpec().SchedulePriority).To(Equal(&workv1alpha2.SchedulePriority{Priority: 1000}))
		Expect(b.GetStatus().Conditions).To(BeEmpty())
	}, scopes)

	It("is reported missing on the binding, and comes with the class", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		create(ctx, o, urgent(policyFor(false, "p", o)))
		Eventually(func(g Gomega) {
			b, err := bindingOf(o)(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.GetSpec().SchedulePriority).To(BeNil())
			missing := meta.FindStatusCondition(b.GetStatus().Conditions, template.PriorityResolved)
			g.Expect(missing).NotTo(BeNil())
			g.Expect(missing.Reason).To(Equal("PriorityClassNotFound"))
			g.Expect(missing.Message).To(ContainSubstring("PriorityClass " + space + " does not exist"))
		}).WithContext(ctx).Should(Succeed())
		Expect(events.About(space, "one")).To(ContainElement(HavePrefix("Warning PriorityClassNotFound: ")))
		class(ctx, 7)
		Eventually(func(g Gomega) {
			b, err := bindingOf(o)(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.GetSpec().SchedulePriority).To(Equal(&workv1alpha2.SchedulePriority{Priority: 7}))
			g.Expect(b.GetStatus().Conditions).To(HaveExactElements(HaveField("Type", workv1alpha2.Ready)))
		}).WithContext(ctx).Should(Succeed())
	})

	It("comes with the class's preemptionPolicy, where priorities preempt", func(ctx SpecContext) {
		with(features.PriorityBasedPreemptiveScheduling)
		never := corev1.PreemptNever
		class(ctx, 7, func(c *schedulingv1.PriorityClass) { c.PreemptionPolicy = &never })
		o := gadget(false, "one", nil)
		p := urgent(policyFor(false, "p", o))
		create(ctx, o, p)
		Expect(bound(ctx, o).GetAnnotations()).To(HaveKeyWithValue(workv1alpha2.PreemptionPolicyAnnotation, "Never"))
		change(ctx, p, func(p policyv1alpha1.Policy) { p.GetSpec().SchedulePriority = nil })
		Eventually(func() map[string]string { return bound(ctx, o).GetAnnotations() }).ShouldNot(HaveKey(workv1alpha2.PreemptionPolicyAnnotation))
	})

	It("is not set without the gate", func(ctx SpecContext) {
		without(features.PriorityBasedScheduling)
		class(ctx, 7)
		o := gadget(false, "one", nil)
		create(ctx, o, urgent(policyFor(false, "p", o)))
		Expect(bound(ctx, o).GetSpec().SchedulePriority).To(BeNil())
	})
})

var _ = Describe("a template that a start lists", func() {
	It("comes first if it was changed or created meanwhile", func(ctx SpecContext) {
		same, edited := gadget(false, "same", nil), gadget(false, "edited", nil)
		other, created := gadget(false, "other", nil), gadget(false, "created", nil)
		waits := policyFor(false, "waits", created)
		waits.GetSpec().DependentOverrides = []string{"needed"}
		create(ctx, same, edited, other, created, policyFor(false, "p", same), policyFor(false, "q", edited), waits)
		bound(ctx, same)
		Eventually(func() []string { return events.About(space, "created") }).WithContext(ctx).Should(
			ContainElement(ContainSubstring("waits for OverridePolicy needed")), "the policy of the last, and the last, are seen")
		change(ctx, bound(ctx, edited), func(b workv1alpha2.Binding) {
			annotations := maps.Clone(b.GetAnnotations())
			annotations[workv1alpha2.TemplateFingerprintAnnotation] = "of another content"
			b.SetAnnotations(annotations)
		})
		seen(ctx, &workv1alpha2.ResourceBindingList{})

		c, q := template.New(deps), priorityqueue.New[templates.Key](space)
		defer q.ShutDown()
		for _, o := range []*unstructured.Unstructured{same, other, edited, created} {
			c.Enqueue(ctx, q, templates.KeyOf(o), templates.Listed)
		}
		var order []string
		for range 4 {
			k, _ := q.Get()
			order = append(order, k.Name)
		}
		Expect(order[:2]).To(ConsistOf("edited", "created"), "all: %s", order)
	})
})

var _ = Describe("a template whose binding would have too long a name", func() {
	It("is reported and not tried again, and the others continue", func(ctx SpecContext) {
		long, other := gadget(false, strings.Repeat("n", 250), nil), gadget(false, "other", nil)
		reported := func() []string { return slices.Compact(events.About(space, long.GetName())) }
		create(ctx, long, other, fixture.Policy(space, "p", fixture.All(fixture.GadgetKind)), policyFor(false, "q", other))
		Eventually(reported).WithContext(ctx).Should(ConsistOf(
			"Warning ApplyPolicyFailed: the binding " + strings.Repeat("n", 32) +
				"... would have a name of 257 characters, and 253 are possible: shorten metadata.name by 4"))
		bound(ctx, other)
		Expect(claimsOf(long)(ctx)).To(BeEmpty())
		Expect(reported()).To(HaveLen(1))
		Expect(len(events.About(space, long.GetName()))).To(BeNumerically("<=", 3),
			"at most for the template, for the policy, and for the id of the policy: an error that is returned is tried again and again")
	})
})
