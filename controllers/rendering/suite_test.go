// SPDX-License-Identifier: Apache-2.0

package rendering_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/controllers/rendering"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestRendering(t *testing.T) { suite.Specs(t, "rendering") }

var (
	running *suite.Suite
	hub     client.WithWatch
	// onMember is a client of the only member with an API server.
	onMember client.WithWatch
	// cached is what a controller reads through, templates what it reads templates by.
	cached client.Client
	tmpls  *templates.Templates
	rules  *engine.Interpreter

	// space is the namespace of the spec, and the prefix of its objects without one.
	space  string
	events *fixture.Events
	clock  *clocktesting.FakePassiveClock
)

// hubKind and wideHubKind are served by the control plane alone.
var (
	hubKind     = fixture.GadgetKind.GroupVersion().WithKind("HubGadget")
	wideHubKind = fixture.GadgetKind.GroupVersion().WithKind("WideHubGadget")
)

// clusters are the members that there are an execution namespace of.
var clusters = []string{"a", "b", "c"}

var _ = BeforeSuite(func(ctx SpecContext) {
	running = suite.Begin(ctx, "one")
	hub, cached, tmpls = running.Client, running.Manager.GetClient(), templates.New(running.Manager.GetCache())
	onMember, rules = running.OnMember(), running.ServeGadgets(ctx)
	for kind, scope := range map[schema.GroupVersionKind]apiextensionsv1.ResourceScope{hubKind: apiextensionsv1.NamespaceScoped, wideHubKind: apiextensionsv1.ClusterScoped} {
		Expect(suite.Install(ctx, hub, fixture.Definition(kind, scope))).To(Succeed())
	}
	for _, c := range clusters {
		Expect(hub.Create(ctx, executionSpace(c))).To(Succeed())
		Expect(hub.Create(ctx, fixture.Cluster(c))).To(Succeed())
	}
	Expect(running.Run()).To(Succeed())
}, NodeTimeout(10*time.Minute))

var _ = BeforeEach(func(ctx SpecContext) {
	space, clock, events = running.NewSpec(ctx)
	clock = clocktesting.NewFakePassiveClock(time.Now())
})

// pair is a template and its binding.
type pair[B workv1alpha2.Binding] struct {
	object  *unstructured.Unstructured
	binding B
}

// wide reports whether B has no namespace.
func wide[B workv1alpha2.Binding]() bool { return scope.IsWideBinding[B]() }

// placed makes a gadget of four replicas with its binding, placed on clusters.
func placed[B workv1alpha2.Binding](ctx context.Context, on ...string) *pair[B] {
	GinkgoHelper()
	return bound[B](ctx, gadget[B]("one"), on...)
}

// bound makes a template of four replicas with its binding, placed on clusters.
func bound[B workv1alpha2.Binding](ctx context.Context, o *unstructured.Unstructured, on ...string) *pair[B] {
	GinkgoHelper()
	Expect(hub.Create(ctx, o)).To(Succeed())
	b := fixture.Binding(o)
	b.GetSpec().Replicas = 4
	for _, cluster := range on {
		b.GetSpec().Clusters = append(b.GetSpec().Clusters, workv1alpha2.TargetCluster{Name: cluster, Replicas: 4})
	}
	Expect(hub.Create(ctx, b)).To(Succeed())
	p := &pair[B]{o, b.(B)}
	DeferCleanup(func(ctx SpecContext) {
		for _, w := range p.works(ctx) {
			finish(ctx, &w)
		}
		for _, left := range []client.Object{p.binding, p.object} {
			Expect(client.IgnoreNotFound(hub.Delete(ctx, left))).To(Succeed())
			base := left.DeepCopyObject().(client.Object)
			left.SetFinalizers(nil)
			base.SetFinalizers([]string{"whatever"})
			Expect(client.IgnoreNotFound(hub.Patch(ctx, left, client.MergeFrom(base)))).To(Succeed())
		}
	})
	return p
}

// controller returns one that reads through the cache.
func controller[B workv1alpha2.Binding]() *rendering.Controller[B] {
	return rendering.New[B](base.Deps{
		Client: cached, Reader: running.Manager.GetAPIReader(), Templates: tmpls, Interpreter: rules, Gates: features.New(), Events: events, Clock: clock,
	})
}

// render has the controller look at the binding, once the cache has all there is.
func (p *pair[B]) render(ctx context.Context) error {
	GinkgoHelper()
	p.settled(ctx)
	request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p.binding)}
	_, err := reconcile.AsReconciler(cached, controller[B]()).Reconcile(ctx, request)
	return err
}

// settled waits until the cache has all there is.
func (p *pair[B]) settled(ctx context.Context) {
	GinkgoHelper()
	waitForCache(ctx)
	Eventually(func(g Gomega) {
		held, err := tmpls.Get(ctx, templates.KeyOf(p.object))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(held.GetResourceVersion()).To(Equal(read(ctx, p.object).GetResourceVersion()))
	}).Should(Succeed())
}

func waitForCache(ctx context.Context) {
	GinkgoHelper()
	fixture.CaughtUp(ctx, hub, cached, &workv1alpha2.ResourceBindingList{}, &workv1alpha2.ClusterResourceBindingList{}, &workv1alpha1.WorkList{},
		&policyv1alpha1.OverridePolicyList{}, &policyv1alpha1.ClusterOverridePolicyList{},
		&policyv1alpha1.PropagationPolicyList{}, &policyv1alpha1.ClusterPropagationPolicyList{}, &clusterv1alpha1.ClusterList{})
}

// rendered has the controller look, and returns the Works that there are then by
// cluster.
func (p *pair[B]) rendered(ctx context.Context) map[string]workv1alpha1.Work {
	GinkgoHelper()
	Expect(p.render(ctx)).To(Succeed())
	return p.works(ctx)
}

// works returns the Works of the binding by cluster.
func (p *pair[B]) works(ctx context.Context) map[string]workv1alpha1.Work {
	GinkgoHelper()
	var list workv1alpha1.WorkList
	Expect(hub.List(ctx, &list, client.MatchingLabels{scope.BindingIDLabel(p.binding): p.binding.GetName()})).To(Succeed())
	all := map[string]workv1alpha1.Work{}
	for _, w := range list.Items {
		if p.owns(w) {
			cluster, _ := names.Cluster(w.Namespace)
			all[cluster] = w
		}
	}
	return all
}

// owns reports whether a Work is of this spec: bindings of other specs have the same name.
func (p *pair[B]) owns(w workv1alpha1.Work) bool {
	m := manifest(w)
	return m.GetNamespace() == p.object.GetNamespace() && m.GetName() == p.object.GetName()
}

// move changes the binding.
func (p *pair[B]) move(ctx context.Context, by func(s *workv1alpha2.ResourceBindingSpec)) {
	GinkgoHelper()
	change(ctx, p.binding, func(b B) { by(b.GetSpec()) })
}

// decide changes the binding as the scheduler does, which has then decided about all of it.
func (p *pair[B]) decide(ctx context.Context, by func(s *workv1alpha2.ResourceBindingSpec)) {
	GinkgoHelper()
	p.move(ctx, by)
	b := read(ctx, p.binding)
	before := b.DeepCopyObject().(client.Object)
	b.GetStatus().SchedulerObservedGeneration = b.GetGeneration()
	Expect(hub.Status().Patch(ctx, b, client.MergeFrom(before))).To(Succeed())
}

// delete deletes the binding, as the garbage collector does after its template.
func (p *pair[B]) delete(ctx context.Context) {
	GinkgoHelper()
	Expect(hub.Delete(ctx, p.binding)).To(Succeed())
}

// hasEnded expects that the binding is gone.
func (p *pair[B]) hasEnded(ctx context.Context) {
	GinkgoHelper()
	err := hub.Get(ctx, client.ObjectKeyFromObject(p.binding), p.binding.DeepCopyObject().(client.Object))
	Expect(apierrors.IsNotFound(err)).To(BeTrue(), "the binding is still there: %v", err)
}

// failed returns the condition that says what could not be rendered, nil if there is
// none.
func (p *pair[B]) failed(ctx context.Context) *metav1.Condition {
	GinkgoHelper()
	return meta.FindStatusCondition(read(ctx, p.binding).GetStatus().Conditions, workv1alpha2.Rendered)
}

// blind is a client whose cache has no Works yet.
type blind struct{ client.Client }

func (b blind) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	if _, works := list.(*workv1alpha1.WorkList); works {
		return nil
	}
	return b.Client.List(ctx, list, options...)
}

// manifest returns the object in a Work.
func manifest(w workv1alpha1.Work) *unstructured.Unstructured {
	GinkgoHelper()
	Expect(w.Spec.Workload.Manifests).To(HaveLen(1))
	o := &unstructured.Unstructured{}
	Expect(utiljson.Unmarshal(w.Spec.Workload.Manifests[0].Raw, &o.Object)).To(Succeed())
	return o
}

// field reads a field of the manifest in a Work.
func field(w workv1alpha1.Work, path ...string) any {
	GinkgoHelper()
	v, _, err := unstructured.NestedFieldNoCopy(manifest(w).Object, path...)
	Expect(err).NotTo(HaveOccurred())
	return v
}

// finish ends a Work as the execution controller does once the member is rid of the
// object.
func finish(ctx context.Context, w *workv1alpha1.Work) {
	GinkgoHelper()
	Expect(client.IgnoreNotFound(hub.Delete(ctx, w))).To(Succeed())
	base := w.DeepCopy()
	w.Finalizers = nil
	Expect(client.IgnoreNotFound(hub.Patch(ctx, w, client.MergeFrom(base)))).To(Succeed())
}

// read reads an object again.
func read[T client.Object](ctx context.Context, o T) T {
	GinkgoHelper()
	return fixture.Read(ctx, hub, o)
}

// change changes an object where it is.
func change[T client.Object](ctx context.Context, o T, by func(T)) {
	GinkgoHelper()
	fixture.Change(ctx, hub, o, by)
}

// leaving makes a task with state.
func leaving(cluster string, mode policyv1alpha1.PurgeMode) workv1alpha2.GracefulEvictionTask {
	return workv1alpha2.GracefulEvictionTask{
		FromCluster: cluster, PurgeMode: mode, Reason: "ApplicationFailure", Producer: "spec",
		PreservedLabelState: map[string]string{"job": "17"}, PreservedState: map[string]string{fixture.StateKey: "42"},
		ClustersBeforeFailover: []string{cluster},
	}
}
