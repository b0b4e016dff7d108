// SPDX-License-Identifier: Apache-2.0

// Package scheduling tests the stories of users about where their objects go: policy and
// template in, targets of the binding and manifests of the Works out. The controllers run
// on a real API server as in the manager; the clusters are objects that a spec writes, so
// that their labels, regions and rooms are what the spec is about. What members do with
// Works is the subject of test/e2e.
//
// The stories are those of the published end-to-end tests:
//
//	clusteraffinities_test        affinities_test.go
//	rescheduling_test             rescheduling_test.go
//	scheduling_test               division_test.go, and spread_test.go for labels and counts
//	spread_by_region_test         spread_test.go
//	tainttoleration_test          spread_test.go
//	schedule_priority_test        priority_test.go
//	schedule_multi_template_test  components_test.go
//	workloadaffinity_test         workloadaffinity_test.go
package scheduling

import (
	"context"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/yaml"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/policy"
	"github.com/dragoman-io/dragoman/controllers/rendering"
	"github.com/dragoman-io/dragoman/controllers/scheduling"
	"github.com/dragoman-io/dragoman/controllers/template"
	"github.com/dragoman-io/dragoman/controllers/template/kinds"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestScheduling(t *testing.T) { suite.Specs(t, "stories of scheduling") }

// served are the kinds that the clusters serve.
var served = []schema.GroupVersionKind{
	{Group: "apps", Version: "v1", Kind: "Deployment"},
	{Group: "batch", Version: "v1", Kind: "Job"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"},
	{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"},
	flinkKind, volcanoKind,
}

var (
	hub client.WithWatch
	// cached is what the controllers read through.
	cached client.Client
	// space is the namespace of the spec, and the prefix of its objects without one.
	space string
)

var _ = BeforeSuite(func(ctx SpecContext) {
	EnforceDefaultTimeoutsWhenUsingContexts()
	running := suite.Begin(ctx)
	hub = running.Client
	for _, kind := range []schema.GroupVersionKind{flinkKind, volcanoKind} {
		Expect(suite.Install(ctx, hub, fixture.Definition(kind, "Namespaced"))).To(Succeed())
	}
	stop, err := running.Manage(nil, register)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
}, NodeTimeout(10*time.Minute))

// register adds the controllers from the policy to the Work.
func register(ctx context.Context, mgr ctrl.Manager) error {
	cached = mgr.GetClient()
	rules, err := fixture.Interpreter()
	if err != nil {
		return err
	}
	gates := features.New()
	if err := gates.SetFromMap(map[string]bool{string(features.WorkloadAffinity): true}); err != nil {
		return err
	}
	d, err := controllers.NewDeps(mgr, controllers.Environment{Interpreter: rules, Gates: gates})
	if err != nil {
		return err
	}
	assumed := &schedule.Assumptions{}
	for _, c := range []controllers.Controller{
		template.New(d), kinds.New(d),
		policy.New[*policyv1alpha1.PropagationPolicy](d), policy.New[*policyv1alpha1.ClusterPropagationPolicy](d),
		scheduling.New[*workv1alpha2.ResourceBinding](d, assumed), scheduling.New[*workv1alpha2.ClusterResourceBinding](d, assumed),
		rendering.New[*workv1alpha2.ResourceBinding](d), rendering.New[*workv1alpha2.ClusterResourceBinding](d),
	} {
		if err := c.Register(ctx, mgr); err != nil {
			return err
		}
	}
	return finishWorks(mgr)
}

// finishWorks stands in for execution: it lets Works that are deleted go.
func finishWorks(mgr ctrl.Manager) error {
	c := mgr.GetClient()
	return ctrl.NewControllerManagedBy(mgr).Named("finish").For(&workv1alpha1.Work{}).
		Complete(reconcile.AsReconciler(c, reconcile.TypedFunc[*workv1alpha1.Work](func(ctx context.Context, w *workv1alpha1.Work) (reconcile.Result, error) {
			if w.DeletionTimestamp == nil {
				return reconcile.Result{}, nil
			}
			base := w.DeepCopy()
			w.Finalizers = nil
			return reconcile.Result{}, client.IgnoreNotFound(c.Patch(ctx, w, client.MergeFrom(base)))
		})))
}

var _ = BeforeEach(func(ctx SpecContext) {
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "spec-"}}
	Expect(hub.Create(ctx, n)).To(Succeed())
	space = n.Name
})

// join makes a cluster of the spec, labelled with it. The cluster goes at the end of the
// spec.
func join(ctx context.Context, short string, with ...func(*clusterv1alpha1.Cluster)) *clusterv1alpha1.Cluster {
	GinkgoHelper()
	c := fixture.Cluster(space+"-"+short, served...)
	c.Labels = map[string]string{"spec": space}
	for _, w := range with {
		w(c)
	}
	status := c.Status
	Expect(hub.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace(c.Name)}})).To(Succeed())
	Expect(hub.Create(ctx, c)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, c))).To(Succeed()) })
	c.Status = status
	Expect(hub.Status().Update(ctx, c)).To(Succeed())
	return c
}

// joinAll makes plain clusters.
func joinAll(ctx context.Context, shorts ...string) {
	GinkgoHelper()
	for _, s := range shorts {
		join(ctx, s)
	}
}

// labelled puts a label on a cluster, beside that of the spec.
func labelled(key, value string) func(*clusterv1alpha1.Cluster) {
	return func(c *clusterv1alpha1.Cluster) { metav1.SetMetaDataLabel(&c.ObjectMeta, key, value) }
}

// written reads an object as a user writes it; $space is that of the spec.
func written(text string) *unstructured.Unstructured {
	GinkgoHelper()
	o := &unstructured.Unstructured{}
	Expect(yaml.UnmarshalStrict([]byte(strings.ReplaceAll(text, "$space", space)), &o.Object)).To(Succeed())
	return o
}

// placement reads a placement as a user writes it.
func placement(text string) policyv1alpha1.Placement {
	GinkgoHelper()
	var p policyv1alpha1.Placement
	Expect(yaml.UnmarshalStrict([]byte(strings.ReplaceAll(text, "$space", space)), &p)).To(Succeed())
	return p
}

// propagate creates an object and a policy that selects it: a cluster-wide one if the
// object has no namespace or everywhere is true. The controllers know the clusters by then.
func propagate(ctx context.Context, o client.Object, everywhere bool, text string) policyv1alpha1.Policy {
	GinkgoHelper()
	kind, err := apiutil.GVKForObject(o, hub.Scheme())
	Expect(err).NotTo(HaveOccurred())
	within, name := o.GetNamespace(), "story"
	if everywhere || within == "" {
		within, name = "", space
	}
	selected := fixture.Named(kind, o.GetName())
	selected.Namespace = o.GetNamespace()
	p := fixture.Policy(within, name, selected)
	p.GetSpec().Placement = placement(text)
	fixture.CaughtUp(ctx, hub, cached, &clusterv1alpha1.ClusterList{})
	for _, made := range []client.Object{p, o} {
		Expect(hub.Create(ctx, made)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, made))).To(Succeed()) })
	}
	return p
}

// edit has a user edit the placement of a policy.
func edit(ctx context.Context, p policyv1alpha1.Policy, text string) {
	GinkgoHelper()
	fixture.Change(ctx, hub, p, func(p policyv1alpha1.Policy) { p.GetSpec().Placement = placement(text) })
}

// binding returns the binding of an object.
func binding(ctx context.Context, g Gomega, o client.Object) workv1alpha2.Binding {
	kind, err := apiutil.GVKForObject(o, hub.Scheme())
	g.Expect(err).NotTo(HaveOccurred())
	var b workv1alpha2.Binding = &workv1alpha2.ResourceBinding{}
	if o.GetNamespace() == "" {
		b = &workv1alpha2.ClusterResourceBinding{}
	}
	g.Expect(hub.Get(ctx, client.ObjectKey{Namespace: o.GetNamespace(), Name: names.Binding(kind.Kind, o.GetName())}, b)).To(Succeed())
	return b
}

// goesTo waits until the binding of an object is scheduled to exactly these clusters with
// these replicas, and no cluster but these has a Work. It returns the binding.
func goesTo(ctx context.Context, o client.Object, want map[string]int32) workv1alpha2.Binding {
	GinkgoHelper()
	var b workv1alpha2.Binding
	Eventually(func(g Gomega) {
		b = binding(ctx, g, o)
		got := map[string]int32{}
		for _, t := range b.GetSpec().Clusters {
			got[strings.TrimPrefix(t.Name, space+"-")] = t.Replicas
		}
		g.Expect(got).To(Equal(want), "%+v", b.GetStatus().Conditions)
		g.Expect(meta.IsStatusConditionTrue(b.GetStatus().Conditions, workv1alpha2.Scheduled)).To(BeTrue(), "%+v", b.GetStatus().Conditions)
		g.Expect(b.GetStatus().SchedulerObservedGeneration).To(Equal(b.GetGeneration()))
		in := []string{}
		for short := range manifests(ctx, g, o) {
			in = append(in, short)
		}
		g.Expect(in).To(ConsistOf(keys(want)))
	}).WithContext(ctx).Should(Succeed())
	return b
}

// goesWhole is goesTo for an object that is not divided.
func goesWhole(ctx context.Context, o client.Object, replicas int32, shorts ...string) workv1alpha2.Binding {
	GinkgoHelper()
	want := map[string]int32{}
	for _, s := range shorts {
		want[s] = replicas
	}
	return goesTo(ctx, o, want)
}

func keys(m map[string]int32) []string {
	all := []string{}
	for k := range m {
		all = append(all, k)
	}
	return all
}

// manifests returns the manifests of an object in the Works that stay, by the cluster.
func manifests(ctx context.Context, g Gomega, o client.Object) map[string]*unstructured.Unstructured {
	kind, err := apiutil.GVKForObject(o, hub.Scheme())
	g.Expect(err).NotTo(HaveOccurred())
	all, works := map[string]*unstructured.Unstructured{}, &workv1alpha1.WorkList{}
	g.Expect(hub.List(ctx, works)).To(Succeed())
	for i := range works.Items {
		w := &works.Items[i]
		short, ours := strings.CutPrefix(w.Namespace, names.ExecutionSpace(space+"-"))
		if !ours || w.DeletionTimestamp != nil {
			continue
		}
		m := &unstructured.Unstructured{}
		g.Expect(utiljson.Unmarshal(w.Spec.Workload.Manifests[0].Raw, &m.Object)).To(Succeed())
		if m.GroupVersionKind() == kind && m.GetName() == o.GetName() && m.GetNamespace() == o.GetNamespace() {
			all[short] = m
		}
	}
	return all
}

// numbers waits until the manifests of an object have these values in a field of the spec.
func numbers(ctx context.Context, o client.Object, field string, want map[string]int64) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		got := map[string]int64{}
		for short, m := range manifests(ctx, g, o) {
			got[short], _, _ = unstructured.NestedInt64(m.Object, "spec", field)
		}
		g.Expect(got).To(Equal(want))
	}).WithContext(ctx).Should(Succeed())
}

// staysOut waits until the binding of an object is reported as not scheduled for a reason.
func staysOut(ctx context.Context, o client.Object, reason string) metav1.Condition {
	GinkgoHelper()
	var found metav1.Condition
	Eventually(func(g Gomega) {
		c := meta.FindStatusCondition(binding(ctx, g, o).GetStatus().Conditions, workv1alpha2.Scheduled)
		g.Expect(c).NotTo(BeNil())
		g.Expect(c.Status).To(Equal(metav1.ConditionFalse))
		g.Expect(c.Reason).To(Equal(reason))
		found = *c
	}).WithContext(ctx).Should(Succeed())
	return found
}
