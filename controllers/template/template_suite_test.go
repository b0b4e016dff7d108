// SPDX-License-Identifier: Apache-2.0

package template_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/selection"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/controllers/template"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// scopes are the three ways in which a policy selects: the policy is cluster-wide, and
// the template is.
var scopes = []TableEntry{
	Entry("by a policy of its namespace", false, false),
	Entry("by a cluster-wide policy", true, false),
	Entry("of the cluster", true, true),
}

var _ = Describe("a template that a policy selects", func() {
	DescribeTable("carries the policy's claim, and its binding does", func(ctx SpecContext, widePolicy, wide bool) {
		o := gadget(wide, "one", nil)
		p := policyFor(widePolicy, "p", o)
		create(ctx, o, p)
		b := bound(ctx, o)

		p = awaitValue(ctx, fresh(p))
		want := map[string]string{
			policyv1alpha1.PropagationPolicyPermanentIDLabel:    p.GetLabels()[policyv1alpha1.PropagationPolicyPermanentIDLabel],
			policyv1alpha1.PropagationPolicyNamespaceAnnotation: space, policyv1alpha1.PropagationPolicyNameAnnotation: "p",
		}
		if widePolicy {
			want = map[string]string{
				policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel: p.GetLabels()[policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel],
				policyv1alpha1.ClusterPropagationPolicyNameAnnotation:   space + "-p",
			}
		}
		Expect(want).NotTo(ContainElement(""), "the policy has its id")
		Expect(claims(b)).To(Equal(want))
		Eventually(claimsOf(o)).WithContext(ctx).Should(Equal(want))
	}, scopes)

	DescribeTable("has a binding with an id, a finalizer and itself as owner", func(ctx SpecContext, widePolicy, wide bool) {
		o := gadget(wide, "one", nil)
		create(ctx, o, policyFor(widePolicy, "p", o))
		b := bound(ctx, o)

		label, finalizer := workv1alpha2.ResourceBindingPermanentIDLabel, workv1alpha2.BindingFinalizer
		if wide {
			label, finalizer = workv1alpha2.ClusterResourceBindingPermanentIDLabel, workv1alpha2.ClusterBindingFinalizer
		}
		Expect(b.GetLabels()).To(HaveKeyWithValue(label, Not(BeEmpty())))
		Expect(b.GetFinalizers()).To(ConsistOf(finalizer))
		Expect(b.GetOwnerReferences()).To(Equal([]metav1.OwnerReference{*metav1.NewControllerRef(o, o.GroupVersionKind())}))
	}, scopes)

	DescribeTable("is named in its binding", func(ctx SpecContext, widePolicy, wide bool) {
		o := gadget(wide, "one", nil)
		create(ctx, o, policyFor(widePolicy, "p", o))
		r := bound(ctx, o).GetSpec().Resource
		r.ResourceVersion = ""
		Expect(r).To(Equal(workv1alpha2.ObjectReference{
			APIVersion: "spec.dragoman.io/v1", Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName(), UID: o.GetUID(),
		}))
	}, scopes)

	It("has its replicas in the binding", func(ctx SpecContext) {
		o := gadget(false, "one", map[string]any{"replicas": int64(3)})
		create(ctx, o, policyFor(false, "p", o))
		Expect(bound(ctx, o).GetSpec().Replicas).To(Equal(int32(3)))
	})

	It("has its components in the binding, and no replicas", func(ctx SpecContext) {
		o := job("job")
		create(ctx, o, policyFor(false, "p", o))
		spec := bound(ctx, o).GetSpec()
		var parts []string
		for _, c := range spec.Components {
			parts = append(parts, fmt.Sprintf("%s:%d cpu=%s", c.Name, c.Replicas, c.ReplicaRequirements.ResourceRequest.Cpu()))
		}
		Expect(parts).To(Equal([]string{"jobmanager:1 cpu=1", "taskmanager:2 cpu=2"}))
		Expect(spec.Replicas).To(BeZero())
		Expect(spec.ReplicaRequirements).To(BeNil())
	})

	It("has its replicas where it is of one component that can be divided", func(ctx SpecContext) {
		o := fixture.Object(appsv1.SchemeGroupVersion.WithKind("Deployment"), space, "web", map[string]any{
			"spec": map[string]any{
				"replicas": int64(3),
				"selector": map[string]any{"matchLabels": map[string]any{"app": "web"}},
				"template": map[string]any{
					"metadata": map[string]any{"labels": map[string]any{"app": "web"}},
					"spec":     map[string]any{"containers": []any{map[string]any{"name": "web", "image": "web"}}},
				},
			},
		})
		create(ctx, o, policyFor(false, "p", o))
		spec := bound(ctx, o).GetSpec()
		Expect(rules.Snapshot().Components(o)).To(HaveLen(1))
		Expect(spec.Replicas).To(Equal(int32(3)))
		Expect(spec.Components).To(BeEmpty())
	})

	It("has its namespace beside what a replica needs, and gets it late where an earlier version bound it", func(ctx SpecContext) {
		without(features.MultiplePodTemplatesScheduling)
		o := job("job")
		p := policyFor(false, "p", o)
		create(ctx, o, p)
		Expect(bound(ctx, o).GetSpec().ReplicaRequirements.Namespace).To(Equal(space))
		change(ctx, bound(ctx, o), func(b workv1alpha2.Binding) { b.GetSpec().ReplicaRequirements.Namespace = "" })

		By("writing nothing at a start")
		earlier := bound(ctx, o)
		fixture.CaughtUp(ctx, hub, deps.Client, &workv1alpha2.ResourceBindingList{})
		d := deps
		d.Policies = &selection.Index{}
		d.Policies.Set(awaitValue(ctx, fresh(p)), "")
		_, err := template.New(d).Reconcile(ctx, templates.KeyOf(o))
		Expect(err).NotTo(HaveOccurred())
		Expect(bound(ctx, o).GetResourceVersion()).To(Equal(earlier.GetResourceVersion()))

		By("writing it with a change")
		change(ctx, o, func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{"a": "b"}) })
		Eventually(func() (string, error) {
			b, err := bindingOf(o)(ctx)
			return b.GetSpec().ReplicaRequirements.Namespace, err
		}).WithContext(ctx).Should(Equal(space))
	})

	It("has its replicas and what one needs where the gate for components is off", func(ctx SpecContext) {
		without(features.MultiplePodTemplatesScheduling)
		o := job("job")
		create(ctx, o, policyFor(false, "p", o))
		spec := bound(ctx, o).GetSpec()
		Expect(spec.Components).To(BeEmpty())
		Expect(spec.Replicas).To(Equal(int32(3)))
		Expect(spec.ReplicaRequirements.ResourceRequest.Cpu().String()).To(Equal("2"))
	})

	It("has neither where no script answers", func(ctx SpecContext) {
		o := fixture.Object(corev1.SchemeGroupVersion.WithKind("ConfigMap"), space, "plain", nil)
		create(ctx, o, policyFor(false, "p", o))
		spec := bound(ctx, o).GetSpec()
		Expect(spec.Replicas).To(BeZero())
		Expect(spec.Components).To(BeEmpty())
		Expect(spec.IsWorkload()).To(BeFalse())
	})

	It("has the fields of the policy in the binding", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		p := policyFor(false, "p", o)
		from := p.GetSpec()
		from.PropagateDeps, from.ConflictResolution, from.PreserveResourcesOnDeletion = true, policyv1alpha1.ConflictOverwrite, ptr.To(true)
		from.Placement.ClusterAffinity = &policyv1alpha1.ClusterAffinity{ClusterNames: []string{"a"}}
		from.Suspension = &policyv1alpha1.Suspension{Dispatching: ptr.To(true)}
		from.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{
			DecisionConditions: policyv1alpha1.DecisionConditions{TolerationSeconds: ptr.To[int32](7)}, PurgeMode: policyv1alpha1.Immediately,
		}}
		create(ctx, o, p)
		spec := bound(ctx, o).GetSpec()
		Expect(spec.PropagateDeps).To(BeTrue())
		Expect(spec.ConflictResolution).To(Equal(policyv1alpha1.ConflictOverwrite))
		Expect(*spec.PreserveResourcesOnDeletion).To(BeTrue())
		Expect(*spec.Placement).To(Equal(from.Placement))
		Expect(spec.Suspension.Suspension).To(Equal(*from.Suspension))
		Expect(spec.Failover).To(Equal(from.Failover))
		Expect(spec.SchedulerName).To(Equal(policyv1alpha1.DefaultScheduler))
	})

	It("has its binding written once", func(ctx SpecContext) {
		o := gadget(false, "one", map[string]any{"replicas": int64(3)})
		create(ctx, o, policyFor(false, "p", o))
		Eventually(claimsOf(o)).WithContext(ctx).ShouldNot(BeEmpty())
		claimed := awaitValue(ctx, fresh(o))
		Eventually(func(g Gomega) {
			b, err := bindingOf(o)(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.GetSpec().Resource.ResourceVersion).To(Equal(claimed.GetResourceVersion()))
		}).WithContext(ctx).Should(Succeed())
		Expect(bound(ctx, o).GetGeneration()).To(Equal(int64(1)))
	})

	It("keeps in its binding what others wrote there", func(ctx SpecContext) {
		o := gadget(false, "one", map[string]any{"replicas": int64(3)})
		create(ctx, o, policyFor(false, "p", o))
		b := bound(ctx, o)
		change(ctx, b, func(b workv1alpha2.Binding) {
			s := b.GetSpec()
			s.Clusters = fixture.Targets("a")
			s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{{FromCluster: "b", Reason: "Test", Producer: "test"}}
			s.Suspension = &workv1alpha2.Suspension{Scheduling: ptr.To(true)}
			b.SetLabels(map[string]string{"mine": "x"})
		})
		change(ctx, o, func(o *unstructured.Unstructured) { o.Object["spec"] = map[string]any{"replicas": int64(4)} })
		Eventually(func(g Gomega) {
			b, err := bindingOf(o)(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.GetSpec().Replicas).To(Equal(int32(4)))
			g.Expect(b.GetSpec().Clusters).To(Equal(fixture.Targets("a")))
			g.Expect(b.GetSpec().GracefulEvictionTasks).To(HaveLen(1))
			g.Expect(*b.GetSpec().Suspension.Scheduling).To(BeTrue())
			g.Expect(b.GetLabels()).To(HaveKeyWithValue("mine", "x"))
		}).WithContext(ctx).Should(Succeed())
	})

	It("moves the version in its binding with its content", func(ctx SpecContext) {
		o := gadget(false, "one", map[string]any{"color": "red"})
		create(ctx, o, policyFor(false, "p", o))
		Eventually(claimsOf(o)).WithContext(ctx).ShouldNot(BeEmpty())
		bound(ctx, o)
		change(ctx, o, func(o *unstructured.Unstructured) { o.Object["spec"] = map[string]any{"color": "blue"} })
		changed := awaitValue(ctx, fresh(o))
		Eventually(func(g Gomega) {
			b, err := bindingOf(o)(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.GetSpec().Resource.ResourceVersion).To(Equal(changed.GetResourceVersion()))
		}).WithContext(ctx).Should(Succeed())
	})

	It("leaves its binding as it is when its status changes", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		p := policyFor(false, "p", o)
		create(ctx, o, p)
		Eventually(claimsOf(o)).WithContext(ctx).ShouldNot(BeEmpty())
		claimed := awaitValue(ctx, fresh(o))
		version := func() (string, error) {
			b, err := bindingOf(o)(ctx)
			return b.GetSpec().Resource.ResourceVersion, err
		}
		Eventually(version).WithContext(ctx).Should(Equal(claimed.GetResourceVersion()))

		reported := awaitValue(ctx, fresh(o))
		reported.Object["status"] = map[string]any{"ok": true}
		Expect(hub.Status().Update(ctx, reported)).To(Succeed())
		// Another reason to write the binding proves that the status was seen.
		change(ctx, p, func(p policyv1alpha1.Policy) {
			p.GetSpec().Placement.ClusterAffinity = &policyv1alpha1.ClusterAffinity{ClusterNames: []string{"a"}}
		})
		Eventually(func(g Gomega) {
			b, err := bindingOf(o)(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.GetSpec().Placement.ClusterAffinity).NotTo(BeNil())
			g.Expect(b.GetSpec().Resource.ResourceVersion).To(Equal(claimed.GetResourceVersion()))
		}).WithContext(ctx).Should(Succeed())
	})

	It("gets its binding again when somebody deletes it", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		create(ctx, o, policyFor(false, "p", o))
		b := bound(ctx, o)
		remove(ctx, b)
		Eventually(func(g Gomega) {
			again, err := bindingOf(o)(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(again.GetUID()).NotTo(Equal(b.GetUID()))
		}).WithContext(ctx).Should(Succeed())
	})

	It("deletes the binding of an earlier object of its name, and gets its own", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		create(ctx, o, policyFor(false, "p", o))
		b := bound(ctx, o)
		remove(ctx, o)
		again := gadget(false, "one", nil)
		create(ctx, again)
		Eventually(func(g Gomega) { // there is no garbage collector
			b, err := bindingOf(o)(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.GetDeletionTimestamp()).NotTo(BeNil())
		}).WithContext(ctx).Should(Succeed())
		Expect(events.About(space, "one")).NotTo(ContainElement(HavePrefix("Warning")))
		remove(ctx, b) // once its Works are gone
		Eventually(func(g Gomega) {
			b, err := bindingOf(again)(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.GetSpec().Resource.UID).To(Equal(again.GetUID()))
		}).WithContext(ctx).Should(Succeed())
	})

	It("is left alone when another controller owns it", func(ctx SpecContext) {
		o, other := gadget(false, "one", nil), gadget(false, "two", nil)
		o.SetLabels(map[string]string{policyv1alpha1.ClaimedByLabel: "somebody"})
		create(ctx, o, other, fixture.Policy(space, "p", fixture.All(fixture.GadgetKind)))
		bound(ctx, other)
		Expect(claimsOf(o)(ctx)).To(BeEmpty())
	})

	It("gets no binding, and nobody is warned, while its namespace is being deleted", func(ctx SpecContext) {
		o := gadget(false, "going", nil)
		create(ctx, o)
		// A bare API server never ends the namespace.
		Expect(hub.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}})).To(Succeed())
		create(ctx, fixture.Policy("", space, fixture.Named(fixture.GadgetKind, "going")))
		Eventually(claimsOf(o)).WithContext(ctx).ShouldNot(BeEmpty())
		_, err := template.New(deps).Reconcile(ctx, templates.KeyOf(o))
		Expect(err).NotTo(HaveOccurred())
		Expect(events.About(space, "going")).To(BeEmpty())
	})

	It("is left alone in the namespaces of the control plane", func(ctx SpecContext) {
		Expect(client.IgnoreAlreadyExists(hub.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "karmada-system"}}))).To(Succeed())
		var secret []*unstructured.Unstructured
		for _, namespace := range []string{"karmada-system", "kube-system"} {
			o := fixture.Gadget(namespace, space, nil)
			create(ctx, o)
			DeferCleanup(func(ctx SpecContext) { Expect(hub.Delete(ctx, o)).To(Succeed()) })
			secret = append(secret, o)
		}
		last := fixture.Gadget(space, space, nil)
		create(ctx, last, fixture.Policy("", space, fixture.Named(fixture.GadgetKind, space)))
		bound(ctx, last)
		// A policy that names the namespaces is as much as any.
		for _, o := range secret {
			Consistently(claimsOf(o)).WithContext(ctx).WithTimeout(settleTime).Should(BeEmpty())
		}
	})
})

// job is a FlinkDeployment of three pods.
func job(name string) *unstructured.Unstructured {
	return fixture.Object(flink, space, name, map[string]any{"spec": map[string]any{
		"jobManager":  map[string]any{"resource": map[string]any{"cpu": int64(1), "memory": "1024m"}},
		"taskManager": map[string]any{"replicas": int64(2), "resource": map[string]any{"cpu": int64(2), "memory": "1024m"}},
	}})
}

var _ = Describe("a template whose script fails", func() {
	It("reports it in an event, and the others continue", func(ctx SpecContext) {
		broken, other := gadget(false, "broken", map[string]any{"broken": true}), gadget(false, "other", nil)
		create(ctx, broken, other, fixture.Policy(space, "p", fixture.All(fixture.GadgetKind)))
		Eventually(func() []string { return events.About(space, "broken") }).Should(ContainElement(And(
			HavePrefix("Warning ApplyPolicyFailed: "), ContainSubstring("the gadget is broken"), ContainSubstring("bundle gadgets"))))
		bound(ctx, other)
	})

	It("gets its binding once it is mended", func(ctx SpecContext) {
		o := gadget(false, "broken", map[string]any{"broken": true})
		create(ctx, o, policyFor(false, "p", o))
		Eventually(func() []string { return events.About(space, "broken") }).ShouldNot(BeEmpty())
		change(ctx, o, func(o *unstructured.Unstructured) { o.Object["spec"] = map[string]any{"broken": false} })
		bound(ctx, o)
	})

	It("loses its claim with the policy, although it has no binding", func(ctx SpecContext) {
		o := gadget(false, "broken", map[string]any{"broken": true})
		p := policyFor(false, "p", o)
		create(ctx, o, p)
		Eventually(claimsOf(o)).WithContext(ctx).ShouldNot(BeEmpty())
		Expect(hub.Delete(ctx, p)).To(Succeed())
		Eventually(gone).WithContext(ctx).WithArguments(p).Should(BeTrue())
		Eventually(claimsOf(o)).WithContext(ctx).Should(BeEmpty())
	})
})
