// SPDX-License-Identifier: Apache-2.0

package template_test

import (
	"context"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// settleTime is how long a spec looks that something does not happen, after it has seen
// something later happen.
const settleTime = 200 * time.Millisecond

var _ = Describe("a policy", func() {
	DescribeTable("gets an id and a finalizer", func(ctx SpecContext, wide bool) {
		p := policyFor(wide, "p", gadget(wide, "none", nil))
		create(ctx, p)
		label, finalizer := policyv1alpha1.PropagationPolicyPermanentIDLabel, policyv1alpha1.PropagationPolicyFinalizer
		if wide {
			label, finalizer = policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel, policyv1alpha1.ClusterPropagationPolicyFinalizer
		}
		Eventually(func(g Gomega) {
			p, err := fresh(p)(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(p.GetLabels()).To(HaveKeyWithValue(label, Not(BeEmpty())))
			g.Expect(p.GetFinalizers()).To(ConsistOf(finalizer))
		}).WithContext(ctx).Should(Succeed())
	}, Entry("of a namespace", false), Entry("of the cluster", true))

	It("works when it came with an id, as from a backup", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		p := policyFor(false, "p", o)
		p.SetLabels(map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: "from-backup-" + space})
		create(ctx, o, p)
		Expect(claims(bound(ctx, o))).To(HaveKeyWithValue(policyv1alpha1.PropagationPolicyPermanentIDLabel, "from-backup-"+space))
		Eventually(func() []string { return awaitValue(ctx, fresh(p)).GetFinalizers() }).WithContext(ctx).ShouldNot(BeEmpty())
	})

	It("takes templates that come after it", func(ctx SpecContext) {
		create(ctx, fixture.Policy(space, "p", fixture.All(fixture.GadgetKind)))
		o := gadget(false, "one", nil)
		create(ctx, o)
		bound(ctx, o)
	})

	It("takes templates that come to have its labels", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		create(ctx, o, fixture.Policy(space, "p", fixture.Labelled(fixture.GadgetKind, "app", "one")))
		change(ctx, o, func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{"app": "one"}) })
		bound(ctx, o)
	})

	It("works once the CRD of its kind is there", func(ctx SpecContext) {
		kind := late("v1")
		o := fixture.Object(kind, space, "one", nil)
		create(ctx, policyFor(false, "p", o))
		serve(ctx, fixture.Definition(kind, apiextensionsv1.NamespaceScoped))
		create(ctx, o)
		bound(ctx, o)
	})

	It("ends its bindings when the CRD of their kind is deleted, and those of no other kind of the group", func(ctx SpecContext) {
		kind := late("v1")
		other := kind.GroupVersion().WithKind("Gizmo")
		objects := map[schema.GroupVersionKind]*unstructured.Unstructured{}
		for _, k := range []schema.GroupVersionKind{kind, other} {
			serve(ctx, fixture.Definition(k, apiextensionsv1.NamespaceScoped))
			objects[k] = fixture.Object(k, space, "one", nil)
			create(ctx, objects[k])
		}
		create(ctx, fixture.Policy(space, "p", fixture.All(kind), fixture.All(other)))
		bound(ctx, objects[kind])
		bound(ctx, objects[other])
		Expect(hub.Delete(ctx, fixture.Definition(kind, apiextensionsv1.NamespaceScoped))).To(Succeed())
		ended := func(o *unstructured.Unstructured) func(context.Context) (bool, error) {
			return func(ctx context.Context) (bool, error) {
				b, err := bindingOf(o)(ctx)
				return apierrors.IsNotFound(err) || b.GetDeletionTimestamp() != nil, client.IgnoreNotFound(err)
			}
		}
		Eventually(ended(objects[kind])).WithContext(ctx).Should(BeTrue())
		Consistently(ended(objects[other])).WithContext(ctx).WithTimeout(settleTime).Should(BeFalse())
	})

	It("continues with its other kinds when one does not exist", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		create(ctx, o, fixture.Policy(space, "p", fixture.All(late("v1")), fixture.All(fixture.GadgetKind)))
		bound(ctx, o)
	})

	It("does not hold up others when its kind cannot be listed", func(ctx SpecContext) {
		review := schema.GroupVersionKind{Group: "authentication.k8s.io", Version: "v1", Kind: "TokenReview"}
		create(ctx, fixture.Policy(space, "p", fixture.All(review)))
		o := gadget(false, "one", nil)
		create(ctx, o, policyFor(false, "q", o))
		bound(ctx, o)
	})

	// The published control plane leaves propagateDeps and schedulePriority of a binding
	// without a namespace as they were when it was created.
	DescribeTable("changes all fields of the bindings it made when it changes", func(ctx SpecContext, widePolicy, wide bool) {
		o := gadget(wide, "one", nil)
		p := policyFor(widePolicy, "p", o)
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: space}, Value: 7}
		create(ctx, o, p, class)
		bound(ctx, o)
		change(ctx, p, func(p policyv1alpha1.Policy) {
			s := p.GetSpec()
			s.PropagateDeps, s.ConflictResolution, s.PreserveResourcesOnDeletion = true, policyv1alpha1.ConflictOverwrite, new(true)
			s.Suspension = &policyv1alpha1.Suspension{Dispatching: new(true)}
			s.SchedulePriority = &policyv1alpha1.SchedulePriority{PriorityClassSource: policyv1alpha1.KubePriorityClass, PriorityClassName: class.Name}
		})
		spec := func() (*workv1alpha2.ResourceBindingSpec, error) {
			b, err := bindingOf(o)(ctx)
			if err != nil {
				return nil, err
			}
			return b.GetSpec(), nil
		}
		Eventually(spec).WithContext(ctx).Should(And(
			HaveField("PropagateDeps", true), HaveField("ConflictResolution", policyv1alpha1.ConflictOverwrite),
			HaveField("PreserveResourcesOnDeletion", HaveValue(BeTrue())), HaveField("Suspension.Dispatching", HaveValue(BeTrue())),
			HaveField("SchedulePriority.Priority", int32(7)),
		))

		change(ctx, p, func(p policyv1alpha1.Policy) { p.GetSpec().PreserveResourcesOnDeletion = new(false) })
		Eventually(spec).WithContext(ctx).Should(HaveField("PreserveResourcesOnDeletion", HaveValue(BeFalse())))

		change(ctx, p, func(p policyv1alpha1.Policy) {
			s := p.GetSpec()
			s.PropagateDeps, s.ConflictResolution, s.PreserveResourcesOnDeletion, s.Suspension, s.SchedulePriority = false, policyv1alpha1.ConflictAbort, nil, nil, nil
		})
		Eventually(spec).WithContext(ctx).Should(And(
			HaveField("PropagateDeps", false), HaveField("ConflictResolution", policyv1alpha1.ConflictAbort),
			HaveField("PreserveResourcesOnDeletion", BeNil()), HaveField("Suspension", BeNil()), HaveField("SchedulePriority", BeNil()),
		))
	}, scopes)
})

var _ = Describe("letting go", func() {
	// unclaimed waits until template and binding have no claim, and the binding is there.
	unclaimed := func(ctx context.Context, o *unstructured.Unstructured) {
		GinkgoHelper()
		Eventually(claimsOf(o)).WithContext(ctx).Should(BeEmpty())
		b, err := bindingOf(o)(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(claims(b)).To(BeEmpty())
		Expect(b.GetDeletionTimestamp()).To(BeNil())
	}

	DescribeTable("takes the claim from template and binding, which stays, when the policy is deleted", func(ctx SpecContext, widePolicy, wide bool) {
		o := gadget(wide, "one", nil)
		p := policyFor(widePolicy, "p", o)
		create(ctx, o, p)
		bound(ctx, o)
		Expect(hub.Delete(ctx, p)).To(Succeed())
		Eventually(gone).WithContext(ctx).WithArguments(p).Should(BeTrue())
		unclaimed(ctx, o)
	}, scopes)

	DescribeTable("does the same when the policy selects the template no longer", func(ctx SpecContext, widePolicy, wide bool) {
		o := gadget(wide, "one", nil)
		p := policyFor(widePolicy, "p", o)
		create(ctx, o, p)
		bound(ctx, o)
		change(ctx, p, func(p policyv1alpha1.Policy) { p.GetSpec().ResourceSelectors[0].Name = "another" })
		unclaimed(ctx, o)
	}, scopes)

	It("does the same when the template loses the label it was selected by", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		o.SetLabels(map[string]string{"app": "one"})
		create(ctx, o, fixture.Policy(space, "p", fixture.Labelled(fixture.GadgetKind, "app", "one")))
		bound(ctx, o)
		change(ctx, o, func(o *unstructured.Unstructured) {
			labels := o.GetLabels()
			delete(labels, "app")
			o.SetLabels(labels)
		})
		unclaimed(ctx, o)
	})

	It("takes a claim that only the binding still carries", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		p := policyFor(false, "p", o)
		create(ctx, o, p)
		bound(ctx, o)
		Expect(hub.Delete(ctx, p)).To(Succeed())
		Eventually(gone).WithContext(ctx).WithArguments(p).Should(BeTrue())
		// What a write that was under way may leave.
		change(ctx, bound(ctx, o), func(b workv1alpha2.Binding) {
			b.SetLabels(map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: "left"})
		})
		Eventually(func(g Gomega) {
			b, err := bindingOf(o)(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(claims(b)).To(BeEmpty())
		}).WithContext(ctx).Should(Succeed())
	})

	It("leaves the template to the next policy", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		first, second := policyFor(false, "first", o), policyFor(false, "second", o)
		create(ctx, o, first)
		bound(ctx, o)
		create(ctx, second)
		Expect(hub.Delete(ctx, first)).To(Succeed())
		Eventually(claimsOf(o)).WithContext(ctx).Should(HaveKeyWithValue(policyv1alpha1.PropagationPolicyNameAnnotation, "second"))
		Eventually(func(g Gomega) {
			b, err := bindingOf(o)(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(claims(b)).To(HaveKeyWithValue(policyv1alpha1.PropagationPolicyNameAnnotation, "second"))
		}).WithContext(ctx).Should(Succeed())
	})
})

var _ = Describe("two policies", func() {
	It("leave a claimed template where it is, also when the better one comes later", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		create(ctx, o, fixture.Policy("", space, inSpace(fixture.All(fixture.GadgetKind))))
		bound(ctx, o)
		better := policyFor(false, "better", o)
		better.GetSpec().Priority = new(int32)
		*better.GetSpec().Priority = 100
		create(ctx, better)
		other := gadget(false, "other", nil)
		create(ctx, other, policyFor(false, "later", other)) // seen after the better one
		bound(ctx, other)
		change(ctx, o, func(o *unstructured.Unstructured) { o.Object["spec"] = map[string]any{"replicas": int64(2)} })
		Eventually(func(g Gomega) {
			b, err := bindingOf(o)(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.GetSpec().Replicas).To(Equal(int32(2)))
			g.Expect(claims(b)).To(HaveKeyWithValue(policyv1alpha1.ClusterPropagationPolicyNameAnnotation, space))
		}).WithContext(ctx).Should(Succeed())
	})

	It("of two versions of one kind do not take turns", func(ctx SpecContext) {
		one, two := late("v1"), late("v2")
		crd := fixture.Definition(one, apiextensionsv1.NamespaceScoped)
		second := *crd.Spec.Versions[0].DeepCopy()
		second.Name, second.Storage = "v2", false
		crd.Spec.Versions = append(crd.Spec.Versions, second)
		serve(ctx, crd)
		o := fixture.Object(one, space, "one", nil)
		create(ctx, o, policyFor(false, "p", o))
		bound(ctx, o)
		other := fixture.Object(two, space, "other", nil)
		create(ctx, other, fixture.Policy(space, "q", fixture.All(two)))
		bound(ctx, other)
		version := awaitValue(ctx, fresh(o)).GetResourceVersion()
		Consistently(func() (string, error) {
			read, err := fresh(o)(ctx)
			return read.GetResourceVersion(), err
		}).WithTimeout(settleTime).Should(Equal(version))
		Expect(claimsOf(o)(ctx)).To(HaveKeyWithValue(policyv1alpha1.PropagationPolicyNameAnnotation, "p"))
	})
})

// late returns a kind of a group that only this spec knows, and that nothing serves yet.
func late(version string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: space + ".dragoman.io", Version: version, Kind: "Gadget"}
}

// inSpace limits a selector to the namespace of the spec.
func inSpace(s policyv1alpha1.ResourceSelector) policyv1alpha1.ResourceSelector {
	s.Namespace = space
	return s
}

var _ = Describe("two templates of one kind and name", func() {
	// another returns the same gadget of another group.
	another := func(ctx context.Context) *unstructured.Unstructured {
		GinkgoHelper()
		serve(ctx, fixture.Definition(late("v1"), apiextensionsv1.NamespaceScoped))
		return fixture.Object(late("v1"), space, "one", nil)
	}
	// bindings returns the bindings of the spec, by the group of their templates.
	bindings := func(ctx context.Context) (map[string][]string, error) {
		var list workv1alpha2.ResourceBindingList
		err := hub.List(ctx, &list, client.InNamespace(space))
		all := map[string][]string{}
		for _, b := range list.Items {
			group, _, _ := strings.Cut(b.Spec.Resource.APIVersion, "/")
			all[group] = append(all[group], b.Name)
		}
		return all, err
	}

	It("have two bindings when their groups differ", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		create(ctx, o, policyFor(false, "p", o))
		bound(ctx, o)
		other := another(ctx)
		create(ctx, other, policyFor(false, "q", other))
		Eventually(bindings).WithContext(ctx).Should(And(
			HaveKeyWithValue(fixture.GadgetKind.Group, ConsistOf("one-gadget")),
			HaveKeyWithValue(late("v1").Group, ConsistOf(HavePrefix("one-gadget-"))),
		))
	})

	It("keep each its binding when that of the other goes", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		p := policyFor(false, "p", o)
		create(ctx, o, p)
		b := bound(ctx, o)
		other := another(ctx)
		create(ctx, other, policyFor(false, "q", other))
		Eventually(bindings).WithContext(ctx).Should(HaveKeyWithValue(late("v1").Group, HaveLen(1)))
		remove(ctx, p)
		remove(ctx, o)
		remove(ctx, b)
		Eventually(bindings).WithContext(ctx).ShouldNot(HaveKey(fixture.GadgetKind.Group))
		change(ctx, other, func(o *unstructured.Unstructured) { o.Object["spec"] = map[string]any{"color": "blue"} })
		changed := awaitValue(ctx, fresh(other))
		Eventually(func(g Gomega) {
			var list workv1alpha2.ResourceBindingList
			g.Expect(hub.List(ctx, &list, client.InNamespace(space))).To(Succeed())
			g.Expect(list.Items).To(HaveLen(1))
			g.Expect(list.Items[0].Spec.Resource.ResourceVersion).To(Equal(changed.GetResourceVersion()))
		}).WithContext(ctx).Should(Succeed())
	})

	It("have two bindings when their names differ only in what bindings cannot have", func(ctx SpecContext) {
		kind := rbacv1.SchemeGroupVersion.WithKind("ClusterRole")
		uids := map[string]string{}
		for _, name := range []string{space + ":x", space + ".x"} {
			role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}}
			create(ctx, role, fixture.Policy("", strings.ReplaceAll(name, ":", "-"), fixture.Named(kind, name)))
			uids[name] = string(role.UID)
		}
		Eventually(func(g Gomega) {
			var list workv1alpha2.ClusterResourceBindingList
			g.Expect(hub.List(ctx, &list)).To(Succeed())
			owners := map[string]string{}
			for _, b := range list.Items {
				owners[b.Spec.Resource.Name] = string(b.Spec.Resource.UID)
			}
			for name, uid := range uids {
				g.Expect(owners).To(HaveKeyWithValue(name, uid))
			}
		}).WithContext(ctx).Should(Succeed())
	})
})
